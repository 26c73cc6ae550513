#include "engine/lane.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>

namespace carillon {
namespace {

constexpr char lane_separator = '|';
constexpr char tag_separator = ',';

/// A type is any text: what would end it is written otherwise.
std::string escaped_type(std::string_view type) {
  std::string text;
  for (const char c : type) {
    if (c == lane_separator || c == '%')
      text += c == '%' ? "%25" : "%7C";
    else
      text += c;
  }
  return text;
}

std::string unescaped_type(std::string_view text) {
  std::string type;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const std::string_view rest = text.substr(i);
    if (rest.starts_with("%25") || rest.starts_with("%7C")) {
      type += rest.starts_with("%25") ? '%' : lane_separator;
      i += 2;
    } else {
      type += text[i];
    }
  }
  return type;
}

std::vector<std::string> sorted_names(std::span<const std::string> names) {
  std::vector<std::string> sorted{names.begin(), names.end()};
  std::ranges::sort(sorted);
  const auto repeated = std::ranges::unique(sorted);
  sorted.erase(repeated.begin(), repeated.end());
  return sorted;
}

std::vector<std::string> split_tags(std::string_view text) {
  std::vector<std::string> tags;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(tag_separator), text.size());
    tags.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return tags;
}

/// `limit:key`; none if it cannot be read, which only a damaged store can bring about.
std::optional<Policies::Concurrency> read_concurrency(std::string_view text) {
  Policies::Concurrency concurrency;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), concurrency.limit);
  const auto length = static_cast<std::size_t>(end - text.data());
  if (error != std::errc{} || length >= text.size() || text[length] != ':') return std::nullopt;
  concurrency.key = text.substr(length + 1);
  return concurrency;
}

}  // namespace

std::string lane_name(const QueueLane& lane) {
  if (lane.type.empty() && lane.tags.empty() && !lane.concurrency) return lane.queue;
  std::string name = fmt::format("{}|{}|{}|", lane.queue, escaped_type(lane.type), fmt::join(lane.tags, ","));
  if (lane.concurrency) name += fmt::format("{}:{}", lane.concurrency->limit, lane.concurrency->key);
  return name;
}

QueueLane read_lane(std::string_view name) {
  // The key comes last, and may be any text.
  std::array<std::string_view, 4> parts{};
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const std::size_t end = i + 1 == parts.size() ? name.size() : std::min(name.find(lane_separator), name.size());
    parts.at(i) = name.substr(0, end);
    name.remove_prefix(std::min(end + 1, name.size()));
  }
  return {.queue = std::string{parts[0]},
          .type = unescaped_type(parts[1]),
          .tags = split_tags(parts[2]),
          .concurrency = read_concurrency(parts[3])};
}

std::string_view queue_of_lane(std::string_view name) { return name.substr(0, name.find(lane_separator)); }

LaneFilter::LaneFilter(std::span<const std::string> queues, const WorkerSkills& skills)
    : queues_{sorted_names(queues)}, types_{sorted_names(skills.types)}, tags_{sorted_names(skills.tags)} {}

bool LaneFilter::admits(const QueueLane& lane) const {
  if (!std::ranges::binary_search(queues_, lane.queue)) return false;
  if (!lane.type.empty() && !types_.empty() && !std::ranges::binary_search(types_, lane.type)) return false;
  return std::ranges::all_of(lane.tags,
                             [this](const std::string& tag) { return std::ranges::binary_search(tags_, tag); });
}

void ConcurrencyRoom::count_running(std::string_view name, std::int64_t count) {
  QueueLane lane = read_lane(name);
  if (lane.concurrency) running_with_key_[{lane.queue, lane.concurrency->key}] += count;
  running_in_queue_[std::move(lane.queue)] += count;
}

bool ConcurrencyRoom::has_room(const QueueLane& lane) const {
  const auto limit = queue_limits_.find(lane.queue);
  if (limit != queue_limits_.end()) {
    const auto running = running_in_queue_.find(lane.queue);
    if ((running == running_in_queue_.end() ? 0 : running->second) >= limit->second) return false;
  }
  if (!lane.concurrency) return true;
  const auto running = running_with_key_.find({lane.queue, lane.concurrency->key});
  return running == running_with_key_.end() || running->second < lane.concurrency->limit;
}

bool ConcurrencyRoom::take(std::string_view name) {
  if (!has_room(read_lane(name))) return false;
  count_running(name, 1);
  return true;
}

}  // namespace carillon
