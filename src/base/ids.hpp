#pragma once

#include "base/error.hpp"

#include <compare>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

namespace carillon {

/// Whether a text may be an id: `[A-Za-z0-9][A-Za-z0-9._-]{0,127}`.
[[nodiscard]] bool is_id_text(std::string_view text);

namespace detail {
[[nodiscard]] Error bad_id(std::string_view what, std::string_view text);
}

/// A checked id that cannot be mistaken for one of another kind.
template <typename Kind>
class Id {
 public:
  [[nodiscard]] static Result<Id> parse(std::string_view text) {
    if (!is_id_text(text)) return std::unexpected(detail::bad_id(Kind::word, text));
    return Id{std::string{text}};
  }

  [[nodiscard]] const std::string& text() const { return text_; }
  friend auto operator<=>(const Id&, const Id&) = default;

 private:
  explicit Id(std::string text) : text_{std::move(text)} {}
  std::string text_;
};

struct ScheduleKind {
  static constexpr std::string_view word = "schedule id";
};
struct NamespaceKind {
  static constexpr std::string_view word = "namespace";
};

using ScheduleId = Id<ScheduleKind>;
using NamespaceId = Id<NamespaceKind>;

}  // namespace carillon

template <typename Kind>
struct std::hash<carillon::Id<Kind>> {
  std::size_t operator()(const carillon::Id<Kind>& id) const { return std::hash<std::string>{}(id.text()); }
};
