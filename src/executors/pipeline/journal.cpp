#include "executors/pipeline/journal.hpp"

#include "base/quoted.hpp"
#include "files/private_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <system_error>
#include <utility>
#include <vector>

namespace carillon::pipeline {
namespace {

constexpr std::chrono::milliseconds sync_interval{5};
/// An answer of the largest size, every character escaped.
constexpr std::size_t journal_line_size_max = 128 * 1024 * 1024;

std::unexpected<Error> journal_error(ErrorCode code, const std::filesystem::path& file, std::string_view what,
                                     std::string hint = {}) {
  auto error = fail(code, "the journal {} {}", carillon::quoted(file.native()), what);
  error.error().hint = std::move(hint);
  return error;
}

Result<> sync_parent_of(const std::filesystem::path& file) {
  const FileDescriptor folder{::open(file.parent_path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
  if (!folder.is_open() || ::fsync(folder.get()) != 0)
    return journal_error(ErrorCode::unavailable, file,
                         fmt::format("cannot be made: {}", std::generic_category().message(errno)));
  return {};
}

/// The file that has changed since the run began.
std::string changed_input(const JournalStart& then, const JournalStart& now) {
  for (const auto& [name, digest] : now.inputs) {
    const auto before = then.inputs.find(name);
    if (before == then.inputs.end() || before->second != digest) return name;
  }
  return then.inputs.empty() ? std::string{} : then.inputs.begin()->first;
}

}  // namespace

/// Goes through the lines of a file.
class Journal::Scan {
 public:
  explicit Scan(int file) : file_{file} {}

  /// The next line without its end; none behind the last whole one.
  [[nodiscard]] Result<std::optional<std::string_view>> next() {
    for (;;) {
      const std::size_t line_end = bytes_.find('\n', searched_);
      if (line_end != bytes_.npos) {
        const std::string_view line = std::string_view{bytes_}.substr(used_, line_end - used_);
        place_ = {.begin = start_ + used_, .size = line.size() + 1};
        used_ = searched_ = line_end + 1;
        return line;
      }
      if (bytes_.size() - used_ > journal_line_size_max) return std::nullopt;
      if (!TRY(fill())) return std::nullopt;
    }
  }
  [[nodiscard]] const Place& place() const { return place_; }

 private:
  [[nodiscard]] Result<bool> fill() {
    constexpr std::size_t step = 256 * 1024;
    bytes_.erase(0, used_);
    start_ += used_;
    used_ = 0;
    searched_ = bytes_.size();
    const std::size_t before = bytes_.size();
    bytes_.resize(before + step);
    const ssize_t count = ::pread(file_, bytes_.data() + before, step, static_cast<off_t>(start_ + before));
    bytes_.resize(before + static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
    if (count < 0) return fail(ErrorCode::unavailable, "cannot be read: {}", std::generic_category().message(errno));
    return count > 0;
  }

  int file_;
  std::string bytes_;
  std::uint64_t start_ = 0;   // of the bytes, in the file
  std::size_t used_ = 0;      // of the bytes, by lines that were given out
  std::size_t searched_ = 0;  // no line end before this
  Place place_{};
};

Result<std::unique_ptr<Journal>> Journal::open(const std::filesystem::path& file, const JournalStart& start) {
  FileDescriptor opened = TRY(open_or_create_private_file(file));
  if (::flock(opened.get(), LOCK_EX | LOCK_NB) != 0)
    return journal_error(ErrorCode::conflict, file, "is in use by another process");
  std::unique_ptr<Journal> journal{new Journal{file, std::move(opened)}};
  TRY(journal->load(start));
  return journal;
}

Result<> Journal::read_records(const std::function<Result<>(const JournalStart&)>& take_start) {
  Scan scan{file_.get()};
  std::optional<std::size_t> damaged_line;
  for (std::size_t number = 1;; ++number) {
    const auto line = TRY(scan.next());
    if (!line) break;
    const auto record = parse_line(*line);
    if (!record) {
      if (!damaged_line) damaged_line = number;
      continue;
    }
    // The last lines may be damaged by a power cut: nobody has relied on them.
    if (damaged_line)
      return journal_error(ErrorCode::corrupt, path_, fmt::format("is damaged in line {}", *damaged_line),
                           "answers that were paid for may be lost; a new run begins afresh");
    if (number == 1 && !std::holds_alternative<JournalStart>(*record))
      return journal_error(ErrorCode::corrupt, path_, "has no beginning");
    if (const auto* start = std::get_if<JournalStart>(&*record)) TRY(take_start(*start));
    note(*record, scan.place());
    end_ = scan.place().begin + scan.place().size;
  }
  return {};
}

Result<> Journal::load(const JournalStart& start) {
  TRY(read_records([&](const JournalStart& then) -> Result<> {
    if (then == start) return {};
    return journal_error(ErrorCode::conflict, path_,
                         then.run != start.run
                             ? "is that of another run"
                             : fmt::format("was begun with another {}", carillon::quoted(changed_input(then, start))),
                         "the inputs of a run must not change between its attempts; a new run takes them as they are");
  }));
  uncertain_count_ = open_questions_.size();
  open_questions_.clear();
  if (::ftruncate(file_.get(), static_cast<off_t>(end_)) != 0) return broken("cut", errno);
  if (::lseek(file_.get(), static_cast<off_t>(end_), SEEK_SET) < 0) return broken("read", errno);
  if (end_ > 0) return {};
  TRY(append(to_line(start)));
  TRY(sync_through(end_));
  return sync_parent_of(path_);
}

Journal::BriefKey Journal::brief(const QuestionKey& key) {
  constexpr std::size_t digits = 16;
  BriefKey short_key{.digest = {}, .number = key.number};
  for (std::size_t i = 0; i < short_key.digest.size(); ++i) {
    const std::string_view part = std::string_view{key.digest}.substr(std::min(i * digits, key.digest.size()), digits);
    std::from_chars(part.data(), part.data() + part.size(), short_key.digest[i], 16);
  }
  return short_key;
}

Result<> Journal::begin_with_answers_of(const std::filesystem::path& earlier, const std::filesystem::path& file,
                                        const std::string& run) {
  std::error_code unknown;
  if (std::filesystem::exists(file, unknown)) return {};
  FileDescriptor opened{::open(earlier.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW)};
  if (!opened.is_open())
    return journal_error(errno == ENOENT ? ErrorCode::not_found : ErrorCode::unavailable, earlier,
                         fmt::format("cannot be read: {}", std::generic_category().message(errno)));
  if (::flock(opened.get(), LOCK_SH | LOCK_NB) != 0)
    return journal_error(ErrorCode::conflict, earlier, "is in use by another process");
  Journal before{earlier, std::move(opened)};
  JournalStart start;
  TRY(before.read_records([&](const JournalStart& then) -> Result<> {
    start = then;
    return {};
  }));
  start.run = run;
  return before.write_answers_to(file, start);
}

Result<> Journal::write_answers_to(const std::filesystem::path& file, const JournalStart& start) {
  // Under its name there is either a whole journal or none: an attempt that is repeated begins here again.
  const std::filesystem::path draft = file.native() + ".draft";
  std::error_code ignored;
  std::filesystem::remove(draft, ignored);
  {
    const FileDescriptor opened = TRY(open_or_create_private_file(draft));
    TRY(write_open_file(opened.get(), draft, to_line(start)));
    for (const auto& [key, place] : answers_) {
      AnsweredRecord record = TRY(read_answer(place));
      record.is_reused = true;
      TRY(write_open_file(opened.get(), draft, to_line(record)));
    }
    if (::fsync(opened.get()) != 0)
      return journal_error(ErrorCode::unavailable, file,
                           fmt::format("cannot be made: {}", std::generic_category().message(errno)));
  }
  if (std::error_code error; std::filesystem::rename(draft, file, error), error)
    return journal_error(ErrorCode::unavailable, file, fmt::format("cannot be made: {}", error.message()));
  return sync_parent_of(file);
}

void Journal::note(const JournalRecord& record, const Place& place) {
  if (const auto* asked = std::get_if<AskedRecord>(&record)) {
    ++earlier_.calls;
    open_questions_.insert(asked->key);
  } else if (const auto* answered = std::get_if<AnsweredRecord>(&record)) {
    open_questions_.erase(answered->key);
    answers_.insert_or_assign(brief(answered->key), place);
    if (answered->is_reused) return;
    earlier_.input_tokens += answered->answer.usage.input_tokens.value_or(0);
    earlier_.output_tokens += answered->answer.usage.output_tokens.value_or(0);
    earlier_.cost += answered->cost.value_or(0);
  } else if (const auto* failed = std::get_if<FailedRecord>(&record)) {
    open_questions_.erase(failed->key);
    answers_.erase(brief(failed->key));
  }
}

Result<std::optional<AnsweredRecord>> Journal::find(const QuestionKey& key) {
  Place place;
  {
    const std::lock_guard lock{mutex_};
    const auto found = answers_.find(brief(key));
    if (found == answers_.end()) return std::nullopt;
    place = found->second;
  }
  AnsweredRecord record = TRY(read_answer(place));
  if (record.key != key) return std::nullopt;
  return record;
}

Result<AnsweredRecord> Journal::read_answer(const Place& place) {
  std::string line(place.size - 1, '\0');
  const ssize_t count = ::pread(file_.get(), line.data(), line.size(), static_cast<off_t>(place.begin));
  if (count != static_cast<ssize_t>(line.size()))
    return journal_error(ErrorCode::unavailable, path_, "cannot be read any more");
  return std::get<AnsweredRecord>(TRY(parse_line(line)));
}

Result<> Journal::write_asked(const QuestionKey& key) {
  const std::string line = to_line(AskedRecord{key});
  const std::lock_guard lock{mutex_};
  TRY(append(line));
  return {};
}

Result<> Journal::write_answered(const AnsweredRecord& record) {
  const std::string line = to_line(record);
  Place place;
  {
    const std::lock_guard lock{mutex_};
    place = TRY(append(line));
  }
  return sync_through(place.begin + place.size);
}

Result<> Journal::write_failed(const FailedRecord& record) {
  const std::string line = to_line(record);
  const std::lock_guard lock{mutex_};
  TRY(append(line));
  answers_.erase(brief(record.key));
  return {};
}

std::unexpected<Error> Journal::broken(std::string_view do_what, int error) {
  failure_ = journal_error(ErrorCode::unavailable, path_,
                           fmt::format("cannot be {}: {}", do_what, std::generic_category().message(error)))
                 .error();
  return std::unexpected(*failure_);
}

Result<Journal::Place> Journal::append(const std::string& line) {
  if (failure_) return std::unexpected(*failure_);
  if (const auto written = write_open_file(file_.get(), path_, line); !written) {
    // Half a line would be taken for damage by the next attempt.
    failure_ = written.error();
    (void)!::ftruncate(file_.get(), static_cast<off_t>(end_));
    return std::unexpected(*failure_);
  }
  const Place place{.begin = end_, .size = line.size()};
  end_ += line.size();
  return place;
}

Result<> Journal::sync_through(std::uint64_t end) {
  std::unique_lock lock{mutex_};
  while (synced_ < end) {
    if (failure_) return std::unexpected(*failure_);
    if (is_syncing_) {
      is_synced_.wait(lock);
      continue;
    }
    // One of those who wait syncs for all; who comes before it begins is among them.
    is_syncing_ = true;
    const auto turn = last_sync_ + sync_interval;
    while (std::chrono::steady_clock::now() < turn) is_synced_.wait_until(lock, turn);
    const std::uint64_t target = end_;
    lock.unlock();
    const int outcome = ::fdatasync(file_.get());
    const int error = errno;
    lock.lock();
    is_syncing_ = false;
    last_sync_ = std::chrono::steady_clock::now();
    if (outcome != 0)
      (void)broken("written to disk", error);
    else
      synced_ = target;
    is_synced_.notify_all();
  }
  return {};
}

}  // namespace carillon::pipeline
