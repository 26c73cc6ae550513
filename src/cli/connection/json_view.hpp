#pragma once

#include "base/instant.hpp"

#include <boost/json/array.hpp>
#include <boost/json/value.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace carillon::cli {

/// A document of the server, read without trust: what is missing or of another kind is simply not there.
///
///     const JsonView schedule{answer.body};
///     schedule["spec"].text("timezone")
class JsonView {
 public:
  JsonView() = default;
  explicit JsonView(const boost::json::value& value) : value_{&value} {}

  [[nodiscard]] JsonView operator[](std::string_view key) const;
  [[nodiscard]] bool is_there() const { return value_ != nullptr && !value_->is_null(); }
  [[nodiscard]] const boost::json::value* value() const { return value_; }

  /// Empty when there is none.
  [[nodiscard]] std::string text(std::string_view key) const { return (*this)[key].text(); }
  [[nodiscard]] std::string text() const;
  [[nodiscard]] std::optional<std::int64_t> number(std::string_view key) const { return (*this)[key].number(); }
  [[nodiscard]] std::optional<std::int64_t> number() const;
  [[nodiscard]] bool flag(std::string_view key) const;
  [[nodiscard]] std::optional<Instant> instant(std::string_view key) const;
  /// The elements; none when it is no list.
  [[nodiscard]] const boost::json::array& items(std::string_view key) const { return (*this)[key].items(); }
  [[nodiscard]] const boost::json::array& items() const;

 private:
  const boost::json::value* value_ = nullptr;
};

}  // namespace carillon::cli
