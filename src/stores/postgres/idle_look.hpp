#pragma once

#include "base/instant.hpp"
#include "engine/keys.hpp"
#include "ports/clock.hpp"
#include "ports/run_queue.hpp"
#include "stores/postgres/clock_watch.hpp"
#include "stores/postgres/parameters.hpp"
#include "stores/postgres/result_rows.hpp"

#include <cstdint>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace carillon::postgres {

/// What the loops of an idle server would each ask once a second, asked for all of them in one statement by who looks
/// for changes anyway. A loop is answered from it as long as nothing is due, waits or is over, and nothing was written
/// since; otherwise it asks for itself. May be called from several threads.
class IdleLook {
 public:
  /// `good_for`: longer than the time between two looks. Without new ones everybody asks for himself again.
  IdleLook(Clock& clock, ClockWatch& clock_watch, Duration good_for);

  /// One look, from before it is sent until it is answered.
  struct Question {
    std::uint64_t writes = 0;
    Duration before{};
    std::vector<SessionId> sessions{};
  };
  [[nodiscard]] Question begin();
  /// Columns to be asked for, in a statement from the table `clock c`; `sessions` is the number of the parameter with
  /// the sessions.
  [[nodiscard]] static std::string columns(const std::string& schema, int sessions);
  /// `column` is the first of those.
  void take(const Question& question, const Row& row, int column);

  /// Something was written, here or elsewhere.
  void forget();
  /// A session of this process: whether it is live is asked as well.
  void add_session(SessionId session);
  void remove_session(SessionId session);

  struct Sight {
    Instant now;  // not later than what the database's clock shows
    ZoneEdition zone_edition{};
    std::optional<Instant> next_wake{};
    std::optional<Instant> first_lease_end{};
    bool has_waiting = false;         // runs wait in queues
    bool has_ended_sessions = false;  // which may have left runs behind
  };
  /// None: there was no look lately, or something was written since.
  [[nodiscard]] std::optional<Sight> sight();
  /// Whether the session was live at that look and its lease has not ended since.
  [[nodiscard]] bool is_live(SessionId session, Instant now);

 private:
  Clock& clock_;
  ClockWatch& clock_watch_;
  const Duration good_for_;
  std::mutex mutex_;
  // Guarded.
  std::uint64_t writes_ = 0;
  std::set<SessionId> sessions_;
  std::optional<Sight> sight_;
  Duration seen_at_{};                     // since boot
  std::set<SessionId> live_;               // all that were asked for, or none
  std::optional<Instant> first_live_end_;  // of these
};

}  // namespace carillon::postgres
