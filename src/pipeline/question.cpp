#include "pipeline/question.hpp"

#include "base/utf8.hpp"
#include "pipeline/javascript.hpp"
#include "pipeline/prompt_template.hpp"

#include <boost/json/array.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

namespace carillon::pipeline {
namespace {

namespace json = boost::json;

/// Of an answer that is shown to the provider that gave it.
constexpr std::size_t quoted_answer_size_max = 4'000;

/// The template of a step: its prompt, below the guidance of its skill.
std::string full_template(const Asking& asking, const AskingTexts& texts) {
  if (texts.skill.empty() || !asking.skill) return texts.prompt;
  return fmt::format("[Skill Guidance: {}]\n{}\n\n[Task]\n{}", *asking.skill, texts.skill, texts.prompt);
}

std::optional<std::string> field_text(const Item& item, std::string_view name) {
  const json::value* value = item.if_contains(name);
  return value == nullptr ? std::nullopt : std::optional{prompt_text(*value)};
}

Lookup fields_of(const Item& item) {
  return [&item](std::string_view name) { return field_text(item, name); };
}

std::string with_wanted_fields(std::string prompt, const std::vector<std::string>& fields) {
  if (fields.empty()) return prompt;
  return prompt + fmt::format("\n\nReturn JSON with these fields: {}", fmt::join(fields, ", "));
}

std::string list_of(std::span<const Item> items) {
  json::array list;
  for (const Item& item : items) list.push_back(item);
  return indented(list);
}

/// The names that a text needs and nobody provides by himself.
std::vector<std::string> needed_names(std::string_view text) {
  std::vector<std::string> names = placeholders(text);
  std::erase_if(names, [](const std::string& name) { return is_special(name); });
  return names;
}

std::string model_for(const Asking& asking, const Item& item) {
  return fill(asking.model, fields_of(item), Unknown::becomes_empty);
}

/// Where the front matter of a file ends: after the second line `---`.
std::size_t front_matter_end(std::string_view text) {
  const bool begins = text.starts_with("---\n") || text.starts_with("---\r\n");
  if (!begins) return 0;
  std::size_t line = text.find('\n') + 1;
  while (true) {
    const std::size_t end = text.find('\n', line);
    if (end == std::string_view::npos) return 0;
    line = end + 1;
    if (!text.substr(line).starts_with("---")) continue;
    std::string_view rest = text.substr(line + 3);
    if (rest.starts_with("\r\n")) return line + 5;
    return line + (rest.starts_with('\n') ? 4 : 3);
  }
}

}  // namespace

Result<std::string> prompt_of_file(std::string_view text) {
  if (text.starts_with("\ufeff")) text.remove_prefix(3);
  std::string prompt{trimmed(text.substr(front_matter_end(text)))};
  if (prompt.empty()) return fail(ErrorCode::invalid_argument, "Prompt file is empty after stripping frontmatter");
  return prompt;
}

Item with_parameters(const Item& item, std::span<const Parameter> parameters) {
  if (parameters.empty()) return item;
  Item whole;
  for (const Parameter& parameter : parameters) whole[parameter.name] = parameter.value;
  for (const auto& field : item) whole[field.key()] = field.value();
  return whole;
}

bool needs_all_items(const MapReduce& work, const AskingTexts& texts) {
  if (work.map.batch_size > 1) return false;
  const std::string whole = full_template(work.map.asking, texts);
  return whole.find("{{ITEMS}}") != std::string::npos || work.map.asking.model.find("{{ITEMS}}") != std::string::npos;
}

Result<> check_first_item(const Map& map, const AskingTexts& texts, const Item& first) {
  std::vector<std::string> missing = needed_names(full_template(map.asking, texts));
  std::erase_if(missing, [&](const std::string& name) { return first.contains(name); });
  if (missing.empty()) return {};
  return fail(ErrorCode::invalid_argument, "Items missing required fields: {}", fmt::join(missing, ", "));
}

Question ask_about(const Map& map, const AskingTexts& texts, const Item& item, std::span<const Item> all) {
  const Lookup lookup = [&](std::string_view name) -> std::optional<std::string> {
    if (name == "ITEMS") return list_of(all);
    return field_text(item, name);
  };
  return {.prompt = with_wanted_fields(fill(full_template(map.asking, texts), lookup, Unknown::becomes_empty),
                                       map.asking.output),
          .model = fill(map.asking.model, lookup, Unknown::becomes_empty),
          .fields = map.asking.output,
          .is_batch = false};
}

Question ask_about_batch(const Map& map, const AskingTexts& texts, std::span<const Item> batch) {
  const Lookup lookup = [&](std::string_view name) -> std::optional<std::string> {
    if (name == "ITEMS") return list_of(batch);
    if (is_special(name) || batch.empty()) return std::nullopt;
    return field_text(batch.front(), name);
  };
  std::string prompt = fill(full_template(map.asking, texts), lookup, Unknown::stays);
  if (!map.asking.output.empty())
    prompt += fmt::format(
        "\n\nReturn a JSON array with {} objects, one for each input item. Each object must have these fields: {}",
        batch.size(), fmt::join(map.asking.output, ", "));
  return {.prompt = std::move(prompt),
          .model = batch.empty() ? map.asking.model : model_for(map.asking, batch.front()),
          .fields = map.asking.output,
          .is_batch = !map.asking.output.empty()};
}

Question ask_filter(const AiFilter& filter, const AskingTexts& texts, const Item& item) {
  const Lookup lookup = [&](std::string_view name) -> std::optional<std::string> {
    if (is_special(name)) return fmt::format("{{{{{}}}}}", name);
    return field_text(item, name);
  };
  return {.prompt = fill(full_template(filter.asking, texts), lookup, Unknown::becomes_empty),
          .model = model_for(filter.asking, item),
          .fields = filter.asking.output,
          .is_batch = false};
}

Question ask_reduce(const Reduce& reduce, const AskingTexts& texts, std::string_view results,
                    std::string_view results_file, const Counts& counts, std::span<const Parameter> parameters) {
  const Asking& asking = *reduce.asking;
  const Lookup lookup = [&](std::string_view name) -> std::optional<std::string> {
    if (name == "RESULTS") return std::string{results};
    if (name == "RESULTS_FILE") return std::string{results_file.empty() ? results : results_file};
    if (name == "COUNT") return std::to_string(counts.total);
    if (name == "SUCCESS_COUNT") return std::to_string(counts.succeeded);
    if (name == "FAILURE_COUNT") return std::to_string(counts.failed());
    const auto parameter = std::ranges::find(parameters, name, &Parameter::name);
    return parameter == parameters.end() ? std::nullopt : std::optional{prompt_text(parameter->value)};
  };
  return {.prompt = with_wanted_fields(fill(full_template(asking, texts), lookup, Unknown::stays), asking.output),
          .model = asking.model,
          .fields = asking.output,
          .is_batch = false};
}

Result<Question> ask_job(const Job& job, const AskingTexts& texts) {
  const std::string whole = full_template(job.asking, texts);
  Item values;
  for (const Parameter& parameter : job.parameters) values[parameter.name] = parameter.value;
  std::vector<std::string> missing = needed_names(whole);
  std::erase_if(missing, [&](const std::string& name) { return values.contains(name); });
  if (!missing.empty())
    return fail(ErrorCode::invalid_argument, "Job prompt has missing required variables: {}", fmt::join(missing, ", "));
  // Without parameters there is nothing to fill in, and what looks like a placeholder is text.
  return Question{.prompt = values.empty() ? whole : fill(whole, fields_of(values), Unknown::becomes_empty),
                  .model = job.asking.model,
                  .fields = job.asking.output,
                  .is_batch = false};
}

Question ask_for_items(const GeneratedSource& source) {
  json::object example;
  for (const std::string& field : source.schema) example[field] = "...";
  return {.prompt = fmt::format("{}\n\nReturn a JSON array where each object has these fields: {}\n\nExample "
                                "format:\n[\n  {},\n  ...\n]\n\nIMPORTANT: Return ONLY the JSON array, no additional "
                                "text or explanation.",
                                source.prompt, fmt::join(source.schema, ", "), indented(example)),
          .model = source.model,
          .fields = source.schema,
          .is_batch = true};
}

Question ask_to_correct(Question question, std::string_view answer, std::string_view error) {
  question.prompt += fmt::format(
      "\n\nYour answer was:\n{}\n\nIt cannot be used: {}\nAnswer again, with the JSON alone and nothing before or "
      "after "
      "it.",
      shortened(std::string{answer}, quoted_answer_size_max), error);
  return question;
}

std::size_t estimated_tokens(std::string_view text) {
  // English has about four characters to a token.
  return (text.size() + 3) / 4;
}

}  // namespace carillon::pipeline
