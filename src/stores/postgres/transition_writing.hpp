#pragma once

#include "base/error.hpp"
#include "engine/transition.hpp"
#include "ports/schedule_store.hpp"
#include "stores/postgres/transaction.hpp"
#include "stores/postgres/write_set.hpp"

#include <span>

namespace carillon::postgres {

/// Sends what a batch needs of its rows, locked: runs by seq, then schedules by uid, in this order everywhere.
void send_locks(Transaction& transaction, std::span<const Transition> transitions);
/// Takes up the answers, from the one at `place` on, which is moved behind them. Locks what else is needed.
[[nodiscard]] Result<> take_locked(Transaction& transaction, std::span<const Transition> transitions, WriteSet& set,
                                   const std::vector<ResultRows>& answers, std::size_t& place);

/// Makes one transition part of what is to be written, or refuses it and changes nothing.
[[nodiscard]] Result<WriteOutcome> write_transition(WriteSet& set, const Writer& writer, const Transition& transition);

}  // namespace carillon::postgres
