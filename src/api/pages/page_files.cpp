#include "api/pages/page_files.hpp"

#include <array>
#include <charconv>
#include <cstddef>

extern "C" {
// In page_pack.S.
extern const char carillon_page_pack_begin[];
extern const char carillon_page_pack_end[];
extern const char carillon_docs_pack_begin[];
extern const char carillon_docs_pack_end[];
}

namespace carillon::pages {
namespace {

constexpr std::string_view first_line = "carillon pages 1";

std::unexpected<Error> broken_pack() { return fail(ErrorCode::corrupt, "the built-in pages cannot be read"); }

/// Takes what stands before the mark, and the mark.
std::string_view take_until(std::string_view& text, char mark) {
  const std::size_t end = text.find(mark);
  const std::string_view taken = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  return taken;
}

Result<std::size_t> size_in(std::string_view digits) {
  std::size_t size = 0;
  const auto [stop, error] = std::from_chars(digits.data(), digits.data() + digits.size(), size);
  if (error != std::errc{} || stop != digits.data() + digits.size()) return broken_pack();
  return size;
}

Result<std::string_view> take_bytes(std::string_view& bytes, std::string_view digits) {
  const std::size_t size = TRY(size_in(digits));
  if (size > bytes.size()) return broken_pack();
  const std::string_view taken = bytes.substr(0, size);
  bytes.remove_prefix(size);
  return taken;
}

}  // namespace

Result<PageFiles> read_pack(std::string_view pack) {
  PageFiles files;
  if (pack.empty()) return files;
  // The list ends with an empty line; the bytes of all files follow in its order.
  const std::size_t list_end = pack.find("\n\n");
  if (list_end == std::string_view::npos) return broken_pack();
  std::string_view list = pack.substr(0, list_end);
  std::string_view bytes = pack.substr(list_end + 2);
  if (take_until(list, '\n') != first_line) return broken_pack();
  while (!list.empty()) {
    std::string_view line = take_until(list, '\n');
    std::array<std::string_view, 5> members;
    for (std::string_view& member : members) member = take_until(line, '\t');
    const std::string_view plain = TRY(take_bytes(bytes, members[3]));
    const std::string_view gzip = TRY(take_bytes(bytes, members[4]));
    files.emplace(members[0], PageFile{.type = members[1], .tag = members[2], .plain = plain, .gzip = gzip});
  }
  if (!bytes.empty()) return broken_pack();
  return files;
}

std::string_view built_in_pack() {
  return {carillon_page_pack_begin, static_cast<std::size_t>(carillon_page_pack_end - carillon_page_pack_begin)};
}

std::string_view built_in_docs_pack() {
  return {carillon_docs_pack_begin, static_cast<std::size_t>(carillon_docs_pack_end - carillon_docs_pack_begin)};
}

PageFiles built_in_files() {
  PageFiles files = read_pack(built_in_pack()).value_or(PageFiles{});
  files.merge(read_pack(built_in_docs_pack()).value_or(PageFiles{}));
  return files;
}

}  // namespace carillon::pages
