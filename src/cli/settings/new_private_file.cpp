#include "cli/settings/new_private_file.hpp"

#include "cli/command_line/command_error.hpp"
#include "files/private_file.hpp"

#include <unistd.h>

#include <utility>

namespace carillon::cli {

Result<NewPrivateFile> NewPrivateFile::create(const std::string& path) {
  auto file = create_private_file(path);
  if (file) return NewPrivateFile{path, *std::move(file)};
  const bool is_there = file.error().code == ErrorCode::conflict;
  return std::unexpected(usage_error(std::move(file).error().message,
                                     is_there ? "choose a file that does not exist yet" : "choose another place"));
}

NewPrivateFile::~NewPrivateFile() {
  if (file_.is_open() && !is_kept_) ::unlink(path_.c_str());
}

Result<> NewPrivateFile::keep(std::string_view text) {
  TRY(write_open_file(file_.get(), path_, text));
  is_kept_ = true;
  return {};
}

}  // namespace carillon::cli
