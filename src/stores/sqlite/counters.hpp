#pragma once

#include "base/error.hpp"
#include "engine/keys.hpp"
#include "stores/sqlite/connection.hpp"
#include "stores/sqlite/statement.hpp"

#include <cstdint>

namespace carillon::sqlite {

/// The numbers that are given out once. They are read when a transaction begins and written before it ends, so that
/// also a second process would not give one out again.
class Counters {
 public:
  explicit Counters(Connection& connection);

  [[nodiscard]] Result<> load();
  [[nodiscard]] Result<> save();

  [[nodiscard]] Seq next_seq() { return static_cast<Seq>(++now_.seq); }
  [[nodiscard]] Uid next_uid() { return static_cast<Uid>(++now_.uid); }
  [[nodiscard]] SessionId next_session() { return static_cast<SessionId>(++now_.session); }

 private:
  struct Values {
    std::int64_t seq = 0;
    std::int64_t uid = 0;
    std::int64_t session = 0;
    friend bool operator==(const Values&, const Values&) = default;
  };

  Connection& connection_;
  Values stored_;
  Values now_;
  Statement load_;
  Statement save_;
};

}  // namespace carillon::sqlite
