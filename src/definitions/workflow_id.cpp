#include "definitions/workflow_id.hpp"

#include <algorithm>
#include <chrono>

namespace carillon {
namespace {

std::string_view without_blanks(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

std::string second_text(Instant nominal) { return to_text(Instant{std::chrono::floor<std::chrono::seconds>(nominal)}); }

std::string value_of(std::string_view name, const WorkflowIdParts& parts) {
  if (name == "nominalTime") return second_text(parts.nominal);
  if (name == "runId") return std::string{parts.run_id};
  if (name == "scheduleId") return std::string{parts.schedule_id};
  return std::string{to_text(parts.source)};
}

/// Calls `name` for what stands in double braces and `text` for what stands around them.
template <typename Text, typename Name>
void split_template(std::string_view whole, const Text& text, const Name& name) {
  while (true) {
    const std::size_t open = whole.find("{{");
    const std::size_t close = open == whole.npos ? whole.npos : whole.find("}}", open + 2);
    if (close == whole.npos) return text(whole);
    text(whole.substr(0, open));
    name(without_blanks(whole.substr(open + 2, close - open - 2)));
    whole.remove_prefix(close + 2);
  }
}

}  // namespace

std::optional<std::string_view> unknown_id_name(std::string_view text) {
  std::optional<std::string_view> unknown;
  split_template(
      text, [](std::string_view) {},
      [&](std::string_view name) {
        if (!unknown && std::ranges::find(workflow_id_names, name) == workflow_id_names.end()) unknown = name;
      });
  return unknown;
}

std::string workflow_id_of(const WorkflowAction& action, const WorkflowIdParts& parts) {
  const std::string base = action.id.value_or(std::string{parts.schedule_id});
  if (!base.contains("{{")) {
    const bool has_run_id = parts.source == Source::trigger && !parts.run_id.empty();
    return base + "-" + second_text(parts.nominal) + (has_run_id ? "-" + std::string{parts.run_id} : "");
  }
  std::string id;
  split_template(
      base, [&](std::string_view text) { id += text; }, [&](std::string_view name) { id += value_of(name, parts); });
  return id;
}

}  // namespace carillon
