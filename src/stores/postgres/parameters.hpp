#pragma once

#include "base/instant.hpp"

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace carillon::postgres {

/// Bytes to be kept as they are.
struct Blob {
  std::string_view bytes;
};

/// The parameters of one statement, in PostgreSQL's binary form. Texts are made acceptable to the database: malformed
/// UTF-8 and zero bytes become replacement characters.
class Parameters {
 public:
  struct Value {
    std::uint32_t type = 0;
    std::optional<std::string> bytes;
  };

  template <typename... Values>
  explicit Parameters(const Values&... values) {
    values_.reserve(sizeof...(values));
    (add(values), ...);
  }

  template <typename T>
  void add(const T& value) {
    Value made{.type = type_of<T>(), .bytes = {}};
    if (has_value(value)) append(made.bytes.emplace(), value);
    values_.push_back(std::move(made));
  }
  /// One array: what `pick` takes from each row.
  template <typename Rows, typename Pick>
  void column(const Rows& rows, Pick pick) {
    add_array(elements_of(rows, pick));
  }
  /// The same, or one value if it is the same of all rows. Whether it is.
  template <typename Rows, typename Pick>
  bool value_or_column(const Rows& rows, Pick pick) {
    const Elements elements = elements_of(rows, pick);
    if (!elements.is_same) {
      add_array(elements);
      return false;
    }
    Value& value = values_.emplace_back(Value{.type = elements.type, .bytes = {}});
    constexpr std::size_t length_size = 4;
    if (!elements.has_null) value.bytes = elements.bytes.substr(length_size, elements.first_size - length_size);
    return true;
  }
  /// One array of what a range has.
  template <typename Range>
  void array(const Range& range) {
    column(range, [](const auto& value) { return value; });
  }

  [[nodiscard]] const std::vector<Value>& values() const { return values_; }

 private:
  static constexpr std::uint32_t bool_type = 16;
  static constexpr std::uint32_t bytes_type = 17;
  static constexpr std::uint32_t number_type = 20;
  static constexpr std::uint32_t text_type = 25;

  template <typename T>
  struct Unwrapped {
    using Type = T;
  };
  template <typename T>
  struct Unwrapped<std::optional<T>> {
    using Type = T;
  };

  template <typename T>
  [[nodiscard]] static constexpr std::uint32_t type_of() {
    using Plain = typename Unwrapped<std::remove_cvref_t<T>>::Type;
    if constexpr (std::is_same_v<Plain, bool>)
      return bool_type;
    else if constexpr (std::is_same_v<Plain, Blob>)
      return bytes_type;
    else if constexpr (std::is_convertible_v<Plain, std::string_view>)
      return text_type;
    else
      return number_type;
  }
  template <typename T>
  [[nodiscard]] static bool has_value(const std::optional<T>& value) {
    return value.has_value();
  }
  template <typename T>
  [[nodiscard]] static constexpr bool has_value(const T&) {
    return true;
  }

  template <typename T>
  static void append(std::string& out, const std::optional<T>& value) {
    append(out, *value);
  }
  template <typename T>
    requires std::integral<T> || std::is_enum_v<T>
  static void append(std::string& out, T value) {
    if constexpr (std::is_same_v<T, bool>)
      out.push_back(value ? '\1' : '\0');
    else
      append_number(out, static_cast<std::int64_t>(value));
  }
  static void append(std::string& out, Instant value) { append_number(out, value.time_since_epoch().count()); }
  static void append(std::string& out, Duration value) { append_number(out, value.count()); }
  static void append(std::string& out, std::string_view text) { append_text(out, text); }
  static void append(std::string& out, Blob blob) { out.append(blob.bytes); }

  /// As they stand in an array, each with its length.
  struct Elements {
    std::uint32_t type = 0;
    std::uint32_t count = 0;
    bool has_null = false;
    bool is_same = true;         // all of them
    std::size_t first_size = 0;  // with its length
    std::string bytes{};
  };
  template <typename Rows, typename Pick>
  [[nodiscard]] static Elements elements_of(const Rows& rows, Pick pick) {
    using Element = std::remove_cvref_t<decltype(pick(*std::begin(rows)))>;
    Elements elements{.type = type_of<Element>()};
    for (const auto& row : rows) {
      const std::size_t place = elements.bytes.size();
      const Element element = pick(row);
      if (has_value(element)) {
        append_length(elements.bytes, 0);
        append(elements.bytes, element);
        set_length(elements.bytes, place);
      } else {
        elements.has_null = true;
        append_length(elements.bytes, -1);
      }
      const std::string_view all{elements.bytes};
      if (++elements.count == 1)
        elements.first_size = all.size();
      else if (elements.is_same)
        elements.is_same = all.substr(place) == all.substr(0, elements.first_size);
    }
    return elements;
  }

  static void append_number(std::string& out, std::int64_t value);
  static void append_text(std::string& out, std::string_view text);
  static void append_length(std::string& out, std::int32_t length);
  static void set_length(std::string& out, std::size_t place);
  void add_array(const Elements& elements);

  std::vector<Value> values_;
};

/// A text that the database accepts: well-formed UTF-8 without zero bytes.
[[nodiscard]] std::string acceptable_text(std::string_view text);

}  // namespace carillon::postgres
