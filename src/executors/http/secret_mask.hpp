#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace carillon {

/// Replaces secrets in what passes by `***`, also where a secret comes in pieces. Secrets of fewer than four bytes are
/// left alone: hiding every `1` would hide everything else and tell the secret.
class SecretMask {
 public:
  explicit SecretMask(std::vector<std::string> secrets);

  /// What of all bytes so far can be shown. An end that may be the beginning of a secret is kept for the next call.
  [[nodiscard]] std::string pass(std::string_view bytes);
  /// What was kept, now that nothing follows.
  [[nodiscard]] std::string rest();
  /// A whole text at once, beside what passes.
  [[nodiscard]] std::string whole(std::string_view text) const;

 private:
  enum class More { may_follow, never };
  /// Moves what can be shown from the front of the text to the result.
  [[nodiscard]] std::string take(std::string_view& text, More more) const;

  std::vector<std::string> secrets_;  // longest first: one that begins another must not uncover the rest of it
  std::string beginnings_;            // their first bytes
  std::string kept_;
};

}  // namespace carillon
