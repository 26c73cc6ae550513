#pragma once

#include "base/error.hpp"
#include "base/instant.hpp"
#include "executors/process/detached_files.hpp"
#include "executors/process/messages.hpp"
#include "executors/process/output_spool.hpp"
#include "executors/process/program.hpp"
#include "files/file_descriptor.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace carillon {

/// A launch that may outlive its server.
struct DetachedLaunch {
  DetachTerms keeping;
  LaunchTag tag;
  Instant launched_at;
  std::array<FileDescriptor, 2> output{};  // to be read when there is no server to do it; by OutputStream
};

/// What a launcher holds for a later server: output that nobody else reads, and ends that nobody has recorded.
class DetachedLaunches {
 public:
  /// Without a folder nothing can be kept.
  explicit DetachedLaunches(std::filesystem::path folder);
  DetachedLaunches(const DetachedLaunches&) = delete;
  DetachedLaunches& operator=(const DetachedLaunches&) = delete;
  ~DetachedLaunches();

  /// Before anything that may be kept is started, so that what cannot be kept is never begun. For any thread.
  [[nodiscard]] Result<> prepare();
  /// Where a later server comes to; -1 before `prepare`. For any thread.
  [[nodiscard]] int listener();

  // For the guard alone.
  void add(LaunchId id, DetachedLaunch launch);
  [[nodiscard]] bool has(LaunchId id) const { return launches_.contains(id); }
  [[nodiscard]] std::size_t count() const { return launches_.size(); }
  [[nodiscard]] const DetachTerms& keeping_of(LaunchId id) const { return launches_.at(id).launch.keeping; }

  /// There is no server: from now on output is read here. Events of the poll have tokens that `stream_of` knows.
  void begin_reading(int poll);
  /// There is one again, who reads it.
  void end_reading(int poll);
  struct Stream {
    LaunchId id{};
    OutputStream stream = OutputStream::out;
  };
  [[nodiscard]] static std::optional<Stream> stream_of(std::uint64_t token);
  /// One piece of output; false when there is none for now, or ever.
  bool read(const Stream& stream, int poll);

  void end(const LaunchEnded& ended);
  /// Its end is in the store.
  void forget(LaunchId id) { launches_.erase(id); }
  /// The output that is kept has been passed on.
  void forget_output();

  /// Puts the ends on disk, for there is nobody to tell them to, and forgets them. What cannot be written is tried
  /// again, not at once, as long as the folder is there.
  void write_ends(int poll);
  [[nodiscard]] std::optional<Duration> next_try() const { return next_try_; }

  /// What a later server is told first, in order, `cause` being why those that run are ending.
  struct Message {
    std::string bytes;
    std::vector<int> files;  // of this keeper
  };
  [[nodiscard]] std::vector<Message> story(const std::map<LaunchId, StopCause>& causes);

 private:
  struct Entry {
    DetachedLaunch launch;
    OutputSpool spool{};
    std::optional<LaunchEnded> ended{};
  };

  [[nodiscard]] static DetachedLaunchInfo described(LaunchId id, const Entry& entry, StopCause cause);
  [[nodiscard]] static std::vector<DetachedOutput> output_of(LaunchId id, const Entry& entry);
  void close(FileDescriptor& file, int poll);
  void drain(LaunchId id, int poll);
  [[nodiscard]] bool write_end(LaunchId id, Entry& entry, int poll);

  const std::filesystem::path folder_;
  FileDescriptor place_;  // of the folder: not every thread here finds it by its name
  std::map<LaunchId, Entry> launches_;
  std::optional<Duration> next_try_;
  FileDescriptor nothing_;  // reads as empty
  std::vector<char> buffer_;

  std::mutex mutex_;
  std::optional<DetachedFiles> files_;
  std::string socket_name_;
  FileDescriptor listener_;
};

}  // namespace carillon
