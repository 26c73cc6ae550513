#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace carillon::http {

/// The headers of a request, in the order they were sent. Names are looked up without regard to case. Values hold no
/// control characters except tabs, and neither begin nor end with blanks.
class Headers {
 public:
  struct Header {
    std::string_view name;  // as sent
    std::string_view value;
  };

  void add(std::string_view name, std::string_view value);
  void reserve(std::size_t header_count, std::size_t byte_count);

  /// The value of the first header of that name. Headers that may stand only once (`Authorization`, `Content-Type`,
  /// `Host`, `Idempotency-Key`, `If-Match`, `Last-Event-ID`, `Origin`, …) never come twice in a request.
  [[nodiscard]] std::optional<std::string_view> find(std::string_view name) const;
  [[nodiscard]] bool contains(std::string_view name) const { return find(name).has_value(); }
  [[nodiscard]] std::size_t count(std::string_view name) const;

  [[nodiscard]] std::size_t size() const { return places_.size(); }
  [[nodiscard]] Header operator[](std::size_t index) const;

 private:
  /// Offsets rather than views, so that a copy or a moved value keeps its meaning.
  struct Place {
    std::uint32_t begin;
    std::uint32_t name_length;
    std::uint32_t value_length;
  };

  std::string text_;
  std::vector<Place> places_;
};

/// Whether two header names, or two tokens, are the same: ASCII letters without regard to case.
[[nodiscard]] bool equal_ignoring_case(std::string_view a, std::string_view b);

}  // namespace carillon::http
