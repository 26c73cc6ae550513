#pragma once

#include "base/error.hpp"
#include "definitions/schedule_document.hpp"

#include <cstddef>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

namespace carillon {

/// Reads schedules as stores keep them. Many schedules have equal policies, which are half of each document: a text of
/// policies that was read before is not read again. Policies are kept until there are a thousand different ones, and
/// then all dropped. May be called from several threads.
class StoredDocuments {
 public:
  /// An error invalid_argument names the member that is not valid.
  [[nodiscard]] Result<ScheduleDocument> read(std::string_view text);

  [[nodiscard]] std::size_t known_count();

 private:
  struct Hash : std::hash<std::string_view> {
    using is_transparent = void;
  };

  using Known = std::unordered_map<std::string, Policies, Hash, std::equal_to<>>;

  /// A document without its policies, and these.
  struct Parts {
    std::string_view before;  // without its last brace
    Policies policies;
  };

  [[nodiscard]] std::optional<Parts> parts_of(std::string_view text);
  [[nodiscard]] std::optional<Parts> parts_like_latest(std::string_view text);
  [[nodiscard]] std::optional<Policies> policies_of(std::string_view text);

  std::mutex mutex_;
  // Guarded.
  Known known_;
  const Known::value_type* latest_ = nullptr;  // of known_: what was asked for last
};

}  // namespace carillon
