#include "base/civil.hpp"
#include "calendar/clock_jump.hpp"
#include "calendar/description/words.hpp"
#include "calendar/lint/lint_rule.hpp"
#include "calendar/sources.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace carillon {
namespace {

constexpr std::size_t named_times_max = 3;
// Enough to count what a jump of three hours holds of any rule by the minute.
constexpr std::size_t counted_times_max = 180;

int second_of_day(WallSecond wall) {
  return static_cast<int>(wall - floor_divide(wall, seconds_per_day) * seconds_per_day);
}

std::string time_text(WallSecond wall) {
  const int second = second_of_day(wall);
  return clock_text(second, second % 60 != 0);
}

/// `03:00 EDT (07:00Z)`, with the dates that differ from `date`.
std::string instant_text(const Zone& zone, UtcSecond instant, const std::string& date) {
  const WallSecond wall = instant + zone.offset_at(instant);
  const std::string wall_date = date_text(wall) == date ? "" : date_text(wall) + " ";
  const std::string utc_date = date_text(instant) == date ? "" : date_text(instant) + "T";
  return fmt::format("{}{} {} ({}{}Z)", wall_date, time_text(wall), zone.abbreviation_at(instant), utc_date,
                     time_text(instant));
}

/// A jump with the times of the rule that it touches.
struct Touched {
  ClockJump jump;
  std::vector<WallSecond> times;

  [[nodiscard]] WallSecond first() const { return times.front(); }
  [[nodiscard]] std::string date() const { return date_text(first()); }
  [[nodiscard]] bool is_one() const { return times.size() == 1; }
  [[nodiscard]] UtcSecond first_pass() const { return first() - jump.offset_before; }
  [[nodiscard]] UtcSecond second_pass() const { return first() - jump.offset_after; }
};

std::string times_text(const Touched& touched) {
  if (touched.times.size() == counted_times_max) {
    return fmt::format("{} and more times from {} on", counted_times_max, time_text(touched.first()));
  }
  if (touched.times.size() > named_times_max) {
    return fmt::format("{} times from {} through {}", touched.times.size(), time_text(touched.first()),
                       time_text(touched.times.back()));
  }
  std::vector<std::string> times;
  times.reserve(touched.times.size());
  for (const WallSecond wall : touched.times) times.push_back(time_text(wall));
  return join(times);
}

std::string jump_window(const ClockJump& jump) {
  return fmt::format("{} through {}", time_text(jump.from), time_text(floor_divide(jump.to - 1, 60) * 60));
}

class ClockChangeLint {
 public:
  ClockChangeLint(const LintedRule& rule, const LintedZone& zone, Findings& findings)
      : rule_{rule}, zone_{zone}, findings_{findings} {}

  void run() {
    const auto jumps = clock_jumps(zone_.zone, zone_.from, zone_.until);
    if (rule_.is_wildcard) {
      if (const auto touched = first_touched_hour(jumps)) report_wildcard(*touched);
      return;
    }
    if (const auto gap = first_touched(jumps, ClockJump::Kind::gap)) report_gap(*gap);
    if (const auto overlap = first_touched(jumps, ClockJump::Kind::overlap)) report_overlap(*overlap);
  }

 private:
  [[nodiscard]] std::optional<Touched> touched_by(const ClockJump& jump) const {
    Touched touched{jump, times_inside(jump, rule_.rule, zone_.exclusions, counted_times_max)};
    if (touched.times.empty()) return std::nullopt;
    const bool is_past = jump.kind == ClockJump::Kind::overlap && touched.first_pass() <= zone_.from;
    return is_past ? std::nullopt : std::optional{std::move(touched)};
  }

  [[nodiscard]] std::optional<Touched> first_touched(const std::vector<ClockJump>& jumps, ClockJump::Kind kind) const {
    for (const ClockJump& jump : jumps) {
      if (jump.kind != kind) continue;
      if (auto touched = touched_by(jump)) return touched;
    }
    return std::nullopt;
  }

