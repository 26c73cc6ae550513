#include "stores/sqlite/queue_names.hpp"

namespace carillon::sqlite {

QueueNames::QueueNames(Connection& connection)
    : connection_{connection},
      find_{connection, "SELECT id FROM queue WHERE name = ?1"},
      add_{connection, "INSERT INTO queue(name) VALUES (?1)"},
      name_{connection, "SELECT name FROM queue WHERE id = ?1"},
      set_paused_{connection, "UPDATE queue SET is_paused = ?2 WHERE id = ?1 AND is_paused <> ?2"},
      paused_{connection, "SELECT id FROM queue WHERE is_paused = 1"} {}

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

Result<std::vector<std::int64_t>> QueueNames::paused() {
  std::vector<std::int64_t> numbers;
  Cursor row = paused_.query();
  while (TRY(row.next())) numbers.push_back(row.number(0));
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
}

}  // namespace carillon::sqlite
