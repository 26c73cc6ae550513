#include "base/secret_mask.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <utility>

namespace carillon {
namespace {

constexpr std::size_t secret_length_min = 4;
/// Fewer characters of an encoded secret turn up by chance.
constexpr std::size_t encoded_length_min = 5;
/// Shorter lines of a longer secret are words and brackets.
constexpr std::size_t line_length_min = 8;

constexpr std::string_view base64_alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::string_view base64_url_alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/// The characters of base64 that depend on the secret alone when `before` bytes, modulo three, stand before it.
std::string base64_core(std::string_view secret, std::size_t before, std::string_view alphabet) {
  const std::size_t bit_end = 8 * (before + secret.size());
  std::string core;
  for (std::size_t bit = (8 * before + 5) / 6 * 6; bit + 6 <= bit_end; bit += 6) {
    unsigned value = 0;
    for (std::size_t i = bit; i < bit + 6; ++i) {
      const auto byte = static_cast<unsigned char>(secret[i / 8 - before]);
      value = value * 2 + ((static_cast<unsigned>(byte) >> (7 - i % 8)) & 1U);
    }
    core += alphabet[value];
  }
  return core;
}

bool is_unreserved(char c) {
  const bool is_alphanumeric = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
  return is_alphanumeric || std::string_view{"-._~"}.contains(c);
}

enum class Hexadecimal { upper, lower };

std::string percent_encoded(std::string_view secret, Hexadecimal digits) {
  std::string out;
  for (const char c : secret) {
    const auto byte = static_cast<unsigned char>(c);
    if (is_unreserved(c))
      out += c;
    else
      out += digits == Hexadecimal::upper ? fmt::format("%{:02X}", byte) : fmt::format("%{:02x}", byte);
  }
  return out;
}

std::string json_escaped(std::string_view secret) {
  static constexpr std::string_view escaped = "\"\\\b\f\n\r\t";
  static constexpr std::string_view letters = "\"\\bfnrt";
  std::string out;
  for (const char c : secret) {
    if (const std::size_t i = escaped.find(c); i != escaped.npos)
      out += {'\\', letters[i]};
    else if (static_cast<unsigned char>(c) < 0x20)
      out += fmt::format("\\u{:04x}", static_cast<unsigned char>(c));
    else
      out += c;
  }
  return out;
}

void add_forms(std::vector<std::string>& forms, std::string_view secret) {
  if (secret.size() < secret_length_min) return;
  forms.emplace_back(secret);
  forms.push_back(json_escaped(secret));
  forms.push_back(percent_encoded(secret, Hexadecimal::upper));
  forms.push_back(percent_encoded(secret, Hexadecimal::lower));
  for (const std::string_view alphabet : {base64_alphabet, base64_url_alphabet}) {
    for (std::size_t before = 0; before < 3; ++before) {
      std::string core = base64_core(secret, before, alphabet);
      if (core.size() >= encoded_length_min) forms.push_back(std::move(core));
    }
  }
}

void add_lines(std::vector<std::string>& forms, std::string_view secret) {
  if (!secret.contains('\n')) return;
  while (!secret.empty()) {
    const std::size_t end = std::min(secret.find('\n'), secret.size());
    std::string_view line = secret.substr(0, end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.size() >= line_length_min) add_forms(forms, line);
    secret.remove_prefix(std::min(end + 1, secret.size()));
  }
}

}  // namespace

SecretMask::SecretMask(const std::vector<std::string>& secrets) {
  for (const std::string& secret : secrets) {
    add_forms(forms_, secret);
    add_lines(forms_, secret);
  }
  std::ranges::sort(forms_, [](const std::string& a, const std::string& b) {
    return a.size() != b.size() ? a.size() > b.size() : a < b;
  });
  const auto repeated = std::ranges::unique(forms_);
  forms_.erase(repeated.begin(), repeated.end());
  for (const std::string& form : forms_) beginnings_[static_cast<unsigned char>(form.front())] = true;
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

std::size_t SecretMask::plain_length(std::string_view text) const {
  const auto begins = [this](char c) { return beginnings_[static_cast<unsigned char>(c)]; };
  return static_cast<std::size_t>(std::ranges::find_if(text, begins) - text.begin());
}

std::string SecretMask::take(std::string_view& text, More more) const {
  std::string shown;
  while (true) {
    const std::size_t plain = plain_length(text);
    shown += text.substr(0, plain);
    text.remove_prefix(plain);
    if (text.empty()) return shown;
    const auto form = std::ranges::find_if(forms_, [&](const std::string& candidate) {
      return text.starts_with(candidate) || (more == More::may_follow && candidate.starts_with(text));
    });
    if (form == forms_.end()) {
      shown += text.front();
      text.remove_prefix(1);
    } else if (form->size() <= text.size()) {
      shown += "***";
      text.remove_prefix(form->size());
    } else {
      return shown;
    }
  }
}

}  // namespace carillon