  /// A fixed hour that stands alone; hours side by side are a window, which may well follow the clock.
  [[nodiscard]] bool is_fixed_hour(int hour) const {
    const std::uint32_t hours = rule_.rule.hours;
    const bool has_neighbour = (hours >> (hour + 1) & 1) != 0 || (hour > 0 && (hours >> (hour - 1) & 1) != 0);
    return !rule_.shape(CronField::hour).starts_with_star && !has_neighbour;
  }

  [[nodiscard]] std::optional<Touched> first_touched_hour(const std::vector<ClockJump>& jumps) const {
    for (const ClockJump& jump : jumps) {
      auto touched = touched_by(jump);
      if (touched && is_fixed_hour(second_of_day(touched->first()) / 3600)) return touched;
    }
    return std::nullopt;
  }

  [[nodiscard]] bool is_literal() const { return zone_.dst == DstPolicy::literal; }
  [[nodiscard]] const std::string& zone_name() const { return zone_.zone.name(); }

  void report(std::string_view code, std::string message, std::string fix, UtcSecond at) {
    findings_.push_back({.code = code,
                         .message = std::move(message),
                         .fix = std::move(fix),
                         .at = to_instant(at),
                         .pointer = rule_.pointer_to(CronField::hour)});
  }

  void report_gap(const Touched& gap) {
    std::string what = fmt::format("{} {} not exist on {} in {}; ", times_text(gap), gap.is_one() ? "does" : "do",
                                   gap.date(), zone_name());
    const bool is_made_up = !is_literal() && gap.jump.is_made_up();
    if (is_made_up) {
      what += fmt::format("{} once at {}", gap.is_one() ? "runs" : "they run",
                          instant_text(zone_.zone, gap.jump.at, gap.date()));
    } else {
      what += gap.is_one() ? "it does not run" : "they do not run";
    }
    report("dst-gap", std::move(what),
           fmt::format("choose a time outside {}{}", jump_window(gap.jump),
                       is_made_up ? ", unless a later run is fine" : ""),
           gap.jump.at);
  }

  void report_overlap(const Touched& overlap) {
    const std::string first = instant_text(zone_.zone, overlap.first_pass(), overlap.date());
    const std::string second = instant_text(zone_.zone, overlap.second_pass(), overlap.date());
    std::string what = fmt::format("{} {} twice on {} in {}; ", times_text(overlap),
                                   overlap.is_one() ? "happens" : "happen", overlap.date(), zone_name());
    const std::string_view subject = overlap.is_one() ? "runs" : "each runs";
    what += is_literal() ? fmt::format("{} twice, {}at {} and again at {}", subject,
                                       overlap.is_one() ? "" : "beginning ", first, second)
                         : fmt::format("{} once, {}at {}", subject, overlap.is_one() ? "" : "beginning ", first);
    report("dst-overlap", std::move(what),
           fmt::format("choose a time outside {}{}", jump_window(overlap.jump),
                       is_literal() ? "" : ", unless the first pass is fine"),
           overlap.first_pass());
  }

  void report_wildcard(const Touched& touched) {
    const bool is_gap = touched.jump.kind == ClockJump::Kind::gap;
    std::string what = fmt::format("follows the clock because a field begins with *: {} {} {} on {} in {}, so that ",
                                   times_text(touched), touched.is_one() ? "is" : "are",
                                   is_gap ? "skipped" : "shown twice", touched.date(), zone_name());
    const std::string first = instant_text(zone_.zone, is_gap ? touched.jump.at : touched.first_pass(), touched.date());
    what += is_gap
                ? fmt::format("nothing runs for {} when the clock jumps to {}", touched.is_one() ? "it" : "them", first)
                : fmt::format("{} twice, from {} and again from {}", touched.is_one() ? "it runs" : "they run", first,
                              instant_text(zone_.zone, touched.second_pass(), touched.date()));
    report("wildcard-in-transition", std::move(what),
           is_literal() ? "choose another hour"
                        : "list the values instead of the star, so that each time runs once, or choose another hour",
           is_gap ? touched.jump.at : touched.first_pass());
  }

  const LintedRule& rule_;
  const LintedZone& zone_;
  Findings& findings_;
};

}  // namespace

void lint_clock_changes(const LintedRule& rule, const LintedZone& zone, Findings& findings) {
  ClockChangeLint{rule, zone, findings}.run();
}

}  // namespace carillon
