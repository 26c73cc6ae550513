#include "cli/terminal/input_text.hpp"

#include "cli/terminal/printable.hpp"
#include "document/document.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>
#include <span>

namespace carillon::cli {

namespace {

std::unexpected<Error> unreadable(std::string_view path, std::string_view reason) {
  return std::unexpected(Error{.code = ErrorCode::invalid_argument,
                               .message = fmt::format("cannot read {}: {}", printable(path, 120), reason),
                               .hint = "give a YAML or JSON file with a spec or a schedule, or - for standard input",
                               .rule = "unreadable-file",
                               .position = {},
                               .context = {}});
}

std::unexpected<Error> too_large(std::string_view path) {
  return unreadable(path, fmt::format("it is larger than {} MiB", document_size_max / (1024 * 1024)));
}

/// Fills a text from `read(span) -> Result<size_t>` until it gives nothing more.
template <typename Read>
Result<std::string> read_all(std::string_view path, Read read) {
  std::string text;
  for (;;) {
    const std::size_t length = text.size();
    text.resize(length + 64 * 1024);
    const std::size_t added = TRY(read(std::span{text}.subspan(length)));
    text.resize(length + added);
    if (added == 0) return text;
    if (text.size() > document_size_max) return too_large(path);
  }
}

Result<std::string> read_standard_input(Console& console) {
  return read_all("standard input", [&console](std::span<char> buffer) { return console.read(buffer); });
}

Result<std::string> read_file(const std::string& path) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) return unreadable(path, "it is a folder");
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file{std::fopen(path.c_str(), "rbe"), &std::fclose};
  if (!file) return unreadable(path, std::strerror(errno));
  return read_all(path, [&](std::span<char> buffer) -> Result<std::size_t> {
    const std::size_t length = std::fread(buffer.data(), 1, buffer.size(), file.get());
    if (length == 0 && std::ferror(file.get()) != 0) return unreadable(path, std::strerror(errno));
    return length;
  });
}

}  // namespace

Result<std::string> read_text(const std::string& path, Console& console) {
  return path == "-" ? read_standard_input(console) : read_file(path);
}

}  // namespace carillon::cli
