#include "executors/pipeline/journal_folder.hpp"

#include "base/crypto.hpp"
#include "base/quoted.hpp"
#include "executors/pipeline/package_files.hpp"
#include "files/file_descriptor.hpp"

#include <fcntl.h>
#include <sys/file.h>

#include <chrono>
#include <string>
#include <system_error>

namespace carillon::pipeline {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::days journal_age_max{30};
constexpr std::string_view journal_extension = ".journal";
constexpr std::size_t journal_name_length = 32;

}  // namespace

fs::path journal_in(const fs::path& folder, std::string_view run) {
  return folder / (sha256_hex(run).substr(0, journal_name_length) + std::string{journal_extension});
}

fs::path results_beside(const fs::path& journal) { return journal.native() + ".results.json"; }

Result<> remove_journal(const fs::path& journal) {
  const FileDescriptor file{::open(journal.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW)};
  if (file.is_open() && ::flock(file.get(), LOCK_EX | LOCK_NB) != 0)
    return fail(ErrorCode::conflict, "the journal {} is in use by another process", carillon::quoted(journal.native()));
  std::error_code error;
  const SnapshotPlace snapshot = snapshot_beside(journal);
  for (const fs::path& file : {journal, snapshot.texts, snapshot.rows, results_beside(journal)})
    if (!error) fs::remove(file, error);
  if (error)
    return fail(ErrorCode::unavailable, "cannot remove {}: {}", carillon::quoted(journal.native()), error.message());
  return {};
}

void remove_old_journals(const fs::path& folder) {
  std::error_code unknown;
  const auto oldest = fs::file_time_type::clock::now() - journal_age_max;
  for (const auto& entry : fs::directory_iterator{folder, unknown}) {
    std::error_code ignored;
    if (entry.last_write_time(ignored) >= oldest || ignored) continue;
    // Of a run that never began there may be a snapshot alone.
    const std::string name = entry.path().filename();
    const std::size_t end = name.find(journal_extension);
    if (end == name.npos) continue;
    const fs::path journal = folder / name.substr(0, end + journal_extension.size());
    if (entry.path() == journal || !fs::exists(journal, ignored)) (void)remove_journal(journal);
  }
}

}  // namespace carillon::pipeline
