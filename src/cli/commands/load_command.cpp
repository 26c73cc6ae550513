#include "base/duration_text.hpp"
#include "base/quoted.hpp"
#include "cli/command_line/command_error.hpp"
#include "cli/command_line/flag_sets.hpp"
#include "cli/command_line/verbs.hpp"
#include "cli/connection/server_connection.hpp"
#include "cli/display/document_output.hpp"
#include "cli/terminal/formatting.hpp"
#include "cli/terminal/local_time.hpp"
#include "cli/terminal/printable.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace carillon::cli {

namespace {

using namespace std::chrono_literals;

constexpr std::int64_t bucket_count_max = 1500;  // what the server gives
constexpr std::int64_t column_count_max = 31;
constexpr Duration load_window_max = std::chrono::days{366};

/// How finely starts are counted, and how many of those make up a column.
struct Scale {
  Duration bucket;
  Duration column;
};

constexpr std::array<Scale, 8> scales{{{.bucket = 1s, .column = 1min},
                                       {.bucket = 10s, .column = 5min},
                                       {.bucket = 1min, .column = 15min},
                                       {.bucket = 1min, .column = 1h},
                                       {.bucket = 10min, .column = 6h},
                                       {.bucket = 1h, .column = 24h},
                                       {.bucket = 6h, .column = 24h * 7},
                                       {.bucket = 24h, .column = 24h * 30}}};

Scale scale_for(Duration window) {
  for (const Scale& scale : scales) {
    if (window / scale.column < column_count_max && window / scale.bucket < bucket_count_max) return scale;
  }
  return scales.back();
}

/// One column: what starts in it, and the most of its buckets.
struct Stretch {
  Instant from;
  std::int64_t count = 0;
  std::int64_t peak = 0;
};

struct LoadColumns {
  Scale scale;
  std::vector<Stretch> stretches;
  Stretch busiest{};  // bucket
  std::int64_t total = 0;
};

/// Columns end at whole hours, days and so on counted from `begin`, which lies before the first bucket.
LoadColumns columns_of(const std::vector<client::LoadBucket>& buckets, Scale scale, Instant begin) {
  LoadColumns load{.scale = scale, .stretches = {}};
  Instant column_end = begin;
  for (const auto& [from, count] : buckets) {
    if (from >= column_end) {
      load.stretches.push_back({.from = from});
      column_end = begin + ((from - begin) / scale.column + 1) * scale.column;
    }
    Stretch& stretch = load.stretches.back();
    stretch.count += count;
    stretch.peak = std::max(stretch.peak, count);
    load.total += count;
    if (count > load.busiest.count) load.busiest = {.from = from, .count = count, .peak = count};
  }
  return load;
}

/// `1,204`.
std::string grouped(std::int64_t number) {
  std::string text = fmt::format("{}", number);
  for (auto place = static_cast<std::ptrdiff_t>(text.size()) - 3; place > 0; place -= 3)
    text.insert(static_cast<std::size_t>(place), ",");
  return text;
}

/// `minute`, `10 minutes`: for sentences.
std::string length_words(Duration length) {
  if (length == 1s) return "second";
  if (length == 1min) return "minute";
  if (length == 1h) return "hour";
  if (length == 24h) return "day";
  return to_text(length);
}

/// `MOST PER MINUTE`: the head of a column.
std::string peak_heading(Duration bucket) {
  std::string text = "MOST PER " + length_words(bucket);
  std::ranges::transform(text, text.begin(), [](char letter) {
    return letter >= 'a' && letter <= 'z' ? static_cast<char>(letter - 'a' + 'A') : letter;
  });
  return text;
}

std::string column_label(Instant from, Duration column, const Zone& zone) {
  const WallTime wall = wall_time(from, zone);
  if (column >= 24h) return fmt::format("{:02}", wall.date.day);
  if (column >= 1h) return fmt::format("{:02}", wall.hour);
  return fmt::format("{:02}", wall.minute);
}

/// A row of labels and a row of bars, the highest one full.
std::string bars_of(const LoadColumns& load, const Zone& zone, const Paint& paint) {
  std::string labels;
  std::string bars;
  for (const Stretch& stretch : load.stretches) {
    const std::string_view gap = labels.empty() ? "" : " ";
    labels += fmt::format("{}{}", gap, column_label(stretch.from, load.scale.column, zone));
    bars += fmt::format("{} {}", gap, bar(stretch.peak, load.busiest.count, paint));
  }
  bars.erase(bars.find_last_not_of(' ') + 1);
  return labels + '\n' + bars + '\n';
}

/// Without a terminal: numbers.
std::string table_of(const LoadColumns& load, const Zone& zone, Session& session) {
  Table table;
  table.add({{.text = "FROM", .colour = Colour::bold},
             {.text = "STARTS", .colour = Colour::bold, .align = Align::right},
             {.text = peak_heading(load.scale.bucket), .colour = Colour::bold, .align = Align::right}});
  for (const Stretch& stretch : load.stretches)
    table.add({{.text = time_text(stretch.from, zone, session.now)},
               {.text = fmt::format("{}", stretch.count), .align = Align::right},
               {.text = fmt::format("{}", stretch.peak), .align = Align::right}});
  return table.text(session.paint, "", "  ");
}

std::string peak_line(const LoadColumns& load, const Zone& zone, Instant now) {
  if (load.busiest.count == 0) return "No starts are planned.\n";
  return fmt::format("Peak {}: {} in one {}.\n", prose_time(load.busiest.from, zone, now), grouped(load.busiest.count),
                     length_words(load.scale.bucket));
}

Result<Duration> load_window(const Arguments& arguments) {
  const std::string text = arguments.value("window").value_or("24h");
  const auto window = parse_duration(text);
  if (window && *window >= 1min && *window <= load_window_max) return *window;
  return std::unexpected(usage_error(fmt::format("--window: invalid duration {}", carillon::quoted(text)),
                                     "give 1m to 366d, for example 24h"));
}

Result<ExitCode> load_command(const Arguments& arguments, Session& session) {
  const Duration window = TRY(load_window(arguments));
  const DisplayZone display = TRY(display_zone(arguments, session));
  const ZonePtr zone = display.zone ? display.zone : TRY(session.zones.zone("UTC"));
  const Scale scale = scale_for(window);
  const Duration step = std::min<Duration>(scale.column, 1h);
  const Instant begin{session.now.time_since_epoch() / step * step};
  // What has been due already is not planned any more.
  const Duration grain = std::min<Duration>(scale.bucket, 1min);
  const Instant from{(session.now.time_since_epoch() + grain - Duration{1}) / grain * grain};
  Client client = TRY(connect(arguments, session));
  const auto answer = TRY(client.load(from, from + window, scale.bucket));
  if (TRY(print_document(arguments, session, answer.document))) return ExitCode::ok;
  const LoadColumns load = columns_of(answer.value.items, scale, begin);
  std::string text =
      fmt::format("Planned starts, most per {}, by {} ({})   {} schedules · {} starts{}\n", length_words(scale.bucket),
                  length_words(scale.column), zone->name(), grouped(answer.value.schedules), grouped(load.total),
                  answer.value.is_partial ? " · not all schedules were counted" : "");
  text += session.console.is_terminal(Stream::output) ? bars_of(load, *zone, session.paint)
                                                      : table_of(load, *zone, session);
  session.print(text + peak_line(load, *zone, session.now));
  return ExitCode::ok;
}

}  // namespace

const Verb load_verb{
    .name = "load",
    .targets = "",
    .summary = "Shows how many starts are planned over time, and where they pile up.",
    .examples = {"carillon load", "carillon load --window 7d", "carillon load --tz utc -o json"},
    .group = VerbGroup::schedules,
    .flags =
        [] {
          return joined({{{.names = "--window", .form = "DURATION", .text = "how far ahead, 1m to 366d; default: 24h"}},
                         output_flags(document_formats),
                         display_flags(),
                         server_flags()});
        },
    .perform = load_command,
};

}  // namespace carillon::cli
