#include "executors/http/secret_mask.hpp"

#include <algorithm>
#include <utility>

namespace carillon {
namespace {

constexpr std::size_t secret_length_min = 4;

}  // namespace

SecretMask::SecretMask(std::vector<std::string> secrets) : secrets_{std::move(secrets)} {
  std::erase_if(secrets_, [](const std::string& secret) { return secret.size() < secret_length_min; });
  std::ranges::sort(secrets_, std::ranges::greater{}, &std::string::size);
  for (const std::string& secret : secrets_) beginnings_ += secret.front();
}

std::string SecretMask::pass(std::string_view bytes) {
  kept_ += bytes;
  std::string_view text = kept_;
  std::string shown = take(text, More::may_follow);
  kept_ = std::string{text};
  return shown;
}

std::string SecretMask::rest() { return whole(std::exchange(kept_, {})); }

std::string SecretMask::whole(std::string_view text) const { return take(text, More::never); }

std::string SecretMask::take(std::string_view& text, More more) const {
  std::string shown;
  while (true) {
    const std::size_t plain = std::min(text.find_first_of(beginnings_), text.size());
    shown += text.substr(0, plain);
    text.remove_prefix(plain);
    if (text.empty()) return shown;
    const auto secret = std::ranges::find_if(secrets_, [&](const std::string& candidate) {
      return text.starts_with(candidate) || (more == More::may_follow && candidate.starts_with(text));
    });
    if (secret == secrets_.end()) {
      shown += text.front();
      text.remove_prefix(1);
    } else if (secret->size() <= text.size()) {
      shown += "***";
      text.remove_prefix(secret->size());
    } else {
      return shown;
    }
  }
}

}  // namespace carillon
