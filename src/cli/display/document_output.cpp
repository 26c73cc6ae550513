#include "cli/display/document_output.hpp"

#include "base/quoted.hpp"
#include "cli/command_line/argument_values.hpp"
#include "cli/command_line/command_error.hpp"
#include "cli/display/record_output.hpp"
#include "cli/terminal/printable.hpp"
#include "document/document.hpp"
#include "document/reader.hpp"

#include <boost/json/object.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

namespace carillon::cli {

namespace {

namespace json = boost::json;

constexpr std::size_t limit_default = 50;
constexpr std::array every_list_format{Format::table, Format::wide, Format::json,
                                       Format::jsonl, Format::yaml, Format::csv};
constexpr std::array every_document_format{Format::table, Format::json, Format::yaml};

/// The members that any of them has, in the order they come in: a list may hold documents of several kinds.
std::vector<std::string_view> members_of(const json::array& documents) {
  std::vector<std::string_view> members;
  for (const json::value& document : documents) {
    const auto* object = document.if_object();
    if (object == nullptr) continue;
    for (const auto& member : *object) {
      const std::string_view key = member.key();
      if (std::ranges::find(members, key) == members.end()) members.push_back(key);
    }
  }
  return members;
}

/// The text of a member; empty when there is none.
std::string text_member(const json::value& document, std::string_view key) {
  const auto* object = document.if_object();
  const auto* member = object != nullptr ? object->if_contains(key) : nullptr;
  return member != nullptr && member->is_string() ? std::string{member->get_string()} : std::string{};
}

/// The documents with all of these members, null where one has none.
json::array with_members(const json::array& documents, const std::vector<std::string_view>& members) {
  json::array all;
  for (const json::value& document : documents) {
    json::object object;
    for (const std::string_view member : members) {
      const auto* whole = document.if_object();
      const auto* value = whole != nullptr ? whole->if_contains(member) : nullptr;
      object.emplace(member, value != nullptr ? *value : json::value{});
    }
    all.push_back(std::move(object));
  }
  return all;
}

}  // namespace

Result<bool> print_documents(const Arguments& arguments, Session& session, const json::array& documents,
                             std::string_view name_key) {
  const Format format = TRY(output_format(arguments.value("output"), every_list_format));
  if (arguments.knows("quiet") && arguments.has("quiet")) {
    std::string names;
    for (const json::value& document : documents) names += text_member(document, name_key) + '\n';
    session.console.write(printable_lines(names));
    return true;
  }
  const auto members = members_of(documents);
  if (arguments.knows("json") && arguments.has("json")) {
    session.console.write(members.empty() ? records_text({}, {}, format == Format::jsonl ? format : Format::json)
                                          : TRY(picked_text(with_members(documents, members), *arguments.value("json"),
                                                            members, format)));
    return true;
  }
  if (format == Format::table || format == Format::wide) return false;
  session.console.write(records_text(documents, members, format));
  return true;
}

Result<bool> wants_table(const Arguments& arguments) {
  const Format format = TRY(output_format(arguments.value("output"), every_list_format));
  const bool is_for_programs =
      (arguments.knows("quiet") && arguments.has("quiet")) || (arguments.knows("json") && arguments.has("json"));
  return !is_for_programs && (format == Format::table || format == Format::wide);
}

Result<bool> print_document(const Arguments& arguments, Session& session, const json::value& document) {
  const Format format = TRY(output_format(arguments.value("output"), every_document_format));
  if (format == Format::table) return false;
  session.console.write(format == Format::yaml ? to_yaml(document) : pretty_json(document));
  return true;
}

Result<std::size_t> limit_of(const Arguments& arguments, const Session& session) {
  if (const auto text = arguments.value("limit")) return count_value("--limit", *text, list_count_max);
  const bool is_for_people = TRY(wants_table(arguments)) && session.console.is_terminal(Stream::output);
  return is_for_people ? limit_default : list_count_max;
}

void note_left_out(const Arguments& arguments, Session& session, const ListExtent& extent) {
  // Whoever names a limit knows that there may be more.
  if (!extent.has_more || arguments.value("limit")) return;
  const std::size_t total = extent.total.value_or(0);
  session.console.write_error(
      total > extent.shown
          ? fmt::format("{} more {} are not shown; show all: --limit {}\n", total - extent.shown, extent.what, total)
          : fmt::format("there are more {} than these {}; show more: --limit {}\n", extent.what, extent.shown,
                        10 * extent.shown));
}

}  // namespace carillon::cli
