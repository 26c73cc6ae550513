#pragma once

#include "base/error.hpp"
#include "executors/pipeline/journal_line.hpp"
#include "files/file_descriptor.hpp"

#include <array>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>

namespace carillon::pipeline {

/// What the attempts of a run have spent so far. Tokens and cost are those that providers have told.
struct JournalTotals {
  std::int64_t calls = 0;
  std::int64_t input_tokens = 0;
  std::int64_t output_tokens = 0;
  double cost = 0;
  friend bool operator==(const JournalTotals&, const JournalTotals&) = default;
};

/// The answers of one run, in a file that all of its attempts share: what was answered is never asked again, whatever
/// becomes of the process.
///
/// A question is written down before it is sent, and an answer is on disk before it counts. Answers that come at the
/// same time share one write to disk, at most one every five milliseconds. Of a process that dies in the middle of a
/// line the line is dropped; damage anywhere else is an error, since an answer may be lost that was paid for.
///
/// May be used from several threads. After a write has failed, as on a full disk, every later one fails with the same
/// error, and the file ends with its last whole line.
class Journal {
 public:
  /// Makes the file, mode 0600, or goes on with it. Errors: `conflict` if another process has it open or the inputs are
  /// not those that the run began with (the message names the file that has changed); `corrupt` if a line is damaged.
  [[nodiscard]] static Result<std::unique_ptr<Journal>> open(const std::filesystem::path& file,
                                                             const JournalStart& start);
  /// Makes the journal of a run that begins with what another run was answered, and asks only for the rest; does
  /// nothing if it has one. What the other run has spent is not counted again. Errors: `not_found` if the earlier
  /// journal is not kept any more, `conflict` if its run is still under way, `corrupt` if it is damaged.
  [[nodiscard]] static Result<> begin_with_answers_of(const std::filesystem::path& earlier,
                                                      const std::filesystem::path& file, const std::string& run);
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;

  /// The answer that was there when the journal was opened, unless it has been written as failed since. What is
  /// answered later is not remembered: a run asks no question twice.
  [[nodiscard]] Result<std::optional<AnsweredRecord>> find(const QuestionKey& key);

  /// To be called before the question is sent.
  [[nodiscard]] Result<> write_asked(const QuestionKey& key);
  /// Returns when the answer is on disk.
  [[nodiscard]] Result<> write_answered(const AnsweredRecord& record);
  /// The question may be asked again in the next attempt.
  [[nodiscard]] Result<> write_failed(const FailedRecord& record);

  /// What had been spent when the journal was opened.
  [[nodiscard]] const JournalTotals& earlier() const { return earlier_; }
  /// Questions that were sent before the journal was opened and whose fate is unknown: they are asked again, and may be
  /// paid twice.
  [[nodiscard]] std::size_t uncertain_count() const { return uncertain_count_; }

 private:
  /// Where a line stands in the file.
  struct Place {
    std::uint64_t begin = 0;
    std::uint64_t size = 0;
  };
  /// A key by the first half of its digest, since a journal may hold a hundred thousand. Whoever finds a line by it
  /// compares the whole key.
  struct BriefKey {
    std::array<std::uint64_t, 2> digest{};
    std::uint64_t number = 0;
    friend bool operator==(const BriefKey&, const BriefKey&) = default;
  };
  struct BriefKeyHash {
    std::size_t operator()(const BriefKey& key) const { return key.digest[0] + key.number; }
  };
  class Scan;

  [[nodiscard]] static BriefKey brief(const QuestionKey& key);

  Journal(std::filesystem::path path, FileDescriptor file) : path_{std::move(path)}, file_{std::move(file)} {}

  [[nodiscard]] Result<> load(const JournalStart& start);
  /// Goes through all records; `take_start` may refuse the first. Leaves `end_` behind the last whole one.
  [[nodiscard]] Result<> read_records(const std::function<Result<>(const JournalStart&)>& take_start);
  [[nodiscard]] Result<AnsweredRecord> read_answer(const Place& place);
  /// Writes a whole journal with the answers of this one.
  [[nodiscard]] Result<> write_answers_to(const std::filesystem::path& file, const JournalStart& start);
  void note(const JournalRecord& record, const Place& place);
  /// Adds a line; the mutex is held.
  [[nodiscard]] Result<Place> append(const std::string& line);
  [[nodiscard]] Result<> sync_through(std::uint64_t end);
  [[nodiscard]] std::unexpected<Error> broken(std::string_view do_what, int error);

  const std::filesystem::path path_;
  const FileDescriptor file_;
  JournalTotals earlier_;
  std::size_t uncertain_count_ = 0;

  std::mutex mutex_;
  std::condition_variable is_synced_;
  // Guarded.
  std::unordered_map<BriefKey, Place, BriefKeyHash> answers_;
  std::set<QuestionKey> open_questions_;  // while loading: asked, without an end
  std::uint64_t end_ = 0;
  std::uint64_t synced_ = 0;
  bool is_syncing_ = false;
  std::chrono::steady_clock::time_point last_sync_{};
  std::optional<Error> failure_;
};

}  // namespace carillon::pipeline
