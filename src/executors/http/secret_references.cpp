#include "executors/http/secret_references.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace carillon {
namespace {

constexpr std::array<std::string_view, 3> reference_beginnings{"${env:", "${file:", "${secret:"};

/// The reference at the front of a text; empty if there is none.
std::string_view reference_at(std::string_view text) {
  for (const std::string_view beginning : reference_beginnings) {
    if (!text.starts_with(beginning)) continue;
    const std::size_t end = text.find('}');
    return end == text.npos || end == beginning.size() ? std::string_view{} : text.substr(0, end + 1);
  }
  return {};
}

std::string without_line_end(std::string text) {
  while (text.ends_with('\n') || text.ends_with('\r')) text.pop_back();
  return text;
}

}  // namespace

Result<ResolvedText> resolve_references(std::string_view text, const SecretResolver& resolve) {
  ResolvedText resolved;
  while (!text.empty()) {
    const std::string_view reference = reference_at(text);
    if (!reference.empty()) {
      // The line end that most files have belongs to the file.
      std::string secret = without_line_end(TRY(resolve(reference)));
      resolved.text += secret;
      resolved.secrets.push_back(std::move(secret));
      text.remove_prefix(reference.size());
      continue;
    }
    const std::size_t next = std::min(text.find("${", 1), text.size());
    resolved.text += text.substr(0, next);
    text.remove_prefix(next);
  }
  return resolved;
}

}  // namespace carillon
