#include "base/ids.hpp"
#include "base/quoted.hpp"
#include "definitions/action_document.hpp"
#include "definitions/members.hpp"
#include "definitions/workflow_id.hpp"

#include <boost/json/array.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <utility>

namespace carillon {
namespace {

namespace json = boost::json;

constexpr Duration workflow_timeout_min = std::chrono::seconds{1};
constexpr std::int64_t workflow_attempts_max = 1'000'000'000;
constexpr double workflow_factor_max = 1'000;

WorkflowRetry read_workflow_retry(const json::value& document, std::string pointer, Problems& problems) {
  WorkflowRetry retry;
  ObjectReader reader{document, std::move(pointer), problems};
  retry.attempt_count_max = integer_within(reader, "maxAttempts", 0, workflow_attempts_max).value_or(0);
  retry.initial = duration_within(reader, "initial", std::chrono::milliseconds{1});
  retry.factor = number_within(reader, "factor", 1, workflow_factor_max);
  retry.delay_max = duration_within(reader, "maxDelay", std::chrono::milliseconds{1});
  if (const json::array* types = list_within(reader, "nonRetryable", workflow_member_count_max)) {
    for (const json::value& type : *types)
      if (const json::string* text = type.if_string()) retry.non_retryable.emplace_back(*text);
    if (retry.non_retryable.size() != types->size())
      reader.problem("nonRetryable", "wrong-type", "nonRetryable is not a list of error types",
                     "write nonRetryable: [InvalidInput]");
  }
  reader.finish();
  return retry;
}

json::value write_workflow_retry(const std::optional<WorkflowRetry>& retry) {
  if (!retry) return nullptr;
  json::array types;
  for (const std::string& type : retry->non_retryable) types.emplace_back(type);
  return json::object{{"maxAttempts", retry->attempt_count_max},
                      {"initial", write_duration(retry->initial)},
                      {"factor", retry->factor ? write_number(*retry->factor) : json::value(nullptr)},
                      {"maxDelay", write_duration(retry->delay_max)},
                      {"nonRetryable", std::move(types)}};
}

std::string required_text(ObjectReader& reader, const json::value& document, std::string_view key, std::string message,
                          std::string hint) {
  auto text = text_within(reader, key, {.length_min = 1, .length_max = workflow_text_length_max});
  require(reader, document, key, std::move(message), std::move(hint));
  return text.value_or("");
}

void read_workflow_id(ObjectReader& reader, WorkflowAction& workflow) {
  workflow.id = text_within(reader, "id", {.length_max = workflow_text_length_max});
  if (!workflow.id) return;
  if (const auto name = unknown_id_name(*workflow.id))
    reader.problem("id", "unknown-template-name", fmt::format("unknown name {}", quoted(*name)),
                   fmt::format("use one of: {}", fmt::join(workflow_id_names, ", ")));
}

void read_input(ObjectReader& reader, WorkflowAction& workflow) {
  const auto input = json_within(reader, "input");
  if (!input) return;
  if (const json::array* arguments = input->if_array())
    // In memory of its own: a copy would use that of the document, which goes before.
    workflow.input.emplace(*arguments, json::storage_ptr{});
  else
    reader.problem("input", "wrong-type", "input is not the list of the workflow's arguments",
                   "write input: [{day: monday}]");
}

json::object read_values(ObjectReader& reader, std::string_view key) {
  const auto values = json_within(reader, key);
  if (!values) return {};
  const json::object* object = values->if_object();
  if (object != nullptr && object->size() <= workflow_member_count_max) return *object;
  reader.problem(key, "wrong-type",
                 fmt::format("{} is not an object of at most {} members", key, workflow_member_count_max),
                 fmt::format("write {}: {{Name: value}}", key));
  return {};
}

}  // namespace

WorkflowAction read_workflow(const json::value& document, std::string pointer, Problems& problems) {
  WorkflowAction workflow;
  ObjectReader reader{document, pointer, problems};
  workflow.type = required_text(reader, document, "type", "a workflow needs type", "write type: Report");
  workflow.task_queue =
      required_text(reader, document, "taskQueue", "a workflow needs taskQueue", "write taskQueue: reports");
  read_workflow_id(reader, workflow);
  read_input(reader, workflow);
  workflow.execution_timeout = duration_within(reader, "executionTimeout", workflow_timeout_min);
  workflow.run_timeout = duration_within(reader, "runTimeout", workflow_timeout_min);
  workflow.task_timeout = duration_within(reader, "taskTimeout", workflow_timeout_min);
  if (const json::value* retry = reader.member("retry"))
    workflow.retry = read_workflow_retry(*retry, reader.pointer("retry"), problems);
  workflow.memo = read_values(reader, "memo");
  workflow.search_attributes = read_values(reader, "searchAttributes");
  if (const auto index = reader.word("idReuse", workflow_id_reuse_words))
    workflow.id_reuse = static_cast<WorkflowIdReuse>(*index);
  if (const auto cluster = reader.text("cluster")) {
    if (!is_id_text(*cluster)) reader.problem("cluster", detail::bad_id("cluster", *cluster));
    workflow.cluster = *cluster;
  }
  workflow.message = text_within(reader, "message", {.length_max = workflow_message_length_max}).value_or("");
  reader.finish();
  return workflow;
}

json::object write(const WorkflowAction& action) {
  return {{"type", action.type},
          {"taskQueue", action.task_queue},
          {"id", write_text(action.id)},
          {"input", action.input ? json::value(*action.input) : json::value(nullptr)},
          {"executionTimeout", write_duration(action.execution_timeout)},
          {"runTimeout", write_duration(action.run_timeout)},
          {"taskTimeout", write_duration(action.task_timeout)},
          {"retry", write_workflow_retry(action.retry)},
          {"memo", action.memo},
          {"searchAttributes", action.search_attributes},
          {"idReuse", workflow_id_reuse_words[static_cast<std::size_t>(action.id_reuse)]},
          {"cluster", write_text(action.cluster)},
          {"message", action.message.empty() ? json::value(nullptr) : json::value(action.message)}};
}

}  // namespace carillon
