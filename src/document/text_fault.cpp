#include "document/text_fault.hpp"

#include "document/document.hpp"

#include <utility>

namespace carillon {

Error text_fault(std::string_view text, std::size_t offset, std::string_view rule, std::string_view what,
                 std::string hint) {
  const Position position = position_of(text, offset);
  return {.code = ErrorCode::invalid_argument,
          .message = fmt::format("line {}, column {}: {}", position.line, position.column, what),
          .hint = std::move(hint),
          .rule = rule,
          .position = offset,
          .context = {}};
}

Result<> check_size(std::string_view text, std::size_t size_max, std::string_view rule) {
  if (text.size() <= size_max) return {};
  return std::unexpected(Error{.code = ErrorCode::invalid_argument,
                               .message = fmt::format("the text has {} bytes, more than {}", text.size(), size_max),
                               .hint = "split it into several files",
                               .rule = rule,
                               .position = size_max,
                               .context = {}});
}

}  // namespace carillon
