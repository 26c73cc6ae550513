#pragma once

#include "base/error.hpp"
#include "base/instant.hpp"
#include "engine/keys.hpp"
#include "engine/schedule_state.hpp"
#include "ports/notifier.hpp"
#include "stores/sqlite/connection.hpp"
#include "stores/sqlite/statement.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace carillon::sqlite {

/// A row of `state` without its body: what writing needs to know of the present one.
struct StateRow {
  std::int64_t place = 0;
  Uid uid{};
  std::int64_t version = 0;
  std::optional<Instant> wake{};
  Seq last{};  // newest decision
  Seq run{};   // one run that is not counted yet; the others stand in `live`
  std::int64_t more = 0;
  std::int64_t backfills = 0;  // open ones
  std::int64_t flags = 0;
};

/// Where a new schedule's state is kept: beside those that wake at the same time of the day. Only a hint; it stays
/// what it was when the schedule is edited.
[[nodiscard]] std::int64_t place_of(Uid uid, const std::optional<Instant>& wake);

/// Writes `state`, `wake`, `live` and `quarantine`.
class StateRows {
 public:
  /// Says in `change` if a schedule is to be looked at earlier than before.
  StateRows(Connection& connection, StoreChange& change);

  [[nodiscard]] Result<std::optional<StateRow>> find(Uid uid);

  /// The state after a transition. A new one is inserted, an old one replaced; `row` says what else it shall be.
  [[nodiscard]] Result<> insert(const StateRow& row, const ScheduleState& next, const Writer& writer);
  [[nodiscard]] Result<> replace(const StateRow& before, const StateRow& row, const ScheduleState& next,
                                 const Writer& writer);

  /// Wakes a schedule that wants to know when one of its runs has ended.
  [[nodiscard]] Result<> wake_listener(Uid uid, Instant now);
  [[nodiscard]] Result<bool> quarantine(Uid uid, std::int64_t version, const std::string& error, Instant retry_at);

  [[nodiscard]] Result<> add_live(StateRow& row, Seq run);
  [[nodiscard]] Result<> drop_live(StateRow& row, Seq run);
  /// From now on the ends of all its live runs are heard.
  [[nodiscard]] Result<> listen_to_live(const StateRow& row);

 private:
  [[nodiscard]] Result<> move_wake(const StateRow& before, const StateRow& after);
  [[nodiscard]] Result<> set_wake(const StateRow& before, Instant wake, std::int64_t flags);

  Connection& connection_;
  StoreChange& change_;
  std::string body_;  // kept for its room
  Statement find_;
  Statement insert_;
  Statement replace_;
  Statement set_wake_;
  Statement add_wake_;
  Statement move_wake_;
  Statement drop_wake_;
  Statement add_live_;
  Statement drop_live_;
  Statement listen_to_run_;
  Statement listen_to_live_;
  Statement set_aside_;
  Statement take_back_;
};

}  // namespace carillon::sqlite
