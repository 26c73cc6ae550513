#pragma once

#include "base/error.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace carillon::rows {

// What a store consists of, in a form that every store which keeps rows can read and write: for moving from one to
// another. Columns are those of the shared store; what a store keeps twice for speed is made anew by who writes.

enum class ColumnKind {
  number,
  flag,
  text,
  bytes,
  list,  // of numbers, as text with commas between them
};

struct ImageColumn {
  std::string_view name;
  ColumnKind kind = ColumnKind::number;
};

struct ImageTable {
  std::string_view name;
  std::span<const ImageColumn> columns;
};

/// All tables, in the order in which they are to be written.
[[nodiscard]] std::span<const ImageTable> image_tables();

struct ImageBytes {
  std::string bytes;
  friend bool operator==(const ImageBytes&, const ImageBytes&) = default;
};
/// Nothing; a number or a flag; a text or a list; bytes.
using ImageValue = std::variant<std::monostate, std::int64_t, std::string, ImageBytes>;
using ImageRow = std::vector<ImageValue>;

/// Numbers that are given out once, and other things of which there is one.
struct ImageCounters {
  std::int64_t seq = 0;
  std::int64_t uid = 0;
  std::int64_t session = 0;
  std::int64_t zone_edition = 0;
  std::int64_t settled_edition = 0;
  std::int64_t feed_position = 0;  // events themselves stay behind: those who watch are told of a gap
  std::int64_t newest_write = 0;
  std::optional<std::int64_t> decided_at{};
  std::int64_t audit_count = 0;
  std::string audit_digest{};
  std::int64_t lock_fence = 0;
  friend bool operator==(const ImageCounters&, const ImageCounters&) = default;
};

/// Reads a store at one moment.
class ImageReader {
 public:
  virtual ~ImageReader() = default;

  [[nodiscard]] virtual Result<ImageCounters> read_counters() = 0;
  /// All rows of a table, in pages.
  [[nodiscard]] virtual Result<> read_rows(const ImageTable& table,
                                           const std::function<Result<>(std::span<const ImageRow>)>& take) = 0;
};

/// Writes an empty store: all of it with `finish`, or nothing.
class ImageWriter {
 public:
  virtual ~ImageWriter() = default;

  [[nodiscard]] virtual Result<> write_rows(const ImageTable& table, std::span<const ImageRow> rows) = 0;
  [[nodiscard]] virtual Result<> finish(const ImageCounters& counters) = 0;
};

/// How many rows make a page.
inline constexpr std::size_t image_page_size = 2'000;

[[nodiscard]] inline std::unexpected<Error> not_empty(std::string_view store) {
  auto error = fail(ErrorCode::conflict, "{} is not empty", store);
  error.error().rule = "store-not-empty";
  error.error().hint = "copy into a store that no server has used yet";
  return error;
}

}  // namespace carillon::rows
