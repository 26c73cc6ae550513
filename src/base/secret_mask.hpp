#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace carillon {

/// Replaces secrets in what passes by `***`, also where a secret comes in pieces, and where it is written in base64 (at
/// any place inside a longer text), percent-encoded or as part of a JSON string. Of a secret of several lines each line
/// is hidden too. Secrets of fewer than four bytes are left alone: hiding every `1` would hide everything else and tell
/// the secret.
class SecretMask {
 public:
  explicit SecretMask(const std::vector<std::string>& secrets);

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
  [[nodiscard]] std::size_t plain_length(std::string_view text) const;

  std::vector<std::string> forms_;      // longest first: one that begins another must not uncover the rest of it
  std::array<bool, 256> beginnings_{};  // bytes that a form begins with
  std::string kept_;
};

}  // namespace carillon
