#pragma once

#include "base/error.hpp"
#include "service/refusal.hpp"

#include <carillon/failure.hpp>

#include <expected>
#include <type_traits>
#include <utility>

namespace carillon {

/// An error of opening, starting or stopping as the host program sees it. The message ends with what was being done.
[[nodiscard]] Failure failure_of(const Error& error);

/// A refusal of a use case as the host program sees it. The message includes the cause that a server would only log:
/// the host program owns the data folder.
[[nodiscard]] Failure failure_of(const Refusal& refusal);

template <typename T, typename E>
[[nodiscard]] Expected<T> to_expected(std::expected<T, E> result) {
  if (!result) return std::unexpected(failure_of(result.error()));
  if constexpr (std::is_void_v<T>)
    return {};
  else
    return *std::move(result);
}

/// The same for a change whose answer the host program does not ask for.
template <typename T, typename E>
[[nodiscard]] Expected<> without_value(const std::expected<T, E>& result) {
  if (!result) return std::unexpected(failure_of(result.error()));
  return {};
}

}  // namespace carillon
