#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace carillon {

/// For programs: what a caller may act on. A new code exists only when some caller acts on it.
enum class ErrorCode { invalid_argument, not_found, conflict, unavailable, corrupt };

[[nodiscard]] constexpr std::string_view to_text(ErrorCode code) {
  switch (code) {
    case ErrorCode::invalid_argument: return "invalid_argument";
    case ErrorCode::not_found: return "not_found";
    case ErrorCode::conflict: return "conflict";
    case ErrorCode::unavailable: return "unavailable";
    case ErrorCode::corrupt: return "corrupt";
  }
  std::unreachable();
}

/// An expected failure, as a value.
struct Error {
  ErrorCode code;
  std::string message;    // for people: one sentence, with the offending value, no final period
  std::string hint;       // what to write or do instead; may be empty
  std::string_view rule;  // stable name of the rule that was broken, e.g. "invalid-cron"; a literal, may be empty
  std::optional<std::size_t> position;  // byte offset of the fault inside the offending text
  std::vector<std::string> context;     // what we were doing, innermost first
};

template <typename T = void>
using Result = std::expected<T, Error>;

template <typename... Args>
[[nodiscard]] std::unexpected<Error> fail(ErrorCode code, fmt::format_string<Args...> format, Args&&... args) {
  return std::unexpected(Error{.code = code,
                               .message = fmt::format(format, std::forward<Args>(args)...),
                               .hint = {},
                               .rule = {},
                               .position = {},
                               .context = {}});
}

/// Adds what we were doing to the error of a result, if there is one.
template <typename T, typename... Args>
[[nodiscard]] Result<T> while_doing(Result<T> result, fmt::format_string<Args...> format, Args&&... args) {
  if (!result) result.error().context.push_back(fmt::format(format, std::forward<Args>(args)...));
  return result;
}

namespace detail {
template <typename T, typename E>
T take(std::expected<T, E>&& result) {
  if constexpr (!std::is_void_v<T>) return *std::move(result);
}
}  // namespace detail

}  // namespace carillon

#define CARILLON_JOIN_(a, b) a##b
#define CARILLON_JOIN(a, b) CARILLON_JOIN_(a, b)
#define CARILLON_TRY(result, expression)                            \
  __extension__({                                                   \
    auto result = (expression);                                     \
    if (!result) return std::unexpected(std::move(result).error()); \
    ::carillon::detail::take(std::move(result));                    \
  })

/// The value of a result, or a return of its error from the enclosing function.
#define TRY(expression) CARILLON_TRY(CARILLON_JOIN(carillon_result_, __COUNTER__), expression)
