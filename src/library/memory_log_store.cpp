#include "library/memory_log_store.hpp"

#include <algorithm>
#include <limits>

namespace carillon {

void MemoryLogStore::append(Uid /*uid*/, const AttemptKey& key, OutputStream /*stream*/, std::string_view bytes) {
  const std::scoped_lock lock{mutex_};
  const auto [entry, is_new] = logs_.try_emplace(key);
  if (is_new) oldest_first_.push_back(key);
  KeptLog& log = entry->second;
  if (log.is_truncated) return;
  const std::size_t room = log_size_max - log.text.size();
  log.text += bytes.substr(0, room);
  if (bytes.size() > room) {
    log.is_truncated = true;
    log.text += "\n… the rest is left out …\n";
  }
  while (oldest_first_.size() > log_count_max) {
    logs_.erase(oldest_first_.front());
    oldest_first_.pop_front();
  }
}

Result<> MemoryLogStore::close(Uid /*uid*/, const AttemptKey& key) {
  const std::scoped_lock lock{mutex_};
  if (const auto found = logs_.find(key); found != logs_.end()) found->second.is_closed = true;
  return {};
}

Result<LogPage> MemoryLogStore::read(Uid /*uid*/, const AttemptKey& key, std::int64_t offset, std::size_t count_max) {
  const std::scoped_lock lock{mutex_};
  const auto found = logs_.find(key);
  if (found == logs_.end()) return fail(ErrorCode::not_found, "there is no log of this attempt");
  const KeptLog& log = found->second;
  const std::size_t begin = std::min(static_cast<std::size_t>(std::max<std::int64_t>(offset, 0)), log.text.size());
  LogPage page{.bytes = log.text.substr(begin, count_max), .size = static_cast<std::int64_t>(log.text.size())};
  const std::size_t end = begin + page.bytes.size();
  page.next_offset = static_cast<std::int64_t>(end);
  page.is_at_end = log.is_closed && end == log.text.size();
  page.is_truncated = log.is_truncated;
  return page;
}

Result<> MemoryLogStore::remove(Uid /*uid*/, const std::vector<Seq>& runs) {
  const std::scoped_lock lock{mutex_};
  for (const Seq run : runs)
    logs_.erase(logs_.lower_bound({.run = run, .attempt = 0}),
                logs_.upper_bound({.run = run, .attempt = std::numeric_limits<std::int64_t>::max()}));
  return {};
}

}  // namespace carillon
