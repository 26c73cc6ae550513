#include "api/rest/filter_parameters.hpp"

#include "base/quoted.hpp"
#include "service/schedule_search.hpp"

#include <algorithm>
#include <array>

namespace carillon::rest {
namespace {

std::vector<LabelFilter> labels_in(Parameters& parameters) {
  std::vector<LabelFilter> labels;
  for (const std::string& label : parameters.texts("label")) {
    const std::size_t split = label.find_first_of("=:");
    LabelFilter filter{.key = label.substr(0, split)};
    // `team=` has always meant any value.
    if (split != std::string::npos && split + 1 < label.size()) filter.value = label.substr(split + 1);
    labels.push_back(std::move(filter));
  }
  return labels;
}

}  // namespace

Served<ScheduleFilter> filter_in(Call& call) {
  Parameters& parameters = call.parameters;
  ScheduleFilter filter{.name_space = parameters.text("namespace"),
                        .statuses = parameters.words<ScheduleStatus>("status"),
                        .labels = labels_in(parameters),
                        .action = parameters.text("action").value_or(""),
                        .text = parameters.text("q").value_or(""),
                        .next_before = parameters.instant("nextBefore"),
                        .workflow = parameters.text("workflowId").value_or("")};
  static constexpr std::array<std::string_view, 5> kinds{"command", "http", "job", "pipeline", "workflow"};
  if (!filter.action.empty() && std::ranges::find(kinds, filter.action) == kinds.end())
    parameters.fault("action", fmt::format("unknown action {}", quoted(filter.action)),
                     "one of command, http, job, pipeline, workflow");
  if (const auto search = parameters.text("filter")) TRY(add_search(*search, call.application.clock().now(), filter));
  return filter;
}

}  // namespace carillon::rest
