#include "base/assertion.hpp"
#include "base/utf8.hpp"
#include "pipeline/csv.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>

using namespace carillon;

namespace {

/// The same in pieces, whose size is the first byte.
Result<pipeline::CsvTable> read_in_pieces(std::string_view text, std::string_view delimiter, std::size_t piece) {
  pipeline::CsvReader reader{std::string{delimiter}};
  pipeline::CsvTable table;
  for (std::size_t at = 0; at < text.size(); at += piece) {
    auto items = TRY(reader.read(text.substr(at, piece)));
    std::ranges::move(items, std::back_inserter(table.items));
  }
  auto rest = TRY(reader.finish());
  std::ranges::move(rest, std::back_inserter(table.items));
  table.headers = reader.headers();
  return table;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  if (size == 0) return 0;
  const std::size_t piece = std::size_t{bytes[0]} % 16 + 1;
  const std::string_view delimiter = bytes[0] > 127 ? ";" : ",";
  const std::string_view text{reinterpret_cast<const char*>(bytes) + 1, size - 1};
  const auto whole = pipeline::read_csv(text, delimiter);
  const auto pieces = read_in_pieces(text, delimiter, piece);
  CARILLON_ASSERT(whole.has_value() == pieces.has_value());
  if (!whole) {
    CARILLON_ASSERT(whole.error().message == pieces.error().message);
    return 0;
  }
  CARILLON_ASSERT(whole->headers == pieces->headers && whole->items == pieces->items);
  for (const auto& item : whole->items) CARILLON_ASSERT(item.size() == whole->headers.size());
  return 0;
}
