#include "definitions/secret_references.hpp"

#include "base/quoted.hpp"
#include "definitions/members.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>
#include <variant>

namespace carillon {
namespace {

using Kind = SecretReference::Kind;

struct KindWord {
  std::string_view word;
  Kind kind;
};
constexpr std::array<KindWord, 3> kind_words{
    {{"secret", Kind::secret}, {"file", Kind::file}, {"env", Kind::environment}}};

constexpr std::string_view known_kinds = "write ${secret:name}, ${file:path} or ${env:NAME}; $${ stands for a plain ${";
constexpr std::size_t file_name_length_max = 255;
constexpr std::size_t secret_path_length_max = 4'095;

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool is_variable_name(std::string_view name) {
  const auto is_allowed = [](char c) { return is_letter(c) || is_digit(c) || c == '_'; };
  return !name.empty() && !is_digit(name.front()) && std::ranges::all_of(name, is_allowed);
}

bool is_file_name(std::string_view name) {
  return !name.empty() && name.size() <= file_name_length_max && name != "." && name != ".." && !name.contains('/') &&
         !has_control_character(name);
}

bool is_path(std::string_view path) {
  if (path.empty() || path.size() > secret_path_length_max || has_control_character(path) || path.ends_with('/'))
    return false;
  while (!path.empty()) {
    const std::size_t end = std::min(path.find('/'), path.size());
    if (path.substr(0, end) == "..") return false;
    path.remove_prefix(std::min(end + 1, path.size()));
  }
  return true;
}

std::optional<Error> name_fault(Kind kind, std::string_view name) {
  switch (kind) {
    case Kind::secret:
      if (is_file_name(name)) return std::nullopt;
      return fault("invalid-reference", fmt::format("{} is not a valid secret name", carillon::quoted(name)),
                   "write the name of a file in the secret directory: ${secret:db-password}");
    case Kind::file:
      if (is_path(name)) return std::nullopt;
      return fault("invalid-reference", fmt::format("{} is not a valid secret path", carillon::quoted(name)),
                   "write a path below the secret directory, without '..': ${file:db/password}");
    case Kind::environment:
      if (is_variable_name(name)) return std::nullopt;
      return fault("invalid-reference", fmt::format("{} is not a valid variable name", carillon::quoted(name)),
                   "write letters, digits and '_': ${env:DB_PASSWORD}");
  }
  std::unreachable();
}

/// What begins with `${` and a word in front of a colon: the word, and what stands behind the colon up to the brace.
struct Candidate {
  std::string_view word;
  std::optional<std::string_view> name;  // none: there is no closing brace
  std::size_t size = 0;                  // of all of it
};

std::optional<Candidate> candidate_at(std::string_view text) {
  if (!text.starts_with("${")) return std::nullopt;
  const std::string_view inner = text.substr(2);
  const auto word_end = std::ranges::find_if_not(inner, is_letter);
  const auto length = static_cast<std::size_t>(word_end - inner.begin());
  if (length == 0 || length == inner.size() || inner[length] != ':') return std::nullopt;
  // A default of a shell, as in ${HOME:-/root}.
  if (length + 1 < inner.size() && std::string_view{"-=+?"}.contains(inner[length + 1])) return std::nullopt;
  Candidate found{.word = inner.substr(0, length), .name = std::nullopt, .size = text.size()};
  const std::size_t brace = inner.find('}', length);
  if (brace == inner.npos) return found;
  found.name = inner.substr(length + 1, brace - length - 1);
  found.size = 2 + brace + 1;
  return found;
}

Result<SecretReference> reference_of(const Candidate& candidate) {
  const auto known = std::ranges::find(kind_words, candidate.word, &KindWord::word);
  if (known == kind_words.end())
    return std::unexpected(fault("unknown-reference",
                                 fmt::format("${{{}:…}} is not a known kind of reference", candidate.word),
                                 std::string{known_kinds}));
  if (!candidate.name)
    return std::unexpected(fault(
        "invalid-reference", fmt::format("a reference that begins with ${{{}: has no closing brace", candidate.word),
        std::string{known_kinds}));
  if (auto error = name_fault(known->kind, *candidate.name)) return std::unexpected(*std::move(error));
  return SecretReference{.kind = known->kind, .name = std::string{*candidate.name}};
}

/// Calls `on_plain` with the texts between references, `$${` written as `${`, and `on_candidate` with each candidate
/// and its text. Ends when `on_candidate` says false.
template <typename OnPlain, typename OnCandidate>
void walk(std::string_view text, OnPlain on_plain, OnCandidate on_candidate) {
  while (!text.empty()) {
    if (text.starts_with("$${")) {
      on_plain("${");
      text.remove_prefix(3);
      continue;
    }
    if (const auto candidate = candidate_at(text)) {
      if (!on_candidate(*candidate, text.substr(0, candidate->size))) return;
      text.remove_prefix(candidate->size);
      continue;
    }
    const std::size_t next = std::min(text.find('$', 1), text.size());
    on_plain(text.substr(0, next));
    text.remove_prefix(next);
  }
}

void add_references(std::vector<std::string>& found, std::string_view text) {
  walk(
      text, [](std::string_view) {},
      [&](const Candidate& candidate, std::string_view whole) {
        if (reference_of(candidate) && std::ranges::find(found, whole) == found.end()) found.emplace_back(whole);
        return true;
      });
}

}  // namespace

Result<SecretReference> parse_reference(std::string_view text) {
  const auto candidate = candidate_at(text);
  if (candidate && candidate->size == text.size()) return reference_of(*candidate);
  return std::unexpected(
      fault("invalid-reference", "the text is not a reference to a secret", std::string{known_kinds}));
}

std::optional<Error> check_references(std::string_view text) {
  std::optional<Error> error;
  walk(
      text, [](std::string_view) {},
      [&](const Candidate& candidate, std::string_view) {
        if (auto reference = reference_of(candidate); !reference) error = std::move(reference).error();
        return !error;
      });
  return error;
}

std::vector<std::string> references_of(const Action& action) {
  std::vector<std::string> found;
  if (const auto* command = std::get_if<CommandAction>(&action)) {
    for (const auto& [name, value] : command->env) add_references(found, value);
  } else if (const auto* http = std::get_if<HttpAction>(&action)) {
    for (const auto& [name, value] : http->headers) add_references(found, value);
    if (http->signing_secret) add_references(found, *http->signing_secret);
  }
  return found;
}

SecretResolver resolver_of(const TextMap& secrets) {
  return [&secrets](std::string_view reference) -> Result<std::string> {
    const auto secret = secrets.find(reference);
    if (secret == secrets.end()) return fail(ErrorCode::unavailable, "{} cannot be resolved here", reference);
    return secret->second;
  };
}

Result<ResolvedText> resolve_references(std::string_view text, const SecretResolver& resolve) {
  ResolvedText resolved;
  std::optional<Error> error;
  walk(
      text, [&](std::string_view plain) { resolved.text += plain; },
      [&](const Candidate& candidate, std::string_view whole) {
        if (!reference_of(candidate)) {
          resolved.text += whole;
          return true;
        }
        auto secret = resolve(whole);
        if (!secret) {
          error = std::move(secret).error();
          return false;
        }
        resolved.text += *secret;
        resolved.secrets.push_back(*std::move(secret));
        return true;
      });
  if (error) return std::unexpected(*std::move(error));
  return resolved;
}

}  // namespace carillon
