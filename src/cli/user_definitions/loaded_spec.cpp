#include "cli/user_definitions/loaded_spec.hpp"

#include "base/quoted.hpp"
#include "calendar/cron.hpp"
#include "calendar/spec_document.hpp"
#include "cli/command_line/argument_values.hpp"
#include "cli/command_line/command_error.hpp"
#include "cli/terminal/input_text.hpp"
#include "cli/terminal/printable.hpp"
#include "cli/user_definitions/parsed_schedule_file.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace carillon::cli {

namespace {

Result<LoadedSpec> make(Spec spec, ZonePtr zone, Instant creation, std::string seed) {
  Timetable timetable = TRY(Timetable::make(spec, zone, creation));
  return LoadedSpec{
      .spec = std::move(spec), .zone = std::move(zone), .timetable = std::move(timetable), .seed = std::move(seed)};
}

Result<LoadedSpec> load_expression(const std::string& expression, const Arguments& arguments, Session& session) {
  auto cron = parse_cron(expression);
  if (!cron) return std::unexpected(shown_in(std::move(cron).error(), expression));
  Spec spec;
  spec.crons = {expression};
  spec.timezone = arguments.value("tz").value_or("UTC");
  ZonePtr zone = TRY(zone_value("--tz", spec.timezone, session.zones));
  return make(std::move(spec), std::move(zone), session.now, "default-");
}

/// The ids of a file, the first few of them.
std::string list_of_ids(const std::vector<SpecPlace>& specs) {
  std::vector<std::string> ids;
  for (const SpecPlace& place : specs) {
    if (!place.id.empty() && ids.size() < 8) ids.push_back(printable(place.id, 40));
  }
  return fmt::format("{}", fmt::join(ids, ", "));
}

Result<SpecPlace> choose(const ScheduleFile& file, const std::optional<std::string>& id) {
  if (!id && file.specs.size() == 1) return file.specs.front();
  if (!id) {
    return std::unexpected(usage_error(fmt::format("{} has {} schedules", file.name, file.specs.size()),
                                       "choose one with --id: " + list_of_ids(file.specs)));
  }
  const auto found = std::ranges::find(file.specs, *id, &SpecPlace::id);
  if (found != file.specs.end()) return *found;
  Error error = usage_error(fmt::format("{} has no schedule {}", file.name, carillon::quoted(*id)),
                            "it has: " + list_of_ids(file.specs));
  error.code = ErrorCode::not_found;
  error.rule = "not-found";
  return std::unexpected(std::move(error));
}

Result<ZonePtr> zone_of(const ScheduleFile& file, const SpecPlace& place, const Spec& spec, ZoneSource& zones) {
  return while_doing(zones.zone(spec.timezone), "in {}", file.place(pointer_in_file(file, place, "/timezone")));
}

Result<LoadedSpec> load_file(const std::string& path, const Arguments& arguments, Session& session) {
  const ScheduleFile file = TRY(parse_schedule_file(path, TRY(read_text(path, session.console))));
  const SpecPlace place = TRY(choose(file, arguments.value("id")));
  const std::string default_zone = arguments.value("tz").value_or("UTC");
  TRY(zone_value("--tz", default_zone, session.zones));
  auto spec = read_spec_at(file, place, default_zone);
  if (!spec) return std::unexpected(to_error(file, spec.error()));
  ZonePtr zone = TRY(zone_of(file, place, *spec, session.zones));
  return make(*std::move(spec), std::move(zone), place.created_at.value_or(session.now), place.seed);
}

/// The pieces of an expression that the shell has taken apart.
Error torn_expression(const std::vector<std::string>& targets) {
  return usage_error(fmt::format("expected one expression, got {}", targets.size()), "put it in quotes: '0 9 * * 1-5'");
}

}  // namespace

Result<LoadedSpec> load_spec(const Arguments& arguments, Session& session) {
  const bool has_file = arguments.value("spec").has_value();
  if (has_file && !arguments.targets.empty()) {
    return std::unexpected(usage_error("give an expression or --spec, not both", "leave one out"));
  }
  if (has_file) return load_file(*arguments.value("spec"), arguments, session);
  if (arguments.value("id")) return std::unexpected(usage_error("--id needs --spec", "--spec schedules.yaml --id ID"));
  if (arguments.targets.empty()) {
    return std::unexpected(
        usage_error("no expression or schedule given", "give a cron expression in quotes, or --spec FILE"));
  }
  if (arguments.targets.size() > 1) return std::unexpected(torn_expression(arguments.targets));
  return load_expression(arguments.targets.front(), arguments, session);
}

std::vector<Finding> findings_of(const Spec& spec, const ZonePtr& zone, Session& session) {
  return lint(spec, zone, *session.zones.names(), session.now);
}

}  // namespace carillon::cli
