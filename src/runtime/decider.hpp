#pragma once

#include "ports/clock.hpp"
#include "ports/log.hpp"
#include "ports/run_queue.hpp"
#include "ports/schedule_store.hpp"
#include "runtime/clock_watch.hpp"
#include "runtime/leased_session.hpp"
#include "scheduling/edition_source.hpp"
#include "scheduling/shared_definitions.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>

namespace carillon {

struct DeciderOptions {
  std::size_t batch = 1'000;
  ServerShare share{};
  std::function<bool()> is_clock_synchronised{};  // none: nobody knows
  Instant clock_earliest = instant_min;           // a clock that shows less is wrong
  /// Clocks and store are read at least this often; at most a second. While others' writes are told, 0.4 times as
  /// often.
  Duration poll_period = std::chrono::seconds{1};
  std::function<bool()> hears_of_changes{};  // Notifier::is_prompt; none: never
  /// `alone`: nothing is done by another thread than the one that ticks, so that equal calls have equal effects.
  enum class Threads { helped, alone } threads = Threads::helped;
  /// Names a context among all that write to the store (EditionContext).
  std::function<std::int64_t()> server_number = unique_number;
};

/// The loop around `Scheduling`: decides what is due, watches the clock and the zone rules, and notes in the store that
/// this server decides. Driven from outside, by one thread that calls `tick`. An error is told and tried again; one
/// schedule that cannot be decided stops no other.
class Decider {
 public:
  /// Runs are claimed for `session` in the commits that start them; null if nothing is handed over.
  Decider(ScheduleStore& store, RunQueue& queue, SharedDefinitions& definitions, Clock& clock, Log& log,
          LeasedSession* session, DeciderOptions options);

  /// Does what is due. When to call again at the latest, since boot.
  [[nodiscard]] Duration tick();

  /// Whether decisions may be made by this time of the store's clock; an error `unavailable` says why not. From any
  /// thread.
  [[nodiscard]] Result<> check_clock(Instant store_now);
  /// What `tick` thinks of the store's clock. From any thread.
  [[nodiscard]] const ClockWatch& clock_watch() const { return clock_watch_; }

  /// The part of the schedules that this server decides first, from the next look on. From any thread.
  void set_share(ServerShare share) { share_ = share; }

  /// Tells the store that this server has decided until now, and goes on no more. After the last tick.
  void leave();

 private:
  /// What is due, read and decided before it is known that decisions may be made.
  struct ReadAhead {
    Duration sent;  // since boot
    RoundLimits limits;
    PreparedBatch batch;
  };
  /// Whether a look is all there is to do if the clock is right.
  [[nodiscard]] bool is_settled(Duration now) const;
  [[nodiscard]] RoundLimits limits() const { return {.count_max = options_.batch, .share = share_.load()}; }
  [[nodiscard]] std::optional<ReadAhead> read_ahead(Duration now);
  void take_up_zones(Duration now);
  [[nodiscard]] Result<ClockWatch::Verdict> look_at_clock(Duration now, Instant store_now);
  /// Whether decisions may be made by the store's clock now, and that this server makes them is known.
  [[nodiscard]] bool may_decide(Duration now);
  [[nodiscard]] bool note_presence(Duration now, Instant store_now);
  [[nodiscard]] bool reopen_future(Instant store_now);
  [[nodiscard]] Duration poll_period() const;
  /// When to look again, since boot.
  [[nodiscard]] Duration decide();
  [[nodiscard]] Result<Round> decide_in_batches(Duration until, std::optional<ReadAhead> ahead);
  [[nodiscard]] Result<Round> write(PreparedBatch prepared);
  [[nodiscard]] Result<Round> write_claiming(PreparedBatch prepared, const std::optional<ClaimRequest>& claim);
  [[nodiscard]] Scheduling& scheduling() { return editions_.context().scheduling; }
  void tell(std::string_view event, const Error& error);

  ScheduleStore& store_;
  RunQueue& queue_;
  SharedDefinitions& definitions_;
  Clock& clock_;
  Log& log_;
  LeasedSession* session_;
  DeciderOptions options_;
  std::atomic<ServerShare> share_;
  ClockWatch clock_watch_;
  EditionSource editions_;
  bool must_adopt_ = true;
  bool must_reopen_ = true;  // what a clock that was ahead has decided
  bool has_gone_back_ = false;
  bool is_held_told_ = false;
  std::optional<Instant> present_since_;  // by the store's clock: since then it has decided without a break
  bool has_stepped_ = false;              // the clock, since the last note
  bool has_lost_store_ = false;           // it could not be read or written, since the last note
  Duration last_look_{};                  // when it was last allowed to decide and the store knew, since boot
  Duration next_note_{};
  std::optional<ReadAhead> ahead_;         // during a tick; dropped by whatever changes what is to be decided
  std::optional<std::string> last_error_;  // told once, not every second
  Duration next_zone_look_{};
};

}  // namespace carillon
