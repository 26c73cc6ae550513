#pragma once

#include "base/error.hpp"
#include "pipeline/pipeline.hpp"
#include "pipeline/result.hpp"

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace carillon::pipeline {

/// What a provider is asked.
struct Question {
  std::string prompt;
  std::string model;                // empty: the provider's own
  std::vector<std::string> fields;  // asked for in the prompt; for providers that enforce a schema
  bool is_batch = false;            // the answer is a list of objects with these fields
  friend bool operator==(const Question&, const Question&) = default;
};

/// The texts of a step after its files were read: what was written in the document, or in its prompt file and skill.
struct AskingTexts {
  std::string prompt;  // front matter and outer space removed
  std::string skill;   // its guidance; empty: none
};
/// The text of a prompt file without front matter and outer space; an error if nothing is left.
[[nodiscard]] Result<std::string> prompt_of_file(std::string_view text);

/// The item as it is asked about: its fields, over the parameters.
[[nodiscard]] Item with_parameters(const Item& item, std::span<const Parameter> parameters);

/// Whether the prompt needs all items (`{{ITEMS}}` without batches), so that they cannot be streamed.
[[nodiscard]] bool needs_all_items(const MapReduce& work, const AskingTexts& texts);

/// An error names the fields of the prompt that the first item lacks. Later items may lack them.
[[nodiscard]] Result<> check_first_item(const Map& map, const AskingTexts& texts, const Item& first);

/// `all` is every item after limit and filter if needs_all_items, else empty.
[[nodiscard]] Question ask_about(const Map& map, const AskingTexts& texts, const Item& item, std::span<const Item> all);
/// The items of one batch in one question.
[[nodiscard]] Question ask_about_batch(const Map& map, const AskingTexts& texts, std::span<const Item> batch);
[[nodiscard]] Question ask_filter(const AiFilter& filter, const AskingTexts& texts, const Item& item);
/// `results` are the successful outputs as indented JSON, `results_file` the path of a file that holds the same.
[[nodiscard]] Question ask_reduce(const Reduce& reduce, const AskingTexts& texts, std::string_view results,
                                  std::string_view results_file, const Counts& counts,
                                  std::span<const Parameter> parameters);
/// An error names the parameters that are missing.
[[nodiscard]] Result<Question> ask_job(const Job& job, const AskingTexts& texts);
[[nodiscard]] Question ask_for_items(const GeneratedSource& source);

/// Asks once more where an answer could not be read: shows it, and says what is wrong with it.
[[nodiscard]] Question ask_to_correct(Question question, std::string_view answer, std::string_view error);

/// About how many tokens a text has: for estimates before anything was asked.
[[nodiscard]] std::size_t estimated_tokens(std::string_view text);

}  // namespace carillon::pipeline
