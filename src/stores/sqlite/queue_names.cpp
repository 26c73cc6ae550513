#include "stores/sqlite/queue_names.hpp"

namespace carillon::sqlite {

QueueNames::QueueNames(Connection& connection)
    : connection_{connection},
      find_{connection, "SELECT id FROM queue WHERE name = ?1"},
      add_{connection, "INSERT INTO queue(name) VALUES (?1)"},
      name_{connection, "SELECT name FROM queue WHERE id = ?1"},
      set_paused_{connection, "UPDATE queue SET is_paused = ?2 WHERE id = ?1 AND is_paused <> ?2"},
      paused_{connection, "SELECT name FROM queue WHERE is_paused = 1"},
      set_limit_{connection, "UPDATE queue SET run_limit = ?2 WHERE id = ?1 AND run_limit IS NOT ?2"},
      keep_failed_{connection, "UPDATE queue SET keeps_failed = ?2 WHERE id = ?1 AND keeps_failed <> ?2"},
      limits_{connection, "SELECT name, run_limit FROM queue WHERE run_limit IS NOT NULL"},
      keeping_{connection, "SELECT name FROM queue WHERE keeps_failed = 1"},
      all_{connection, "SELECT id, name FROM queue"} {}

Result<std::int64_t> QueueNames::number_of(const std::string& name) {
  if (const auto known = TRY(find(name))) return *known;
  TRY(add_.run(name));
  const auto added = TRY(find(name));
  if (!added) return fail(ErrorCode::corrupt, "{}: queue {} was not stored", connection_.file().string(), name);
  return *added;
}

Result<std::optional<std::int64_t>> QueueNames::find(const std::string& name) {
  if (const auto known = numbers_.find(name); known != numbers_.end()) return known->second;
  Cursor row = find_.query(name);
  if (!TRY(row.next())) return std::nullopt;
  return numbers_.emplace(name, row.number(0)).first->second;
}

Result<bool> QueueNames::set_paused(const std::string& name, bool is_paused) {
  // One that nobody has heard of is not paused, and need not be made for that.
  if (!is_paused && !TRY(find(name))) return false;
  TRY(set_paused_.run(TRY(number_of(name)), is_paused));
  return connection_.change_count() > 0;
}

Result<std::vector<std::string>> QueueNames::paused() {
  std::vector<std::string> names;
  Cursor row = paused_.query();
  while (TRY(row.next())) names.emplace_back(row.text(0));
  return names;
}

Result<bool> QueueNames::set_limit(const std::string& name, std::optional<std::int64_t> limit) {
  if (!limit && !TRY(find(name))) return false;
  TRY(set_limit_.run(TRY(number_of(name)), limit));
  forget_limits();
  return connection_.change_count() > 0;
}

Result<bool> QueueNames::keep_failed(const std::string& name, bool is_kept) {
  if (!is_kept && !TRY(find(name))) return false;
  TRY(keep_failed_.run(TRY(number_of(name)), is_kept));
  known_keeping_.reset();
  return connection_.change_count() > 0;
}

Result<ConcurrencyRoom> QueueNames::limits() {
  if (known_limits_) return *known_limits_;
  ConcurrencyRoom room;
  Cursor row = limits_.query();
  while (TRY(row.next())) room.limit_queue(std::string{row.text(0)}, row.number(1));
  return known_limits_.emplace(std::move(room));
}

Result<bool> QueueNames::is_limited(std::int64_t lane) {
  if (const auto known = known_limited_.find(lane); known != known_limited_.end()) return known->second;
  const bool is_limited = TRY(limits()).is_limited(read_lane(TRY(name_of(lane))));
  known_limited_.emplace(lane, is_limited);
  return is_limited;
}

Result<bool> QueueNames::keeps_failed(std::int64_t lane) {
  if (!known_keeping_) {
    std::set<std::string> keeping;
    Cursor row = keeping_.query();
    while (TRY(row.next())) keeping.emplace(row.text(0));
    known_keeping_ = std::move(keeping);
  }
  if (known_keeping_->empty()) return false;
  return known_keeping_->contains(std::string{queue_of_lane(TRY(name_of(lane)))});
}

Result<std::vector<std::int64_t>> QueueNames::lanes_of(const std::string& queue) {
  std::vector<std::int64_t> numbers;
  Cursor row = all_.query();
  while (TRY(row.next()))
    if (queue_of_lane(row.text(1)) == queue) numbers.push_back(row.number(0));
  return numbers;
}

Result<std::string> QueueNames::name_of(std::int64_t number) {
  if (number == 0) return std::string{};
  if (const auto known = names_.find(number); known != names_.end()) return known->second;
  Cursor row = name_.query(number);
  if (!TRY(row.next()))
    return fail(ErrorCode::corrupt, "{}: there is no queue {}", connection_.file().string(), number);
  return names_.emplace(number, row.text(0)).first->second;
}

void QueueNames::forget() {
  numbers_.clear();
  names_.clear();
  forget_limits();
  known_keeping_.reset();
}

void QueueNames::forget_limits() {
  known_limits_.reset();
  known_limited_.clear();
}

}  // namespace carillon::sqlite
