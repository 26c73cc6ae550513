#include "base/quoted.hpp"
#include "cli/command_line/argument_values.hpp"
#include "cli/command_line/command_error.hpp"
#include "cli/command_line/flag_sets.hpp"
#include "cli/command_line/verbs.hpp"
#include "cli/connection/session.hpp"
#include "cli/display/record_output.hpp"
#include "cli/terminal/local_time.hpp"
#include "cli/terminal/table.hpp"

#include <boost/json/array.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>

namespace carillon::cli {

namespace {

namespace json = boost::json;

constexpr std::array zone_formats{Format::table, Format::json, Format::jsonl, Format::yaml, Format::csv};
constexpr std::array<std::string_view, 6> zone_members{"name",       "offset",     "abbreviation",
                                                       "nextChange", "nextOffset", "replacedBy"};

std::string lower(std::string_view text) {
  std::string out{text};
  std::ranges::transform(out, out.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return out;
}

/// Accepted names that have the pattern in them. Old names are left out unless the pattern or `--all` asks for them.
std::vector<std::string> matching_names(const ZoneNames& known, std::string_view pattern, bool wants_all) {
  const std::string wanted = lower(pattern);
  const bool has_old_names = wants_all || !pattern.empty();
  std::vector<std::string> names;
  for (const std::string& name : known.names) {
    if (!lower(name).contains(wanted) || !check_zone_name(name, known)) continue;
    if (has_old_names || known.renamed_to(name).empty()) names.push_back(name);
  }
  return names;
}

std::unexpected<Error> no_match(std::string_view pattern, const ZoneNames& known) {
  const auto advice = check_zone_name(pattern, known);
  std::string hint = advice || advice.error().hint.empty() ? "see all zones: carillon zones" : advice.error().hint;
  return std::unexpected(
      Error{.code = ErrorCode::not_found,
            .message = fmt::format("no time zone in tzdata {} matches {}", known.version, carillon::quoted(pattern)),
            .hint = std::move(hint),
            .rule = "unknown-zone",
            .position = {},
            .context = {}});
}

/// What a zone's clock shows now and what changes next.
struct ZoneState {
  std::string name;
  std::int64_t offset;
  std::string abbreviation;
  std::optional<UtcSecond> change;
  std::int64_t offset_then = 0;
  std::string abbreviation_then;
  std::string replaced_by;
};

ZoneState state_of(const Zone& zone, const ZoneNames& known, Instant now) {
  const UtcSecond second = to_utc_second(now);
  const Zone::Index index = zone.period_at(second);
  ZoneState state{.name = zone.name(),
                  .offset = zone.offset_at(second),
                  .abbreviation = std::string{zone.abbreviation_at(second)},
                  .change = {},
                  .abbreviation_then = {},
                  .replaced_by = std::string{known.renamed_to(zone.name())}};
  if (index + 1 == zone.period_count()) return state;
  state.change = zone.period(index).end;
  state.offset_then = zone.offset_at(*state.change);
  state.abbreviation_then = zone.abbreviation_at(*state.change);
  return state;
}

Result<std::vector<ZoneState>> states_of(const std::vector<std::string>& names, const ZoneNames& known,
                                         Session& session) {
  std::vector<ZoneState> states;
  for (const std::string& name : names) {
    states.push_back(state_of(*TRY(session.zones.zone(name)), known, session.now));
  }
  return states;
}

json::array records_of(const std::vector<ZoneState>& states) {
  json::array list;
  for (const ZoneState& state : states) {
    const bool changes = state.change.has_value();
    list.push_back(
        {{"name", state.name},
         {"offset", offset_text(state.offset)},
         {"abbreviation", state.abbreviation},
         {"nextChange", changes ? json::value(to_text(Instant{std::chrono::seconds{*state.change}})) : json::value{}},
         {"nextOffset", changes ? json::value(offset_text(state.offset_then)) : json::value{}},
         {"replacedBy", text_or_null(state.replaced_by)}});
  }
  return list;
}

/// `Sun  1 Nov 2026 02:00 → 01:00 EST`, on the clocks of the zone.
std::string change_text(const ZoneState& state) {
  if (!state.change) return "";
  const WallTime before = wall_time(*state.change + state.offset);
  const WallTime after = wall_time(*state.change + state.offset_then);
  return fmt::format("{} {} {} → {} {}", date_text(before), before.date.year, clock_text(before), clock_text(after),
                     state.abbreviation_then);
}

std::string table_of(const std::vector<ZoneState>& states, const Paint& paint) {
  Table table;
  table.add({{.text = "NAME"}, {.text = "OFFSET"}, {.text = "ABBR"}, {.text = "NEXT CHANGE"}});
  for (const ZoneState& state : states) {
    table.add({{.text = state.name},
               {.text = offset_text(state.offset)},
               {.text = state.abbreviation},
               {.text = change_text(state)},
               {.text = state.replaced_by.empty() ? "" : "old name of " + state.replaced_by, .colour = Colour::dim}});
  }
  return table.text(paint, "", "  ");
}

Result<ExitCode> zones_command(const Arguments& arguments, Session& session) {
  const Format format = TRY(output_format(arguments.value("output"), zone_formats));
  if (arguments.targets.size() > 1) {
    return std::unexpected(usage_error("give one pattern only", "for example: carillon zones berlin"));
  }
  const std::string pattern = arguments.targets.empty() ? "" : arguments.targets.front();
  const auto known = session.zones.names();
  const std::vector<std::string> names = matching_names(*known, pattern, arguments.has("all"));
  if (names.empty()) return no_match(pattern, *known);
  if (arguments.has("quiet")) {
    session.console.write(fmt::format("{}\n", fmt::join(names, "\n")));
    return ExitCode::ok;
  }
  const std::vector<ZoneState> states = TRY(states_of(names, *known, session));
  if (arguments.value("json")) {
    session.console.write(TRY(picked_text(records_of(states), *arguments.value("json"), zone_members, format)));
  } else if (format == Format::table) {
    session.print(table_of(states, session.paint));
  } else {
    session.console.write(records_text(records_of(states), zone_members, format));
  }
  return ExitCode::ok;
}

}  // namespace

const Verb zones_verb{
    .name = "zones",
    .targets = "[PATTERN]",
    .summary = "Lists time zones: offset now, abbreviation, next clock change. PATTERN is any part of a name.",
    .examples = {"carillon zones berlin", "carillon zones america/ -o json", "carillon zones -q"},
    .group = VerbGroup::time,
    .flags =
        [] {
          return joined({{{.names = "--all", .form = {}, .text = "include old names, such as US/Pacific"},
                          {.names = "-q,--quiet", .form = {}, .text = "print names only"}},
                         output_flags("table|json|jsonl|yaml|csv"),
                         fields_flag("JSON with only these fields, comma-separated: name, offset, abbreviation, "
                                     "nextChange, nextOffset, replacedBy")});
        },
    .perform = zones_command,
    .completes = Completes::zones,
};

}  // namespace carillon::cli
