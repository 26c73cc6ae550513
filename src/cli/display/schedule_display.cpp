#include "cli/display/schedule_display.hpp"

#include "calendar/description/describe.hpp"
#include "calendar/spec_document.hpp"
#include "cli/terminal/formatting.hpp"
#include "cli/terminal/printable.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace carillon::cli {

bool only_waits(const JsonView& schedule) {
  const auto& runs = schedule.items("recentRuns");
  const auto waits = [](const auto& run) { return JsonView{run}["waitingFor"].is_there(); };
  const auto works = [](const auto& run) { return JsonView{run}.text("state") == "running"; };
  return schedule.number("running").value_or(0) > 0 && std::ranges::any_of(runs, waits) &&
         std::ranges::none_of(runs, works);
}

std::string hold_text(const JsonView& run) {
  const JsonView wait = run["waitingFor"];
  if (!wait.is_there() || wait.text("what") != "paused_queue") return {};
  const std::string queue = printable(wait.text("queue"));
  const std::string name_space = run.text("namespace");
  const bool is_elsewhere = !queue.starts_with('@') && !name_space.empty() && name_space != "default";
  return fmt::format("queue {} is paused → carillon queue resume {}{}", queue, queue,
                     is_elsewhere ? " --namespace " + printable(name_space) : "");
}

Cell schedule_sign(const JsonView& schedule) {
  const std::string status = schedule.text("status");
  if (status == "paused") return {.text = "‖", .colour = Colour::yellow};
  if (status == "dead") return {.text = "✗", .colour = Colour::red};
  if (status == "disabled" || status == "done") return {.text = "○", .colour = Colour::dim};
  if (only_waits(schedule)) return {.text = "⧗", .colour = Colour::yellow};
  if (schedule.number("running").value_or(0) > 0) return {.text = "▶", .colour = Colour::green};
  return {.text = "●", .colour = schedule.text("activity") == "error" ? Colour::red : Colour::green};
}

ZonePtr zone_of(const JsonView& schedule, Session& session) {
  auto zone = session.zones.zone(schedule["spec"].text("timezone"));
  if (!zone) zone = session.zones.zone("UTC");
  return *zone;
}

std::string when_text(const JsonView& schedule, Session& session) {
  const JsonView document = schedule["spec"];
  if (!document.is_there()) return {};
  if (const auto spec = read_spec(*document.value(), "UTC", ""); spec) {
    const auto sentence = describe(*spec, *zone_of(schedule, session), session.now);
    if (sentence) return *sentence;
  }
  const auto& crons = document.items("cron");
  return crons.empty() ? std::string{} : JsonView{crons.front()}.text();
}

Cell recent_cell(const JsonView& schedule, const Paint& paint) {
  Cell cell;
  const auto& runs = schedule.items("recentRuns");
  // Words of ASCII need blanks to be told apart.
  const std::string_view gap = paint.has_utf8() ? "" : " ";
  for (auto run = runs.rbegin(); run != runs.rend(); ++run) {
    const Cell sign = state_sign(JsonView{*run}.text("state"));
    if (!cell.text.empty()) {
      cell.text += gap;
      cell.painted += gap;
    }
    cell.text += sign.text;
    cell.painted += paint(sign.colour, sign.text);
  }
  return cell;
}

std::string recent_signs(const JsonView& schedule, const Paint& paint) { return recent_cell(schedule, paint).painted; }

}  // namespace carillon::cli
