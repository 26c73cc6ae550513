#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string_view>

namespace carillon {

// The words of documents, answers and the ledger. An enumerator is spelled as its word; the words themselves stand
// once, in words.cpp, and the schemas in contracts/ are held against them.

/// What happens to an occurrence while a run of its schedule is active.
enum class OverlapPolicy { skip, buffer_one, buffer_latest, buffer_all, cancel_other, terminate_other, allow_all };

/// Which of the occurrences that were missed are started.
enum class CatchupPolicy { latest, all, none };

/// How the distance between attempts grows.
enum class Backoff { fixed, linear, exponential };

/// What becomes of occurrences during a pause.
enum class PauseMissed { skip, buffer };

enum class ScheduleStatus { active, paused, disabled, done, dead };
enum class Activity { idle, running, error };

enum class RunState { waiting, queued, running, retrying, succeeded, failed, timed_out, cancelled, lost, expired };
/// `released`: it was claimed and given back before anything was launched.
enum class AttemptState { claimed, launched, succeeded, failed, timed_out, cancelled, lost, released };

/// Why an occurrence did not start.
enum class SkipReason {
  overlap,
  buffer_full,
  superseded,
  missed,
  quota,
  paused,
  deleted,
  condition,
  upstream,
  exhausted,
  clock,
  outage
};

/// Why no server decided for a while: none was running, the one there was halted, the clock was set forward, or the
/// store could not be used.
enum class OutageCause { down, halted, clock, store };

/// What made a run: the kind of its trigger.
enum class Source { schedule, catchup, trigger, backfill, chain, adhoc };

enum class DecisionOutcome { waiting, started, skipped };
enum class ChangeKind { created, updated, paused, resumed, enabled, disabled, deleted, reset };

/// What becomes of a command when the server that started it dies.
enum class OnOwnerLoss { kill, adopt };

enum class BackfillState { running, paused, completed, cancelled };
enum class BackfillOrder { oldest_first, newest_first };
/// Which occurrences of its range a backfill runs: those without a run, also those whose newest run failed, or all.
enum class Reprocess { missing, failed, all };

/// The words of an enum in the order of its enumerators; specialised for each of the above.
template <typename Enum>
std::span<const std::string_view> words_of() = delete;

template <>
std::span<const std::string_view> words_of<OverlapPolicy>();
template <>
std::span<const std::string_view> words_of<CatchupPolicy>();
template <>
std::span<const std::string_view> words_of<Backoff>();
template <>
std::span<const std::string_view> words_of<PauseMissed>();
template <>
std::span<const std::string_view> words_of<ScheduleStatus>();
template <>
std::span<const std::string_view> words_of<Activity>();
template <>
std::span<const std::string_view> words_of<RunState>();
template <>
std::span<const std::string_view> words_of<AttemptState>();
template <>
std::span<const std::string_view> words_of<SkipReason>();
template <>
std::span<const std::string_view> words_of<OutageCause>();
template <>
std::span<const std::string_view> words_of<Source>();
template <>
std::span<const std::string_view> words_of<DecisionOutcome>();
template <>
std::span<const std::string_view> words_of<ChangeKind>();
template <>
std::span<const std::string_view> words_of<OnOwnerLoss>();
template <>
std::span<const std::string_view> words_of<BackfillState>();
template <>
std::span<const std::string_view> words_of<BackfillOrder>();
template <>
std::span<const std::string_view> words_of<Reprocess>();

template <typename Enum>
concept Worded = requires { words_of<Enum>(); };

template <Worded Enum>
[[nodiscard]] std::string_view to_text(Enum value) {
  return words_of<Enum>()[static_cast<std::size_t>(value)];
}

/// The enumerator of a word, spelled exactly.
template <Worded Enum>
[[nodiscard]] std::optional<Enum> parse_word(std::string_view word) {
  const auto words = words_of<Enum>();
  const auto found = std::ranges::find(words, word);
  if (found == words.end()) return std::nullopt;
  return static_cast<Enum>(found - words.begin());
}

/// One enum of this header by name, for those who compare or print all of them.
struct WordList {
  std::string_view name;
  std::span<const std::string_view> words;
};
[[nodiscard]] std::array<WordList, 17> all_words();

/// A run or an attempt in one of these will never change again.
[[nodiscard]] constexpr bool is_terminal(RunState state) { return state >= RunState::succeeded; }
[[nodiscard]] constexpr bool is_terminal(AttemptState state) { return state >= AttemptState::succeeded; }

}  // namespace carillon
