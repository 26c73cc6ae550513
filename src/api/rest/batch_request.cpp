#include "api/rest/batch_request.hpp"

#include "api/rest/call.hpp"
#include "base/quoted.hpp"
#include "definitions/words.hpp"
#include "service/schedule_search.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <utility>

namespace carillon::rest {
namespace {

namespace json = boost::json;

constexpr std::array<std::string_view, 9> operation_words{"delete", "pause",   "resume", "enable", "disable",
                                                          "reset",  "trigger", "cancel", "patch"};
constexpr std::array<OperationId, 9> operation_ids{
    OperationId::delete_schedule,  OperationId::pause_schedule,   OperationId::resume_schedule,
    OperationId::enable_schedule,  OperationId::disable_schedule, OperationId::reset_schedule,
    OperationId::trigger_schedule, OperationId::cancel_schedule,  OperationId::patch_schedule};
constexpr std::array<std::string_view, 5> action_kinds{"command", "http", "job", "pipeline", "workflow"};

void note(Problems& problems, std::string pointer, std::string_view code, std::string message, std::string hint = {}) {
  problems.push_back({.pointer = std::move(pointer),
                      .code = code,
                      .message = std::move(message),
                      .hint = std::move(hint),
                      .position = {}});
}

std::vector<std::string> ids_of(ObjectReader& reader, std::string_view key, Problems& problems) {
  std::vector<std::string> ids;
  const json::value* list = reader.member(key);
  if (list == nullptr) return ids;
  if (!list->is_array() || list->get_array().size() > batch_count_max) {
    reader.problem(key, "wrong-type", fmt::format("{} must be a list of at most {} ids", key, batch_count_max));
    return ids;
  }
  std::size_t i = 0;
  for (const json::value& id : list->get_array()) {
    const std::string pointer = fmt::format("{}/{}", reader.pointer(key), i++);
    if (problems.size() >= unknown_key_count_max) break;
    if (!id.is_string()) {
      note(problems, pointer, "wrong-type", "an id must be text");
    } else if (const auto known = ScheduleId::parse(id.get_string()); !known) {
      problems.push_back(to_problem(pointer, known.error()));
    } else {
      ids.emplace_back(id.get_string());
    }
  }
  return ids;
}

void read_labels(ObjectReader& filter, ScheduleFilter& out, Problems& problems) {
  const json::value* labels = filter.member("labels");
  if (labels == nullptr) return;
  if (!labels->is_object() || labels->get_object().empty())
    return filter.problem("labels", "wrong-type", "labels must be an object with at least one label",
                          R"(write {"team": "data"})");
  for (const auto& [key, value] : labels->get_object()) {
    const std::string pointer = fmt::format("{}/{}", filter.pointer("labels"), std::string_view{key});
    if (!is_id_text(key)) problems.push_back(to_problem(pointer, detail::bad_id("label", key)));
    if (!value.is_string())
      note(problems, pointer, "wrong-type", "the value of a label must be text", "put it in quotes");
    if (value.is_string()) out.labels.push_back({.key = std::string{key}, .value = std::string{value.get_string()}});
  }
}

ScheduleFilter search_of(std::string_view text, Instant now, Problems& problems) {
  ScheduleFilter filter;
  if (const auto added = add_search(text, now, filter); !added) {
    problems.insert(problems.end(), added.error().errors.begin(), added.error().errors.end());
  } else if (!has_conditions(filter)) {
    note(problems, "/filter", "missing", "a filter that matches everything is refused",
         R"(name a state, a label or a text, or write "all": true in place of the filter)");
  }
  return filter;
}

ScheduleFilter filter_of(const json::value& document, Problems& problems) {
  ScheduleFilter filter;
  const std::size_t problems_before = problems.size();
  refuse_nulls(document, "/filter", problems);
  ObjectReader reader{document, "/filter", problems};
  if (const auto name_space = reader.text("namespace")) filter.name_space = std::string{*name_space};
  if (const auto status = reader.word("status", words_of<ScheduleStatus>()))
    filter.statuses.push_back(static_cast<ScheduleStatus>(*status));
  if (const auto text = reader.text("q")) filter.text = *text;
  if (const auto action = reader.word("action", action_kinds)) filter.action = action_kinds[*action];
  filter.next_before = reader.instant("nextBefore");
  read_labels(reader, filter, problems);
  reader.finish();
  if (!has_conditions(filter) && problems.size() == problems_before)
    note(problems, "/filter", "missing", "a filter that matches everything is refused",
         R"(name labels, status, action, q or nextBefore, or write "all": true in place of the filter)");
  return filter;
}

/// The namespace may stand in the address or in the filter; in both it must be the same.
void settle_namespace(ScheduleFilter& filter, const std::optional<std::string>& address, Problems& problems) {
  if (!address) return;
  if (filter.name_space && *filter.name_space != *address)
    note(problems, "/filter/namespace", "conflict", "the namespace differs from the one in the address",
         "leave it out, or write " + quoted(*address));
  filter.name_space = *address;
}

void check_target(ObjectReader& reader, bool has_ids, bool has_filter, std::optional<bool> all, Problems& problems) {
  if (all == false) reader.problem("all", "wrong-type", "all can only be true", "leave it out");
  const int count = (has_ids ? 1 : 0) + (has_filter ? 1 : 0) + (all ? 1 : 0);
  if (count != 1)
    note(problems, "", count == 0 ? "missing" : "conflict", "it is not clear which schedules are meant",
         R"(write one of ids, filter and "all": true)");
}

}  // namespace

Served<ScheduleBatch> read_batch(const json::value& body, const std::optional<std::string>& name_space, Instant now) {
  Problems problems;
  ScheduleBatch batch{.name_space = name_space};
  refuse_nulls(body, "", problems);
  ObjectReader reader{body, "", problems};
  const auto operation = reader.word("operation", operation_words);
  if (operation) batch.operation = operation_ids[*operation];
  if (!operation && problems.empty())
    reader.problem("operation", "missing", "operation is missing",
                   fmt::format("one of {}", fmt::join(operation_words, ", ")));
  const json::value* filter = reader.member("filter");
  const auto all = reader.boolean("all");
  const bool has_ids = reader.member("ids") != nullptr;
  batch.ids = ids_of(reader, "ids", problems);
  batch.is_preview = reader.boolean("preview").value_or(false);
  if (const auto token = reader.text("token")) batch.token = std::string{*token};
  const json::value* patch = reader.member("patch");
  const bool is_patch = batch.operation == OperationId::patch_schedule && operation;
  if (patch != nullptr) batch.patch = *patch;
  if (operation && is_patch != (patch != nullptr))
    reader.problem("patch", is_patch ? "missing" : "conflict",
                   is_patch ? "patch is missing" : "patch belongs to the operation patch",
                   R"(write {"operation": "patch", "patch": {"spec": {"jitter": "10m"}}})");
  reader.finish();
  if (problems.empty()) check_target(reader, has_ids, filter != nullptr, all, problems);
  if (filter != nullptr)
    batch.filter = filter->is_string() ? search_of(filter->get_string(), now, problems) : filter_of(*filter, problems);
  if (all) batch.filter = ScheduleFilter{};
  if (batch.filter) settle_namespace(*batch.filter, name_space, problems);
  if (!problems.empty()) return std::unexpected(Refusal{std::move(problems)});
  return batch;
}

std::string_view batch_word(OperationId operation) {
  const auto found = std::ranges::find(operation_ids, operation);
  return found == operation_ids.end() ? std::string_view{}
                                      : operation_words.at(static_cast<std::size_t>(found - operation_ids.begin()));
}

Served<std::vector<std::string>> read_ids(const json::value& body) {
  Problems problems;
  std::vector<std::string> ids;
  std::size_t count = 0;
  refuse_nulls(body, "", problems);
  ObjectReader reader{body, "", problems};
  for (const std::string_view key : {"ids", "scheduleIds", "schedule_ids"}) {
    if (reader.member(key) == nullptr) continue;
    ++count;
    ids = ids_of(reader, key, problems);
  }
  reader.finish();
  if (count == 0 && problems.empty()) reader.problem("ids", "missing", "ids is missing");
  if (count > 1) note(problems, "", "conflict", "ids, scheduleIds and schedule_ids mean the same", "use one of them");
  if (!problems.empty()) return std::unexpected(Refusal{std::move(problems)});
  return ids;
}

}  // namespace carillon::rest
