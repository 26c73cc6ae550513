#include "zones/file_text.hpp"

#include <array>
#include <cerrno>
#include <cstddef>
#include <fstream>
#include <system_error>

namespace carillon {
namespace {

constexpr std::size_t file_size_max = std::size_t{16} << 20;

std::unexpected<Error> cannot_read(const std::filesystem::path& path, std::string_view reason) {
  return fail(ErrorCode::unavailable, "cannot read {}: {}", path.native(), reason);
}

}  // namespace

Result<std::string> read_file(const std::filesystem::path& path) {
  std::error_code error;
  // Opening a pipe would wait for a writer.
  const auto status = std::filesystem::status(path, error);
  if (error) return cannot_read(path, error.message());
  if (!std::filesystem::is_regular_file(status)) return cannot_read(path, "it is not a regular file");

  errno = 0;
  std::ifstream file{path, std::ios::binary};
  if (!file) return cannot_read(path, std::generic_category().message(errno));
  // To the end of what was opened: its size by name may already be that of a file that replaced it.
  std::string text;
  std::array<char, 64 * 1024> block;
  while (file.read(block.data(), block.size()) || file.gcount() > 0) {
    text.append(block.data(), static_cast<std::size_t>(file.gcount()));
    if (text.size() > file_size_max) return cannot_read(path, "it is larger than 16 MiB");
  }
  return text;
}

}  // namespace carillon
