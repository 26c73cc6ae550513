#include "base/duration_text.hpp"
#include "cli/display/schedule_display.hpp"
#include "cli/terminal/formatting.hpp"
#include "cli/terminal/printable.hpp"
#include "cli/terminal/table.hpp"
#include "cli/user_definitions/definition_change.hpp"

#include <boost/json/serialize.hpp>
#include <fmt/format.h>

#include <algorithm>

namespace carillon::cli {

namespace {

namespace json = boost::json;

constexpr std::size_t shown_start_count_max = 10;

std::string value_text(const json::value& value) {
  if (value.is_null()) return "none";
  return printable(json::serialize(value), 200);
}

std::string member_lines(const std::vector<MemberChange>& changes, const Paint& paint) {
  Table table;
  for (const MemberChange& change : changes)
    table.add({{.text = printable(change.path)},
               {.text = value_text(change.before), .colour = Colour::red},
               {.text = "→"},
               {.text = value_text(change.after), .colour = Colour::green}});
  return table.text(paint, "  ", " ");
}

std::vector<Cell> start_row(const StartChange& start, const Zone& zone, Instant now) {
  const auto text = [&](const std::optional<Instant>& at) { return at ? time_text(*at, zone, now) : std::string{}; };
  if (!start.before) return {{.text = "+", .colour = Colour::green}, {.text = text(start.after)}};
  if (!start.after) return {{.text = "-", .colour = Colour::red}, {.text = text(start.before)}};
  return {{.text = "~", .colour = Colour::yellow},
          {.text = text(start.before)},
          {.text = "→"},
          {.text = text(start.after)}};
}

std::string start_counts(const std::vector<StartChange>& starts) {
  const auto count = [&](auto is_meant) { return std::ranges::count_if(starts, is_meant); };
  std::string text;
  const auto add = [&](std::ptrdiff_t number, std::string_view word) {
    if (number > 0) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", number, word);
  };
  add(count([](const StartChange& start) { return start.before && start.after; }), "moved");
  add(count([](const StartChange& start) { return start.after && !start.before; }), "more");
  add(count([](const StartChange& start) { return start.before && !start.after; }), "fewer");
  return text;
}

std::string start_lines(const StartChanges& changes, Duration window, Session& session) {
  if (changes.starts.empty()) return {};
  std::string text = fmt::format("  starts of the next {} ({}): {}{}\n", to_text(window), changes.zone->name(),
                                 start_counts(changes.starts), changes.is_cut ? ", and later ones" : "");
  Table table;
  for (std::size_t i = 0; i < std::min(changes.starts.size(), shown_start_count_max); ++i)
    table.add(start_row(changes.starts[i], *changes.zone, session.now));
  text += table.text(session.paint, "    ", " ");
  if (changes.starts.size() > shown_start_count_max)
    text += fmt::format("    … and {} more\n", changes.starts.size() - shown_start_count_max);
  return text;
}

json::value instant_value(const std::optional<Instant>& instant) {
  return instant ? json::value(to_text(*instant)) : json::value{};
}

std::string_view change_word(DefinitionChange::Kind kind) {
  switch (kind) {
    case DefinitionChange::Kind::created: return "new";
    case DefinitionChange::Kind::updated: return "changed";
    case DefinitionChange::Kind::unchanged: return "equal";
  }
  std::unreachable();
}

}  // namespace

std::string change_text(const DefinitionChange& change, Duration window, Session& session) {
  if (change.kind == DefinitionChange::Kind::unchanged) return {};
  const std::string starts = start_lines(start_changes(change, window, session), window, session);
  if (change.before)
    return member_lines(member_changes(change.before->document, change.after.document), session.paint) + starts;
  return fmt::format("  {}\n{}", printable(when_text(change.after.value, session)), starts);
}

json::object change_record(const DefinitionChange& change, Duration window, Session& session) {
  json::array members;
  if (change.before) {
    for (MemberChange& member : member_changes(change.before->document, change.after.document))
      members.push_back(json::object{
          {"path", member.path}, {"before", std::move(member.before)}, {"after", std::move(member.after)}});
  }
  json::array starts;
  for (const StartChange& start : start_changes(change, window, session).starts)
    starts.push_back(json::object{{"before", instant_value(start.before)}, {"after", instant_value(start.after)}});
  return {{"id", change.id},
          {"namespace", change.name_space},
          {"change", change_word(change.kind)},
          {"members", std::move(members)},
          {"starts", std::move(starts)}};
}

}  // namespace carillon::cli
