#include "embedded/secrets.hpp"

#include <cstdlib>
#include <fstream>
#include <iterator>

namespace carillon {
namespace {

constexpr std::size_t secret_size_max = 64 * 1024;

Result<std::string> from_environment(const std::string& name) {
  const char* value = std::getenv(name.c_str());
  if (value == nullptr) return fail(ErrorCode::not_found, "there is no environment variable {}", name);
  return std::string{value};
}

Result<std::string> from_file(const std::string& path) {
  std::ifstream file{path, std::ios::binary};
  std::string text(secret_size_max, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (!file.is_open() || file.bad()) return fail(ErrorCode::not_found, "the secret file {} cannot be read", path);
  text.resize(static_cast<std::size_t>(file.gcount()));
  return text;
}

}  // namespace

Result<std::string> read_secret(std::string_view reference) {
  if (reference.starts_with("${") && reference.ends_with('}')) reference = reference.substr(2, reference.size() - 3);
  if (reference.starts_with("env:")) return from_environment(std::string{reference.substr(4)});
  if (reference.starts_with("file:")) return from_file(std::string{reference.substr(5)});
  return fail(ErrorCode::invalid_argument, "{} is no reference that is known here; there are env:NAME and file:path",
              reference);
}

}  // namespace carillon
