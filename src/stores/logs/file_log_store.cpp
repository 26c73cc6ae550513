#include "stores/logs/file_log_store.hpp"

#include "stores/logs/log_folder.hpp"
#include "stores/logs/log_page.hpp"
#include "stores/logs/log_text.hpp"
#include "stores/logs/open_files.hpp"
#include "stores/logs/open_log.hpp"
#include "stores/logs/tail_ring.hpp"

#include <algorithm>
#include <map>
#include <mutex>
#include <new>
#include <utility>

namespace carillon {
namespace {

/// A log that is being written. Its own mutex is held while the disk works; that of the store is not.
struct GuardedLog {
  template <typename... Args>
  explicit GuardedLog(Args&&... args) : log{std::forward<Args>(args)...} {}

  std::mutex mutex;
  OpenLog log;
};

}  // namespace

class FileLogStore::Logs {
 public:
  Logs(LogFolder folder, const FileLogOptions& options)
      : options_{options},
        folder_{std::move(folder)},
        files_{folder_, std::max<std::size_t>(1, options.open_file_count_max)},
        memory_{options.tail_memory_max} {}

  const LogFolder& folder() const { return folder_; }

  /// Shared, because one thread may read a log that another closes.
  std::shared_ptr<GuardedLog> find(const LogKey& key) {
    const std::lock_guard lock{mutex_};
    const auto found = open_.find(key);
    return found == open_.end() ? nullptr : found->second;
  }

  std::shared_ptr<GuardedLog> find_or_begin(const LogKey& key) {
    const std::lock_guard lock{mutex_};
    auto& log = open_[key];
    if (!log) log = std::make_shared<GuardedLog>(key, files_, memory_, options_.head_size_max, options_.tail_size_max);
    return log;
  }

  std::vector<LogKey> open_ones_of(Uid uid, const std::vector<Seq>& runs) {
    std::vector<LogKey> keys;
    const std::lock_guard lock{mutex_};
    for (const Seq run : runs) {
      const LogKey first{.uid = uid, .attempt = {.run = run, .attempt = 0}};
      for (auto log = open_.lower_bound(first); log != open_.end() && log->first.uid == uid; ++log) {
        if (log->first.attempt.run != run) break;
        keys.push_back(log->first);
      }
    }
    return keys;
  }

  void forget(const LogKey& key) {
    files_.forget(key);
    const std::lock_guard lock{mutex_};
    open_.erase(key);
  }

 private:
  const FileLogOptions options_;
  const LogFolder folder_;
  OpenFiles files_;
  TailMemory memory_;

  std::mutex mutex_;
  std::map<LogKey, std::shared_ptr<GuardedLog>> open_;
};

FileLogStore::FileLogStore(std::unique_ptr<Logs> logs) : logs_{std::move(logs)} {}
FileLogStore::~FileLogStore() = default;

Result<std::unique_ptr<FileLogStore>> FileLogStore::open(const std::filesystem::path& folder,
                                                         const FileLogOptions& options) {
  auto logs = std::make_unique<Logs>(TRY(LogFolder::open(folder)), options);
  return std::unique_ptr<FileLogStore>{new FileLogStore{std::move(logs)}};
}

void FileLogStore::append(Uid uid, const AttemptKey& key, OutputStream stream, std::string_view bytes) try {
  if (bytes.empty()) return;
  const LogKey log_key{.uid = uid, .attempt = key};
  const auto guarded = logs_->find_or_begin(log_key);
  bool is_closed = false;
  {
    const std::lock_guard lock{guarded->mutex};
    guarded->log.append(stream, bytes);
    is_closed = guarded->log.is_closed();
  }
  if (is_closed) logs_->forget(log_key);
} catch (const std::bad_alloc&) {
  // There is not even memory for the beginning of a log; what an attempt prints shall not end the server.
}

Result<> FileLogStore::close(Uid uid, const AttemptKey& key) {
  const LogKey log_key{.uid = uid, .attempt = key};
  const auto guarded = logs_->find(log_key);
  if (!guarded) return {};
  Result<> closed;
  {
    const std::lock_guard lock{guarded->mutex};
    closed = guarded->log.close();
  }
  logs_->forget(log_key);
  return closed;
}

Result<LogPage> FileLogStore::read(Uid uid, const AttemptKey& key, std::int64_t offset, std::size_t count_max) {
  if (offset < 0) return fail(ErrorCode::invalid_argument, "a log has no byte {}", offset);
  const LogKey log_key{.uid = uid, .attempt = key};
  if (const auto guarded = logs_->find(log_key)) {
    const std::lock_guard lock{guarded->mutex};
    return guarded->log.read(offset, count_max);
  }
  auto bytes = logs_->folder().read_file(log_key);
  if (!bytes && bytes.error().code == ErrorCode::not_found && logs_->folder().is_trimmed(log_key))
    bytes.error().rule = log_removed_rule;
  const DecodedLog log = decode_log(TRY(std::move(bytes)));
  return page_of({.head = log.head, .left_out_count = log.left_out_count, .tail = log.tail, .is_ended = true}, offset,
                 count_max);
}

// Runs that have ended long ago: none of them is open.
Result<> FileLogStore::trim(Uid uid, Seq newest, std::int64_t size_max) {
  return logs_->folder().trim(uid, newest, size_max);
}

Result<> FileLogStore::remove(Uid uid, const std::vector<Seq>& runs) {
  for (const LogKey& key : logs_->open_ones_of(uid, runs)) {
    if (const auto guarded = logs_->find(key)) {
      const std::lock_guard lock{guarded->mutex};
      guarded->log.abandon();
    }
    logs_->forget(key);
  }
  return logs_->folder().remove(uid, runs);
}

}  // namespace carillon
