#include "engine/run_name.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace carillon {
namespace {

constexpr std::string_view retry_mark = "-of-";
constexpr std::string_view failed_items_mark = "-failed-items-of-";

/// What follows the nominal time.
std::string_view tail_prefix_of(Source source) {
  switch (source) {
    case Source::schedule:
    case Source::catchup: return "";
    case Source::trigger: return "+trigger-";
    case Source::backfill: return "+backfill-";
    case Source::chain: return "+chain-";
    case Source::adhoc: return "";
  }
  std::unreachable();
}

}  // namespace

std::string run_name(const ScheduleId& schedule, Instant nominal, Source source, std::string_view detail) {
  // A job without a schedule brings its whole name.
  if (source == Source::adhoc) return std::string{detail};
  std::string name = schedule.text();
  name += '@';
  append_text(name, nominal);
  const std::string_view prefix = tail_prefix_of(source);
  if (prefix.empty()) return name;
  name += prefix;
  name += detail;
  return name;
}

std::string trigger_id(std::int64_t number, std::string_view retry_of, Retry how) {
  if (retry_of.empty()) return fmt::format("{:x}", number);
  return fmt::format("{:x}{}{}", number, how == Retry::failed_items ? failed_items_mark : retry_mark, retry_of);
}

std::string_view retried_by(std::string_view trigger) {
  const std::size_t mark = trigger.find(retry_mark);
  return mark == std::string_view::npos ? std::string_view{} : trigger.substr(mark + retry_mark.size());
}

std::string_view answers_reused_by(std::string_view trigger) {
  return trigger.find(failed_items_mark) == std::string_view::npos ? std::string_view{} : retried_by(trigger);
}

std::optional<RunNameParts> parse_run_name(std::string_view name) {
  const std::size_t at = name.find('@');
  if (at == std::string_view::npos) return std::nullopt;
  const std::string_view rest = name.substr(at + 1);
  const std::size_t plus = std::min(rest.find('+'), rest.size());
  const auto nominal = parse_instant(rest.substr(0, plus));
  if (!nominal) return std::nullopt;
  return RunNameParts{
      .schedule = std::string{name.substr(0, at)}, .nominal = *nominal, .tail = std::string{rest.substr(plus)}};
}

}  // namespace carillon
