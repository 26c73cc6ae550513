#include "stores/sqlite/write_queue.hpp"

#include "base/blocking.hpp"
#include "ports/store_health.hpp"

#include <chrono>
#include <utility>

namespace carillon::sqlite {
namespace {

/// How long a group may grow before it is made durable: those who are in it already wait.
constexpr auto group_time_max = std::chrono::milliseconds{3};
constexpr std::size_t group_size_max = 256;

/// After a fault that took back everything, also what others had done, or that left no way on.
Result<> lost_ground(const Result<>& outcome) {
  if (outcome) return fail(ErrorCode::unavailable, "the transaction ended early");
  if (outcome.error().code == ErrorCode::corrupt) return outcome;
  Error error = outcome.error();
  error.code = ErrorCode::unavailable;
  return std::unexpected(std::move(error));
}

}  // namespace

WriteQueue::WriteQueue(Open open, std::unique_ptr<Tables> tables)
    : open_{std::move(open)}, tables_{std::move(tables)} {}

Result<> WriteQueue::run(Lane lane, const Work& work) {
  assert_may_block();
  Entry entry{.work = &work};
  if (wait_for_turn(lanes_[static_cast<std::size_t>(lane)], entry)) lead(entry);
  return std::move(entry.outcome);
}

void WriteQueue::run_alone(const std::function<void()>& work) {
  Entry entry{};
  static_cast<void>(wait_for_turn(exclusive_waiters_, entry));
  work();
  hand_over();
}

bool WriteQueue::try_read(const std::function<Result<>(Tables&)>& work, Result<>& outcome) {
  assert_may_block();
  {
    const std::scoped_lock lock{mutex_};
    if (is_led_ || !tables_ || tables_->connection->is_broken()) return false;
    is_led_ = true;
    pulse_.beat();
  }
  outcome = tables_->connection->execute(Bound::begin);
  if (outcome) {
    outcome = tables_->connection->take_flaw(work(*tables_));
    static_cast<void>(tables_->connection->execute(Bound::commit));
  }
  hand_over();
  return true;
}

void WriteQueue::watch(LoopMonitor& loops) {
  const std::scoped_lock lock{mutex_};
  pulse_ = loops.add("store-writer");
  if (!is_led_) pulse_.rest();
}

std::size_t WriteQueue::waiting_count() {
  const std::scoped_lock lock{mutex_};
  std::size_t count = 0;
  for (const auto& lane : lanes_) count += lane.size();
  return count;
}

// Waits in line until the entry is to lead; if it is not to, it has been done.
bool WriteQueue::wait_for_turn(std::deque<Entry*>& line, Entry& entry) {
  {
    const std::scoped_lock lock{mutex_};
    if (!std::exchange(is_led_, true)) {
      pulse_.beat();
      if (entry.work != nullptr) line.push_back(&entry);
      return true;
    }
    line.push_back(&entry);
  }
  std::unique_lock lock{entry.mutex};
  entry.has_turn.wait(lock, [&] { return entry.turn != Turn::waits; });
  return entry.turn == Turn::leads;
}

void WriteQueue::give(Entry& entry, Turn turn) {
  const std::scoped_lock lock{entry.mutex};
  entry.turn = turn;
  // With the lock held: the entry is gone as soon as its caller may look.
  entry.has_turn.notify_one();
}

WriteQueue::Entry* WriteQueue::next_entry() {
  const std::scoped_lock lock{mutex_};
  for (auto& lane : lanes_) {
    if (lane.empty()) continue;
    Entry* entry = lane.front();
    lane.pop_front();
    return entry;
  }
  return nullptr;
}

void WriteQueue::lead(Entry& own) {
  while (own.turn != Turn::done)
    for (Entry* entry : perform_group()) give(*entry, Turn::done);
  if (on_log_growth && tables_) on_log_growth(tables_->connection->log_page_count());
  const StoreChange change = std::exchange(written_change_, {});
  hand_over();
  if (change != StoreChange{} && on_change) on_change(change);
}

void WriteQueue::hand_over() {
  Entry* next = nullptr;
  {
    const std::scoped_lock lock{mutex_};
    if (!exclusive_waiters_.empty()) {
      next = exclusive_waiters_.front();
      exclusive_waiters_.pop_front();
    }
    for (const auto& lane : lanes_)
      if (next == nullptr && !lane.empty()) next = lane.front();
    is_led_ = next != nullptr;
    if (is_led_)
      pulse_.beat();
    else
      pulse_.rest();
  }
  if (next != nullptr) give(*next, Turn::leads);
}

std::vector<WriteQueue::Entry*> WriteQueue::perform_group() {
  std::vector<Entry*> group;
  pulse_.beat();
  auto going = begin();
  const auto since = std::chrono::steady_clock::now();
  while (Entry* entry = next_entry()) {
    entry->outcome = going ? perform(*entry->work, group.empty()) : going;
    group.push_back(entry);
    if (going && !is_in_transaction()) going = lost_ground(entry->outcome);
    if (group.size() >= group_size_max || std::chrono::steady_clock::now() - since >= group_time_max) break;
  }
  if (going) going = commit();
  tell_outcome(group, going);
  if (going) return group;
  for (Entry* entry : group)
    if (entry->outcome) entry->outcome = going;
  return group;
}

Result<> WriteQueue::begin() {
  if (may_write) TRY(may_write());
  if (!tables_ || tables_->connection->is_broken()) {
    tables_.reset();
    tables_ = TRY(open_());
  }
  TRY(tables_->connection->execute(Bound::begin_to_write));
  written_before_ = tables_->connection->total_change_count();
  tables_->feed.begin();
  tables_->audit.begin();
  tables_->change = {};
  auto loaded = tables_->connection->take_flaw(tables_->counters.load());
  if (!loaded) take_back("ROLLBACK");
  return loaded;
}

// The first one needs no mark to come back to: that is where the transaction begins.
Result<> WriteQueue::perform(const Work& work, bool is_first) {
  Connection& connection = *tables_->connection;
  if (!is_first) TRY(connection.execute(Bound::save));
  const auto mark = tables_->feed.mark();
  auto audit_mark = tables_->audit.mark();
  const StoreChange change = tables_->change;
  auto outcome = connection.take_flaw(work(*tables_));
  if (outcome) return is_first ? outcome : connection.execute(Bound::release);
  tables_->feed.go_back(mark);
  tables_->audit.go_back(std::move(audit_mark));
  tables_->change = change;
  take_back(is_first ? "ROLLBACK" : "ROLLBACK TO work; RELEASE work");
  // A disk that has failed is left for the next group, which opens the file anew.
  if (is_first && !connection.is_broken()) static_cast<void>(begin());
  return outcome;
}

bool WriteQueue::is_in_transaction() const { return tables_ && tables_->connection->is_in_transaction(); }

Result<> WriteQueue::commit() {
  Connection& connection = *tables_->connection;
  auto committed = tables_->feed.save(tables_->counters);
  if (committed) committed = tables_->audit.save_appended();
  if (committed) committed = tables_->counters.save();
  if (committed) committed = connection.execute(Bound::commit);
  if (!committed) {
    take_back("ROLLBACK");
    return committed;
  }
  tables_->change.has_events = tables_->feed.has_events();
  written_change_ |= tables_->change;
  return committed;
}

// A group that changed nothing has not touched the disk, so that its success means nothing.
void WriteQueue::tell_outcome(const std::vector<Entry*>& group, const Result<>& going) {
  if (!on_outcome) return;
  if (!going) return on_outcome(going);
  for (const Entry* entry : group)
    if (!entry->outcome && failure_kind_of(entry->outcome.error().rule)) return on_outcome(entry->outcome);
  if (tables_ && tables_->connection->total_change_count() != written_before_) on_outcome({});
}

void WriteQueue::take_back(const char* sql) {
  // What cannot be taken back has been already: SQLite does it by itself after some faults.
  if (tables_->connection->is_in_transaction()) static_cast<void>(tables_->connection->execute(sql));
  tables_->queues.forget();
}

}  // namespace carillon::sqlite
