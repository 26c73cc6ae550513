#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace carillon::http {

/// What is still to be sent on a connection. A large body is kept as it is given, not copied.
class Output {
 public:
  [[nodiscard]] bool is_empty() const { return sent_ == text_.size() && body_sent_ == body_.size(); }
  [[nodiscard]] std::size_t size() const { return text_.size() - sent_ + body_.size() - body_sent_; }
  /// While a large body waits, nothing can be put behind it.
  [[nodiscard]] bool can_take_more() const { return body_.empty(); }

  /// To append to.
  [[nodiscard]] std::string& text() { return text_; }
  void append_body(std::string&& body) {
    if (body.size() <= copied_body_size_max) {
      text_.append(body);
    } else {
      body_ = std::move(body);
    }
  }

  /// What comes next: at least one piece, unless it is empty.
  [[nodiscard]] std::span<const std::string_view> pieces() {
    std::size_t count = 0;
    if (sent_ < text_.size()) pieces_[count++] = std::string_view{text_}.substr(sent_);
    if (body_sent_ < body_.size()) pieces_[count++] = std::string_view{body_}.substr(body_sent_);
    return {pieces_.data(), count};
  }

  /// So many bytes have been sent.
  void remove(std::size_t count) {
    const std::size_t of_text = std::min(count, text_.size() - sent_);
    sent_ += of_text;
    body_sent_ += count - of_text;
    if (is_empty()) clear();
  }

 private:
  static constexpr std::size_t copied_body_size_max = 16 * 1024;
  static constexpr std::size_t kept_capacity_max = 4 * 1024;

  void clear() {
    if (text_.capacity() > kept_capacity_max) text_ = {};
    text_.clear();
    body_ = {};
    sent_ = 0;
    body_sent_ = 0;
  }

  std::string text_;
  std::string body_;  // behind the text
  std::size_t sent_ = 0;
  std::size_t body_sent_ = 0;
  std::array<std::string_view, 2> pieces_;
};

}  // namespace carillon::http
