#include "stores/logs/log_page.hpp"

#include "stores/logs/log_text.hpp"

#include <algorithm>

namespace carillon {

LogPage page_of(const LogView& log, std::int64_t offset, std::size_t count_max) {
  const auto tail_begin = static_cast<std::int64_t>(log.head.size()) + log.left_out_count;
  LogPage page{.bytes = {},
               .next_offset = offset,
               .size = tail_begin + static_cast<std::int64_t>(log.tail.size()),
               .is_at_end = false,
               .is_truncated = log.left_out_count > 0};
  const auto add = [&](std::string_view part, std::int64_t part_begin) {
    const std::int64_t skipped = page.next_offset - part_begin;
    if (skipped < 0 || skipped >= static_cast<std::int64_t>(part.size())) return;
    const std::size_t room = count_max - std::min(count_max, page.bytes.size());
    const std::string_view taken = part.substr(static_cast<std::size_t>(skipped), room);
    page.bytes += taken;
    page.next_offset += static_cast<std::int64_t>(taken.size());
  };

  add(log.head, 0);
  if (page.next_offset >= static_cast<std::int64_t>(log.head.size()) && page.next_offset < tail_begin) {
    const std::string text = left_out_text(tail_begin - page.next_offset);
    if (!page.bytes.empty() && page.bytes.size() + text.size() > count_max) return page;
    page.bytes += text;
    page.next_offset = tail_begin;
  }
  add(log.tail, tail_begin);
  page.is_at_end = log.is_ended && page.next_offset >= page.size;
  return page;
}

}  // namespace carillon
