#include "cli/display/schedule_display.hpp"

#include "calendar/description/describe.hpp"
#include "calendar/spec_document.hpp"
#include "cli/terminal/formatting.hpp"
#include "cli/terminal/printable.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace carillon::cli {

namespace {

bool is_waiting(std::string_view state) { return state == "waiting" || state == "queued" || state == "retrying"; }

/// Whether some of these wait and none is at work.
template <typename Runs>
bool all_wait(const Runs& runs) {
  const auto waits = [](const auto& run) { return run.waiting_for || is_waiting(run.state); };
  const auto works = [](const auto& run) { return run.state == "running"; };
  return std::ranges::any_of(runs, waits) && std::ranges::none_of(runs, works);
}

}  // namespace

bool only_waits(const client::Schedule& schedule) {
  return schedule.running > 0 && (schedule.recent.empty() ? all_wait(schedule.recent_runs) : all_wait(schedule.recent));
}

Cell schedule_sign(const client::Schedule& schedule) {
  if (schedule.status == "paused") return {.text = "‖", .colour = Colour::yellow};
  if (schedule.status == "dead") return {.text = "✗", .colour = Colour::red};
  if (schedule.status == "disabled" || schedule.status == "done") return {.text = "○", .colour = Colour::dim};
  if (only_waits(schedule)) return {.text = "⧗", .colour = Colour::yellow};
  if (schedule.running > 0) return {.text = "▶", .colour = Colour::green};
  return {.text = "●", .colour = schedule.activity == "error" ? Colour::red : Colour::green};
}

ZonePtr zone_of(const client::Schedule& schedule, Session& session) {
  auto zone = session.zones.zone(schedule.spec.timezone);
  if (!zone) zone = session.zones.zone("UTC");
  return *zone;
}

std::string name_text(const client::Schedule& schedule) {
  if (schedule.name.empty() || schedule.name == schedule.id) return printable(schedule.id);
  return fmt::format("{} ({})", printable(schedule.name), printable(schedule.id));
}

std::string when_text(const client::Schedule& schedule, Session& session) {
  if (const auto spec = read_spec(schedule.spec.document, "UTC", ""); spec) {
    const auto sentence = describe(*spec, *zone_of(schedule, session), session.now);
    if (sentence) return *sentence;
  }
  return schedule.spec.cron.empty() ? std::string{} : schedule.spec.cron.front();
}

Cell recent_cell(const client::Schedule& schedule, const Paint& paint) {
  Cell cell;
  // Words of ASCII need blanks to be told apart.
  const std::string_view gap = paint.has_utf8() ? "" : " ";
  for (auto run = schedule.recent.rbegin(); run != schedule.recent.rend(); ++run) {
    const Cell sign = state_sign(run->state);
    if (!cell.text.empty()) {
      cell.text += gap;
      cell.painted += gap;
    }
    cell.text += sign.text;
    cell.painted += paint(sign.colour, sign.text);
  }
  return cell;
}

}  // namespace carillon::cli
