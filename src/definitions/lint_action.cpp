#include "definitions/lint_action.hpp"

#include "base/quoted.hpp"
#include "definitions/secret_references.hpp"
#include "document/json_pointer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <utility>
#include <variant>

namespace carillon {
namespace {

/// Parts of names, in upper case and divided by what is no letter or digit.
constexpr std::array<std::string_view, 14> secret_words{
    "PASSWORD", "PASSWD", "PASSPHRASE", "PWD",  "PW",          "TOKEN",         "SECRET",
    "KEY",      "APIKEY", "CREDENTIAL", "AUTH", "CREDENTIALS", "AUTHORIZATION", "COOKIE"};
/// These have such a part and hold no secret.
constexpr std::array<std::string_view, 3> plain_names{"PWD", "OLDPWD", "SSH_AUTH_SOCK"};
/// What stands behind such a part when a value only says where a secret is.
constexpr std::array<std::string_view, 6> place_words{"FILE", "PATH", "DIR", "ID", "URL", "NAME"};

std::string upper_case_name(std::string_view text) {
  std::string upper{text};
  for (char& c : upper) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  return upper;
}

bool is_word_character(char c) { return (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9'); }

std::vector<std::string_view> words_in(std::string_view text) {
  std::vector<std::string_view> words;
  while (!text.empty()) {
    const auto begin = std::ranges::find_if(text, is_word_character);
    text.remove_prefix(static_cast<std::size_t>(begin - text.begin()));
    const auto end = std::ranges::find_if_not(text, is_word_character);
    const auto length = static_cast<std::size_t>(end - text.begin());
    if (length > 0) words.push_back(text.substr(0, length));
    text.remove_prefix(length);
  }
  return words;
}

bool is_among(std::span<const std::string_view> list, std::string_view word) {
  return std::ranges::find(list, word) != list.end();
}

bool looks_like_a_secret(std::string_view name) {
  const std::string upper = upper_case_name(name);
  const auto words = words_in(upper);
  if (words.empty() || is_among(plain_names, upper) || is_among(place_words, words.back())) return false;
  return std::ranges::any_of(words, [](std::string_view word) {
    return is_among(secret_words, word) || word.ends_with("PASSWORD") || word.ends_with("TOKEN") ||
           word.ends_with("SECRET");
  });
}

class ActionLint {
 public:
  void check(std::string_view what, const std::string& pointer, const TextMap& members) {
    for (const auto& [name, value] : members) {
      if (value.empty() || value.contains("${") || !looks_like_a_secret(name)) continue;
      std::string place = pointer;
      append_key(place, name);
      findings_.push_back(
          {.code = "literal-secret",
           .severity = Severity::warning,
           .message = fmt::format(
               "the value of {} {} is in the definition, where everyone who can view the schedule can read it", what,
               carillon::quoted(name)),
           .fix = "write ${secret:name} or ${env:NAME} instead of the value",
           .at = {},
           .pointer = std::move(place)});
    }
  }

  void check_references(const Action& action, const SecretRefusal& refusal) {
    for (const std::string& reference : references_of(action)) {
      const auto error = refusal ? refusal(reference) : std::nullopt;
      if (!error) continue;
      findings_.push_back({.code = "unreadable-secret",
                           .severity = Severity::warning,
                           .message = error->message,
                           .fix = error->hint,
                           .at = {},
                           .pointer = fmt::format("/{}", kind_of(action))});
    }
  }

  std::vector<Finding> take() { return std::move(findings_); }

 private:
  std::vector<Finding> findings_;
};

}  // namespace

std::vector<Finding> lint_action(const Action& action, const SecretRefusal& refusal) {
  ActionLint lint;
  if (const auto* command = std::get_if<CommandAction>(&action))
    lint.check("the variable", "/command/env", command->env);
  else if (const auto* http = std::get_if<HttpAction>(&action))
    lint.check("the header", "/http/headers", http->headers);
  lint.check_references(action, refusal);
  return lint.take();
}

}  // namespace carillon
