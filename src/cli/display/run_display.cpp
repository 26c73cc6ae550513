#include "cli/display/run_display.hpp"

#include "cli/terminal/formatting.hpp"
#include "cli/terminal/local_time.hpp"
#include "cli/terminal/printable.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

namespace carillon::cli {

namespace {

constexpr std::array<std::pair<std::string_view, std::string_view>, 6> source_texts{
    {{"schedule", "scheduled"},
     {"catchup", "caught up"},
     {"trigger", "by hand"},
     {"backfill", "backfill"},
     {"chain", "after another schedule"},
     {"adhoc", "ad hoc"}}};

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

}  // namespace

Result<ZonePtr> run_zone(const DisplayZone& display, Session& session) {
  if (display.zone) return display.zone;
  return session.zones.zone("UTC");
}

std::string clock_of(std::optional<Instant> instant, const Zone& zone) {
  if (!instant) return {};
  const WallTime wall = wall_time(*instant, zone);
  return fmt::format("{:02}:{:02}:{:02}", wall.hour, wall.minute, wall.second);
}

std::string source_text(const client::Run& run) {
  // The name of a run that was started again ends in the id of the other one.
  constexpr std::string_view retry_mark = "-of-r-";
  const std::size_t tail = run.name.rfind('+');
  const std::size_t mark = tail == std::string::npos ? tail : run.name.find(retry_mark, tail);
  const bool is_for_rest = tail != std::string::npos && run.name.find("-failed-items-of-", tail) != std::string::npos;
  if (run.source == "trigger" && mark != std::string::npos)
    return fmt::format("retry of {}{}", is_for_rest ? "failed items of " : "",
                       printable(std::string_view{run.name}.substr(mark + retry_mark.size() - 2)));
  const auto* found =
      std::ranges::find(source_texts, run.source, &std::pair<std::string_view, std::string_view>::first);
  return found == source_texts.end() ? printable(run.source) : std::string{found->second};
}

std::string run_length(const client::Run& run, Instant now) {
  if (run.duration_ms) return length_text(run.duration_ms);
  if (!run.started_at || run.ended_at) return {};
  const auto running =
      std::chrono::duration_cast<std::chrono::milliseconds>(std::max(now - *run.started_at, Duration{0}));
  return length_text(running.count());
}

boost::json::value decision_and_run(const boost::json::value& answer) {
  const auto* object = answer.if_object();
  if (object == nullptr || !object->contains("run")) return answer;
  return boost::json::object{{"decision", object->at("decision")}, {"run", object->at("run")}};
}

std::string hold_text(const std::optional<client::RunWait>& wait, std::string_view name_space) {
  if (!wait) return {};
  const std::string queue = printable(wait->queue);
  if (wait->what == "no_worker") return fmt::format("no worker serves queue {}", queue);
  if (wait->what != "paused_queue") return {};
  const bool is_elsewhere = !queue.starts_with('@') && !name_space.empty() && name_space != "default";
  return fmt::format("queue {} is paused{} → carillon queue resume {}{}", queue,
                     wait->paused_by.empty() ? "" : " by " + printable(wait->paused_by), queue,
                     is_elsewhere ? " --namespace " + printable(name_space) : "");
}

std::string wait_text(const client::Run& run, const Zone& zone) {
  const auto& wait = run.waiting_for;
  if (!wait || has_ended(run)) return {};
  const std::string hold = hold_text(wait, run.name_space);
  if (run.state == "retrying")
    return fmt::format(
        "attempt {} failed{}; attempt {}{}{}", run.attempt,
        run.error.empty() ? "" : ": " + printable(first_line(run.error)), run.attempt + 1,
        wait->until ? " at " + clock_of(std::chrono::ceil<std::chrono::seconds>(*wait->until), zone) : "",
        hold.empty() ? "" : ", but " + hold);
  if (!hold.empty()) return hold;
  if (wait->what == "worker") return fmt::format("waits for a worker of queue {}", printable(wait->queue));
  return wait->what == "slot" ? "waits for another run, or a pause, to end" : std::string{};
}

std::string run_line(const client::Run& run, const Zone& zone, const Paint& paint, Instant now) {
  const Cell state = state_words(run.state);
  std::string text =
      fmt::format("{}  {}  {}", paint(state.colour, printable(state.text)), printable(run.id), printable(run.schedule));
  const std::string length = run_length(run, now);
  if (!length.empty()) text += fmt::format("  {} {}", run.ended_at ? "took" : "for", length);
  const std::string wait = wait_text(run, zone);
  if (!wait.empty())
    text += fmt::format(" · {}", wait);
  else if (!run.error.empty())
    text += fmt::format(" · {}", printable(run.error));
  return text + '\n';
}

}  // namespace carillon::cli
