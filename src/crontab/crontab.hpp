#pragma once

#include "calendar/zone_names.hpp"
#include "crontab/cron_starts.hpp"
#include "crontab/cron_times.hpp"
#include "crontab/crontab_entry.hpp"
#include "definitions/schedule_document.hpp"

#include <boost/json/object.hpp>

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace carillon {

struct CrontabOptions {
  std::string file_name{};            // only looked at to tell the form
  std::optional<CrontabForm> form{};  // none: see form_of
  std::string timezone{"UTC"};        // the zone cron itself runs in
  std::optional<std::string> user{};  // whose crontab it is, in the user form; none: whoever the server runs as
  std::optional<std::string> home{};  // and where that user is at home
  /// Where the users of a system crontab are at home; may be empty, and may know nothing.
  std::function<std::optional<std::string>(std::string_view user)> home_of{};
  std::string name_space{"default"};
  std::string id_prefix{};               // `web1` gives `web1-backup`
  std::vector<std::string> taken_ids{};  // ids that are in use
  bool hold = false;                     // schedules begin disabled, so that both never run
};

/// The schedule a line became.
struct ImportedSchedule {
  ScheduleDocument document;
  CronTimes times;  // and how cron reads it, for `prove`
  CronClock clock = CronClock::daemon;
};

/// What became of one line.
struct ImportedLine {
  enum class Verdict {
    imported,   // means the same here
    different,  // imported, and something is not as before: see `differences`
    refused,    // not imported: see `reason`
    setting,    // `NAME=value`; goes into the schedules of later lines, as `reason` says
    blank,      // nothing, or a comment
  };
  std::size_t number;  // from 1
  std::string text;    // as written, any bytes, without the line end
  Verdict verdict = Verdict::blank;
  std::vector<std::string> differences{};  // one sentence each, for people, no final period
  std::string reason{};                    // refused: why, and what to do
  std::optional<ImportedSchedule> schedule{};
};

struct Crontab {
  CrontabForm form;
  std::vector<ImportedLine> lines;  // every line of the text
};

/// Reads a crontab line by line; one that cannot be imported keeps no other from it. Equal arguments give equal
/// schedules, also where cron rolls dice (`~`). At most file_schedule_count_max lines become schedules.
[[nodiscard]] Crontab read_crontab(std::string_view text, const CrontabOptions& options, const ZoneNames& zones);

/// By its name (/etc/crontab, or in cron.d), else by looking: a system crontab when every line has a bare word and
/// another one behind its times, and `root` is among those words.
[[nodiscard]] CrontabForm form_of(std::string_view text, std::string_view file_name);

/// What holds for every imported line and is therefore stated with none: one sentence each.
[[nodiscard]] std::span<const std::string_view> general_differences();

/// The schedules as a file to apply: `schedules: [ … ]`, without the members that have their default.
[[nodiscard]] boost::json::object to_schedule_file(std::span<const ImportedLine> lines);

[[nodiscard]] std::string_view to_text(ImportedLine::Verdict verdict);

}  // namespace carillon
