#pragma once

#include "base/error.hpp"
#include "base/instant.hpp"
#include "engine/keys.hpp"
#include "stores/sqlite/connection.hpp"
#include "stores/sqlite/statement.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>

namespace carillon::sqlite {

/// The numbers that are given out once, and the latest time. They are read when a transaction begins and written before
/// it ends, so that also a second process would not give one out again.
class Counters {
 public:
  explicit Counters(Connection& connection);

  [[nodiscard]] Result<> load();
  /// Writes them, if anything at all was written in this transaction.
  [[nodiscard]] Result<> save();
  /// The time something is written at.
  void note(Instant now) { now_.newest_write = std::max(now_.newest_write, now); }

  /// The offset of the wall clock as the times of leases and waits were written; none if nobody has written any since
  /// the file was opened.
  [[nodiscard]] std::optional<Duration> clock_offset() const { return now_.clock_offset; }
  void set_clock_offset(Duration offset) { now_.clock_offset = offset; }

  [[nodiscard]] Seq next_seq() { return static_cast<Seq>(++now_.seq); }
  [[nodiscard]] Uid next_uid() { return static_cast<Uid>(++now_.uid); }
  /// The first of so many positions in the feed.
  [[nodiscard]] std::int64_t take_positions(std::int64_t count) {
    now_.feed += count;
    return now_.feed - count + 1;
  }
  [[nodiscard]] SessionId next_session() { return static_cast<SessionId>(++now_.session); }

 private:
  struct Values {
    std::int64_t seq = 0;
    std::int64_t uid = 0;
    std::int64_t session = 0;
    std::int64_t feed = 0;
    Instant newest_write{};
    std::optional<Duration> clock_offset{};
    friend bool operator==(const Values&, const Values&) = default;
  };

  Connection& connection_;
  Values stored_;
  Values now_;
  std::int64_t change_count_ = 0;  // of the connection, when the transaction began
  Statement load_;
  Statement save_;
};

}  // namespace carillon::sqlite
