#include "executors/process/detached_launches.hpp"

#include "executors/process/system_calls.hpp"

#include <fcntl.h>
#include <sys/epoll.h>

#include <cerrno>
#include <utility>

namespace carillon {
namespace {

constexpr std::array detached_streams{OutputStream::out, OutputStream::error};
constexpr std::size_t detached_piece_size = 64 * 1024;
/// What may be left in a pipe when nobody writes to it any more; more comes only from somebody who escaped.
constexpr std::size_t detached_rest_max = 1024 * 1024;
constexpr Duration retry_pause = std::chrono::seconds{1};

// No launch has such a number, and no event of the guard's own such a token.
constexpr std::uint64_t stream_bit = std::uint64_t{1} << 62;
constexpr std::uint64_t other_bits = std::uint64_t{1} << 63;

constexpr std::uint64_t detached_token(LaunchId id, OutputStream stream) {
  return stream_bit | (static_cast<std::uint64_t>(id) * 2 + static_cast<std::uint64_t>(stream));
}

}  // namespace

DetachedLaunches::DetachedLaunches(std::filesystem::path folder) : folder_{std::move(folder)} {
  if (!folder_.empty()) place_.reset(::open(folder_.parent_path().c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
}

DetachedLaunches::~DetachedLaunches() {
  if (listener_.is_open()) files_->remove(socket_name_);
}

Result<> DetachedLaunches::prepare() {
  const std::lock_guard lock{mutex_};
  if (listener_.is_open()) return {};
  if (folder_.empty()) return fail(ErrorCode::invalid_argument, "onOwnerLoss: adopt needs a data folder");
  if (!files_) files_ = TRY(DetachedFiles::make_in(place_.get(), folder_));
  const std::string name = DetachedFiles::socket_name();
  listener_ = TRY(files_->listen(name));
  socket_name_ = name;
  return {};
}

int DetachedLaunches::listener() {
  const std::lock_guard lock{mutex_};
  return listener_.get();
}

void DetachedLaunches::add(LaunchId id, DetachedLaunch launch) {
  launches_.emplace(id, Entry{.launch = std::move(launch)});
}

void DetachedLaunches::begin_reading(int poll) {
  if (buffer_.empty()) buffer_.resize(detached_piece_size);
  for (auto& [id, entry] : launches_) {
    for (const OutputStream stream : detached_streams) {
      FileDescriptor& file = entry.launch.output[static_cast<std::size_t>(stream)];
      epoll_event event{.events = EPOLLIN, .data = {.u64 = detached_token(id, stream)}};
      if (!file.is_open() || ::epoll_ctl(poll, EPOLL_CTL_ADD, file.get(), &event) == 0 || errno == EEXIST) continue;
      // A command must not wait for ever for someone to read its output.
      file.reset();
    }
  }
}

void DetachedLaunches::end_reading(int poll) {
  for (const auto& [id, entry] : launches_) {
    for (const FileDescriptor& file : entry.launch.output) ::epoll_ctl(poll, EPOLL_CTL_DEL, file.get(), nullptr);
  }
}

std::optional<DetachedLaunches::Stream> DetachedLaunches::stream_of(std::uint64_t token) {
  if ((token & other_bits) != 0 || (token & stream_bit) == 0) return std::nullopt;
  const std::uint64_t number = token & ~stream_bit;
  return Stream{.id = LaunchId{number / 2}, .stream = static_cast<OutputStream>(number % 2)};
}

void DetachedLaunches::close(FileDescriptor& file, int poll) {
  ::epoll_ctl(poll, EPOLL_CTL_DEL, file.get(), nullptr);
  file.reset();
}

bool DetachedLaunches::read(const Stream& stream, int poll) {
  const auto found = launches_.find(stream.id);
  if (found == launches_.end()) return false;
  FileDescriptor& file = found->second.launch.output[static_cast<std::size_t>(stream.stream)];
  if (!file.is_open()) return false;
  const ssize_t count = ::read(file.get(), buffer_.data(), buffer_.size());
  if (count > 0) {
    found->second.spool.add(stream.stream, {buffer_.data(), static_cast<std::size_t>(count)});
    return true;
  }
  if (count == 0 || (errno != EAGAIN && errno != EINTR)) close(file, poll);
  return false;
}

void DetachedLaunches::drain(LaunchId id, int poll) {
  for (const OutputStream stream : detached_streams) {
    for (std::size_t i = 0; i < detached_rest_max / detached_piece_size && read({.id = id, .stream = stream}, poll);
         ++i)
      continue;
  }
}

void DetachedLaunches::end(const LaunchEnded& ended) {
  if (const auto found = launches_.find(ended.id); found != launches_.end()) found->second.ended = ended;
}

void DetachedLaunches::forget_output() {
  for (auto& [id, entry] : launches_) entry.spool.clear();
}

void DetachedLaunches::write_ends(int poll) {
  if (next_try_ && boot_now() < *next_try_) return;
  next_try_.reset();
  for (auto launch = launches_.begin(); launch != launches_.end();) {
    auto& [id, entry] = *launch;
    if (entry.ended && write_end(id, entry, poll))
      launch = launches_.erase(launch);
    else
      ++launch;
  }
}

bool DetachedLaunches::write_end(LaunchId id, Entry& entry, int poll) {
  drain(id, poll);
  const auto written = files_->write_end(
      {.kept = described(id, entry, entry.ended->cause), .ended = *entry.ended, .output = output_of(id, entry)});
  if (!written && !files_->is_removed()) {
    next_try_ = boot_now() + retry_pause;
    return false;
  }
  for (FileDescriptor& file : entry.launch.output) close(file, poll);
  return true;
}

DetachedLaunchInfo DetachedLaunches::described(LaunchId id, const Entry& entry, StopCause cause) {
  return {.id = id,
          .key = entry.launch.keeping.key,
          .tag = entry.launch.tag,
          .launched_at = entry.launch.launched_at,
          .timeout_at = entry.launch.keeping.timeout_at,
          .cause = cause};
}

std::vector<DetachedOutput> DetachedLaunches::output_of(LaunchId id, const Entry& entry) {
  std::vector<DetachedOutput> output;
  for (OutputSpool::Piece& piece : entry.spool.pieces())
    output.push_back({.id = id, .stream = piece.stream, .bytes = std::move(piece.bytes)});
  return output;
}

std::vector<DetachedLaunches::Message> DetachedLaunches::story(const std::map<LaunchId, StopCause>& causes) {
  if (!nothing_.is_open()) nothing_.reset(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  std::vector<Message> messages{{.bytes = std::string{kept_format}, .files = {}}};
  for (const auto& [id, entry] : launches_) {
    const StopCause cause = entry.ended ? entry.ended->cause : causes.at(id);
    std::vector<int> files;
    for (const FileDescriptor& file : entry.launch.output) files.push_back((file.is_open() ? file : nothing_).get());
    messages.push_back({.bytes = to_bytes(LauncherReply{described(id, entry, cause)}), .files = std::move(files)});
    for (const DetachedOutput& output : output_of(id, entry))
      messages.push_back({.bytes = to_bytes(LauncherReply{output}), .files = {}});
  }
  messages.push_back({.bytes = to_bytes(LauncherReply{DetachedListEnd{}}), .files = {}});
  for (const auto& [id, entry] : launches_)
    if (entry.ended) messages.push_back({.bytes = to_bytes(LauncherReply{*entry.ended}), .files = {}});
  return messages;
}

}  // namespace carillon
