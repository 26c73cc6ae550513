#pragma once

#include "ports/log_store.hpp"

#include <cstddef>
#include <filesystem>
#include <memory>

namespace carillon {

struct FileLogOptions {
  std::size_t head_size_max = 512 * 1024;           // kept from the beginning of each log
  std::size_t tail_size_max = 512 * 1024;           // and from its end
  std::size_t tail_memory_max = 256 * 1024 * 1024;  // for the ends of all logs that are being written
  std::size_t open_file_count_max = 128;
};

/// Logs in files below a folder (docs/formats/logs.md). Offsets count the bytes that the attempt has printed, kept or
/// not, so that a reader can follow a log whose middle is being left out. A log that was not closed, because the server
/// died, has its beginning and can be gone on with.
class FileLogStore final : public LogStore {
 public:
  /// Makes the folder if there is none. One that is not ours, or that others may write to, is refused.
  [[nodiscard]] static Result<std::unique_ptr<FileLogStore>> open(const std::filesystem::path& folder,
                                                                  const FileLogOptions& options = {});
  FileLogStore(const FileLogStore&) = delete;
  FileLogStore& operator=(const FileLogStore&) = delete;
  ~FileLogStore() override;

  void append(Uid uid, const AttemptKey& key, OutputStream stream, std::string_view bytes) override;
  /// The error is the first one that made bytes be left out. A log without output has no file.
  Result<> close(Uid uid, const AttemptKey& key) override;
  [[nodiscard]] Result<LogPage> read(Uid uid, const AttemptKey& key, std::int64_t offset,
                                     std::size_t count_max) override;
  Result<> remove(Uid uid, const std::vector<Seq>& runs) override;
  Result<> trim(Uid uid, Seq newest, std::int64_t size_max) override;

 private:
  class Logs;
  explicit FileLogStore(std::unique_ptr<Logs> logs);
  std::unique_ptr<Logs> logs_;
};

}  // namespace carillon
