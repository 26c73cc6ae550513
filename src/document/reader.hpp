#pragma once

#include "base/duration_text.hpp"
#include "base/error.hpp"
#include "base/instant.hpp"

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <cstdint>
#include <expected>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace carillon {

/// One fault in a document.
struct Problem {
  std::string pointer;    // JSON pointer of the faulty value
  std::string_view code;  // stable: "unknown-key", "wrong-type", "invalid-cron", …
  std::string message;
  std::string hint;
  std::optional<std::size_t> position;  // inside the text value, if it is one
};

using Problems = std::vector<Problem>;

/// A value, or everything that is wrong with its document.
template <typename T>
using Checked = std::expected<T, Problems>;

/// Enough to see what is wrong; a text of megabytes must not give a report of gigabytes.
inline constexpr std::size_t unknown_key_count_max = 20;

/// Reads the members of one object by name and notes every fault. A member that was never asked for is an unknown key.
///
///     ObjectReader reader{value, pointer, problems};
///     spec.jitter = reader.duration("jitter").value_or(Duration{0});
///     reader.finish();
class ObjectReader {
 public:
  ObjectReader(const boost::json::value& value, std::string pointer, Problems& problems);

  /// The member, or null when it is left out or JSON null.
  [[nodiscard]] const boost::json::value* member(std::string_view key);

  [[nodiscard]] std::optional<std::string_view> text(std::string_view key);
  [[nodiscard]] std::optional<std::int64_t> integer(std::string_view key);
  [[nodiscard]] std::optional<bool> boolean(std::string_view key);
  [[nodiscard]] std::optional<Duration> duration(std::string_view key);
  [[nodiscard]] std::optional<Instant> instant(std::string_view key);
  /// The index of the member's text in `words`.
  [[nodiscard]] std::optional<std::size_t> word(std::string_view key, std::span<const std::string_view> words);

  /// The pointer of a member.
  [[nodiscard]] std::string pointer(std::string_view key) const;
  void problem(std::string_view key, std::string_view code, std::string message, std::string hint = {});
  void problem(std::string_view key, const Error& error);

  /// Reports the members nobody asked for, at most unknown_key_count_max, with the nearest known key as hint.
  void finish();

 private:
  [[nodiscard]] const boost::json::value* find(std::string_view key);

  const boost::json::object* object_;  // null when the value is no object; that is already a problem
  std::string pointer_;
  Problems& problems_;
  std::vector<std::string_view> known_;
  std::uint64_t asked_ = 0;   // which of the first 64 members were asked for, as bits
  std::size_t expected_ = 0;  // where the next member stands if they are asked for in the order of the document
};

/// An Error as a Problem at a place.
[[nodiscard]] Problem to_problem(std::string pointer, const Error& error);

/// `problems` as one Error, for callers that report one: the first, and how many more there are.
[[nodiscard]] Error to_error(const Problems& problems);

/// The word nearest to `text` by edit distance, if one is near enough to suggest; else empty.
[[nodiscard]] std::string_view nearest_word(std::string_view text, std::span<const std::string_view> words);

}  // namespace carillon
