#include "cli/terminal/editor.hpp"

#include "cli/terminal/input_text.hpp"
#include "cli/terminal/printable.hpp"

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <utility>

namespace carillon::cli {

namespace {

std::string editor_of(const Console& console) {
  for (const char* name : {"VISUAL", "EDITOR"}) {
    const auto value = console.environment(name);
    if (value && !value->empty()) return *value;
  }
  return "vi";
}

/// An editor may be several words (`code --wait`), so a shell reads it. An interrupt is the editor's, not ours.
Result<int> run_editor(const std::string& editor, const std::string& path) {
  const std::string command = editor + " \"$1\"";
  struct sigaction ignored{};
  struct sigaction before{};
  ignored.sa_handler = SIG_IGN;
  ::sigaction(SIGINT, &ignored, &before);
  const pid_t child = ::fork();
  if (child == 0) {
    ::sigaction(SIGINT, &before, nullptr);
    ::execl("/bin/sh", "sh", "-c", command.c_str(), "sh", path.c_str(), static_cast<char*>(nullptr));
    ::_exit(127);
  }
  int status = -1;
  while (child > 0 && ::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  ::sigaction(SIGINT, &before, nullptr);
  if (child < 0) return fail(ErrorCode::unavailable, "cannot start {}: {}", printable(editor), std::strerror(errno));
  return status;
}

}  // namespace

Result<EditedFile> EditedFile::make(std::string_view text, const Console& console) {
  std::string folder = console.environment("TMPDIR").value_or("");
  if (folder.empty()) folder = "/tmp";
  std::string path = folder + "/carillon-XXXXXX.yaml";
  const int descriptor = ::mkstemps(path.data(), 5);
  if (descriptor < 0)
    return fail(ErrorCode::unavailable, "cannot create a file in {}: {}", printable(folder), std::strerror(errno));
  EditedFile file{path};
  const ssize_t written = ::write(descriptor, text.data(), text.size());
  const bool is_written = ::close(descriptor) == 0 && written == static_cast<ssize_t>(text.size());
  if (!is_written) return fail(ErrorCode::unavailable, "cannot write {}", printable(path));
  return file;
}

EditedFile::EditedFile(EditedFile&& other) noexcept : path_{std::exchange(other.path_, {})}, is_kept_{other.is_kept_} {}

EditedFile::~EditedFile() {
  if (!path_.empty() && !is_kept_) ::unlink(path_.c_str());
}

Result<std::string> EditedFile::edit(Console& console) {
  const std::string editor = editor_of(console);
  const int status = TRY(run_editor(editor, path_));
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
    return fail(ErrorCode::unavailable, "the editor {} failed; nothing was changed", printable(editor));
  return read_text(path_, console);
}

}  // namespace carillon::cli
