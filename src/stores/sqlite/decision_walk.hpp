#pragma once

#include "base/error.hpp"
#include "base/instant.hpp"
#include "definitions/words.hpp"
#include "engine/keys.hpp"
#include "stores/sqlite/connection.hpp"
#include "stores/sqlite/statement.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>

namespace carillon::sqlite {

/// A decision, as far as it tells whether it is wanted.
struct WalkedDecision {
  Seq seq{};
  Uid uid{};
  Seq previous{};  // of the same schedule
  Instant at;
  Instant nominal;
  Source source = Source::schedule;
  DecisionOutcome outcome = DecisionOutcome::waiting;
  std::optional<RunState> state{};
  std::int64_t queue = 0;
  std::optional<Instant> queued_at{};
};

/// Goes through decisions from the newest back: all of them, or by the chain those of one schedule.
class DecisionWalk {
 public:
  explicit DecisionWalk(Connection& connection);

  /// Says whether to go on.
  using Visit = std::function<Result<bool>(const WalkedDecision&)>;

  /// Visits those before a seq, if one is given. Looks at no more than `look_count_max` rows: then it says where to go
  /// on. None: there are no more, or the visitor has had enough.
  [[nodiscard]] Result<std::optional<Seq>> all(std::optional<Seq> before, std::size_t look_count_max,
                                               const Visit& visit);
  [[nodiscard]] Result<std::optional<Seq>> of(Uid uid, std::optional<Seq> before, std::size_t look_count_max,
                                              const Visit& visit);

 private:
  [[nodiscard]] Result<std::optional<WalkedDecision>> find(Seq seq);
  [[nodiscard]] Result<std::optional<Seq>> first_link(Uid uid, Seq bound);
  [[nodiscard]] Result<std::optional<WalkedDecision>> search(Uid uid, Seq& bound, std::size_t& looks_left);

  Statement find_;
  Statement before_;
  Statement newest_;
};

}  // namespace carillon::sqlite
