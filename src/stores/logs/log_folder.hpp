#pragma once

#include "base/error.hpp"
#include "engine/keys.hpp"
#include "ports/executor.hpp"

#include <compare>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace carillon {

struct LogKey {
  Uid uid{};
  AttemptKey attempt;
  friend auto operator<=>(const LogKey&, const LogKey&) = default;
};

/// An open file of this process alone; closed when it goes.
class OpenFile {
 public:
  explicit OpenFile(int number) : number_{number} {}
  OpenFile(OpenFile&& other) noexcept : number_{std::exchange(other.number_, -1)} {}
  OpenFile& operator=(OpenFile&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~OpenFile();

  [[nodiscard]] int number() const { return number_; }

 private:
  int number_;
};

/// The files of logs: `<folder>/<uid, hexadecimal>/<run>-<attempt>.log`. Everything is opened from the folder
/// downwards, through no symbolic link, and may be read by this user only. May be used from several threads.
class LogFolder {
 public:
  /// Makes the folder if there is none. One that is not ours, or that others may write to, is refused.
  [[nodiscard]] static Result<LogFolder> open(const std::filesystem::path& path);

  enum class Access { read, append };
  /// With `append` the file is made if there is none; with `read` that is an error not_found.
  [[nodiscard]] Result<OpenFile> open_file(const LogKey& key, Access access) const;
  /// Whatever is in the file.
  [[nodiscard]] Result<std::string> read_file(const LogKey& key) const;

  /// Makes the names of files and folders durable.
  [[nodiscard]] Result<> sync_names(Uid uid) const;
  /// Removes all files of these runs, and the folder of the schedule with the last of them.
  [[nodiscard]] Result<> remove(Uid uid, const std::vector<Seq>& runs) const;
  /// Removes files of runs up to `newest`, the oldest runs first, until the others take at most `size_max` bytes of
  /// disk space; and writes down up to which run that was.
  [[nodiscard]] Result<> trim(Uid uid, Seq newest, std::int64_t size_max) const;
  /// Whether `trim` has removed files of this run or of later ones.
  [[nodiscard]] bool is_trimmed(const LogKey& key) const;

 private:
  LogFolder(OpenFile root, std::filesystem::path path) : root_{std::move(root)}, path_{std::move(path)} {}
  [[nodiscard]] Result<OpenFile> open_schedule(Uid uid) const;
  [[nodiscard]] Result<> note_trimmed(const OpenFile& schedule, Seq run) const;
  [[nodiscard]] std::unexpected<Error> cannot(std::string_view do_what, std::string_view name, int error) const;

  OpenFile root_;
  std::filesystem::path path_;
};

/// Writes all of it, or cuts the file back to `size_before`.
[[nodiscard]] Result<> append_to(const OpenFile& file, std::string_view bytes, std::int64_t size_before);

}  // namespace carillon
