#include "zones/file_text.hpp"

#include <cerrno>
#include <cstdint>
#include <fstream>
#include <system_error>

namespace carillon {
namespace {

constexpr std::uintmax_t file_size_max = std::uintmax_t{16} << 20;

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
  const std::uintmax_t size = std::filesystem::file_size(path, error);
  if (error) return cannot_read(path, error.message());
  if (size > file_size_max) return cannot_read(path, "it is larger than 16 MiB");

  errno = 0;
  std::ifstream file{path, std::ios::binary};
  if (!file) return cannot_read(path, std::generic_category().message(errno));
  std::string text(size, '\0');
  file.read(text.data(), static_cast<std::streamsize>(size));
  text.resize(static_cast<std::size_t>(file.gcount()));
  return text;
}

}  // namespace carillon
