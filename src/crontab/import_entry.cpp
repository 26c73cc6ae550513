#include "crontab/import_entry.hpp"

#include "base/quoted.hpp"
#include "base/utf8.hpp"
#include "crontab/program_name.hpp"
#include "definitions/slug.hpp"
#include "document/reader.hpp"

#include <boost/json/value.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>

namespace carillon {
namespace {

constexpr std::string_view default_shell = "/bin/sh";
constexpr std::string_view default_path = "/usr/bin:/bin";
// Debian's cron reads up to 999 bytes; others read far more.
constexpr std::size_t debian_command_length_max = 999;
constexpr int random_delay_max = 24 * 60;

std::string variable(const TextMap& variables, std::string_view name) {
  const auto found = variables.find(name);
  return found == variables.end() ? std::string{} : found->second;
}

/// At most as much of a text as a description holds, without half a character at its end.
std::string cut(std::string_view text) {
  std::size_t length = 0;
  while (length < text.size()) {
    const std::size_t next = length + std::max<std::size_t>(utf8_length(text.substr(length)), 1);
    if (next > description_length_max) break;
    length = next;
  }
  return std::string{text.substr(0, length)};
}

bool stays_in_background(std::string_view command) {
  const std::size_t last = command.find_last_not_of(" \t");
  if (last == std::string_view::npos) return false;
  if (command[last] == '&' && (last == 0 || command[last - 1] != '&')) return true;
  return command.starts_with("nohup ") || command.starts_with("setsid ") || command.contains(" nohup ") ||
         command.contains(" setsid ");
}

class EntryImport {
 public:
  EntryImport(std::string_view line, const CrontabSurroundings& surroundings)
      : line_{line}, surroundings_{surroundings} {}

  Result<ImportedEntry> run() {
    const CrontabEntry entry = TRY(parse_crontab_entry(line_, surroundings_.form));
    const CrontabTimes times = TRY(read_times(entry));
    Spec spec = TRY(spec_of(entry, times));
    CommandAction command = TRY(command_of(entry));
    Policies policies;
    policies.overlap = entry.options.contains('s') ? OverlapPolicy::skip : OverlapPolicy::allow_all;
    policies.catchup.policy = CatchupPolicy::none;
    policies.retry.attempt_count_max = 1;
    state_options(entry);

    ScheduleId id = id_of(command);
    std::string name = id.text();
    ScheduleDocument document{.id = std::move(id),
                              .name_space = TRY(NamespaceId::parse(surroundings_.options.name_space)),
                              .name = std::move(name),
                              .description = cut(line_),
                              .labels = {{"imported-from", "crontab"}},
                              .enabled = !surroundings_.options.hold,
                              .spec = std::move(spec),
                              .action = std::move(command),
                              .policies = policies};
    TRY(check(document));
    const CronClock clock = has_own_zone() ? CronClock::line : CronClock::daemon;
    return ImportedEntry{.schedule = {.document = std::move(document), .times = times.times, .clock = clock},
                         .differences = std::move(differences_)};
  }

 private:
  template <typename... Args>
  void differs(fmt::format_string<Args...> format, Args&&... args) {
    differences_.push_back(fmt::format(format, std::forward<Args>(args)...));
  }

  [[nodiscard]] bool has_own_zone() const { return !variable(surroundings_.variables, "CRON_TZ").empty(); }

  Result<CrontabTimes> read_times(const CrontabEntry& entry) {
    std::array<std::string_view, 5> fields = entry.fields;
    if (!entry.nickname.empty()) {
      std::string_view rest = fields_of_nickname(entry.nickname);
      for (std::string_view& field : fields) {
        field = rest.substr(0, rest.find(' '));
        rest.remove_prefix(std::min(rest.size(), field.size() + 1));
      }
    }
    CrontabTimes times = TRY(parse_crontab_times(fields, line_));
    if (times.has_random_value)
      differs("cron chooses a new value for ~ whenever it reads the line; carillon keeps {}",
              fmt::join(times.fields, " "));
    return times;
  }

  Result<Spec> spec_of(const CrontabEntry& entry, const CrontabTimes& times) {
    Spec spec;
    const auto& [minute, hour, day_of_month, month, weekday] = times.fields;
    const auto is_any = [](std::string_view field) { return field == "*" || field == "*/1"; };
    if (!entry.nickname.empty()) {
      spec.crons = {std::string{entry.nickname}};
    } else if (times.times.needs_both_days() && !is_any(day_of_month) && !is_any(weekday)) {
      // Cron takes `*/2` for a star, so that both day fields must match; a calendar says the same.
      Calendar calendar;
      calendar.minute = minute;
      calendar.hour = hour;
      calendar.day_of_month = day_of_month;
      calendar.month = month;
      calendar.day_of_week = weekday;
      calendar.comment = fmt::format("{}", fmt::join(times.fields, " "));
      spec.calendars = {std::move(calendar)};
    } else {
      spec.crons = {fmt::format("{}", fmt::join(times.fields, " "))};
    }
    TRY(set_zone(spec, times.times));
    set_delay(spec);
    return spec;
  }

  Result<> set_zone(Spec& spec, const CronTimes& times) {
    const std::string& machine_zone = surroundings_.options.timezone;
    if (!has_own_zone()) {
      spec.timezone = machine_zone;
      return check_zone_name(spec.timezone, surroundings_.zones);
    }
    spec.timezone = variable(surroundings_.variables, "CRON_TZ");
    TRY(while_doing(check_zone_name(spec.timezone, surroundings_.zones), "reading CRON_TZ"));
    spec.dst = DstPolicy::literal;
    if (spec.timezone != machine_zone)
      differs("the times are those of {}, as cronie reads CRON_TZ; Debian's cron ignores it and takes those of {}",
              spec.timezone, machine_zone);
    if (!times.is_wildcard() && spec.timezone != "UTC")
      differs(
          "when the clocks of {} change, a skipped time does not start and a repeated one starts twice, as with "
          "cronie; set dst: cron to start it once",
          spec.timezone);
    return {};
  }

  void set_delay(Spec& spec) {
    const std::string text = variable(surroundings_.variables, "RANDOM_DELAY");
    int minutes = 0;
    std::from_chars(text.data(), text.data() + text.size(), minutes);
    if (minutes <= 0 || minutes > random_delay_max) return;
    spec.jitter = std::chrono::minutes{minutes};
    differs(
        "cronie delays all lines by one random time that it chooses when it starts (RANDOM_DELAY, below {} min); "
        "carillon delays each start by its own time below that",
        minutes);
  }

  Result<CommandAction> command_of(const CrontabEntry& entry) {
    CommandAction command;
    CrontabCommand parts = split_at_percent(entry.command);
    command.standard_input = std::move(parts.input);
    command.env = surroundings_.variables;
    // Cron does not let a crontab change these.
    command.env.erase("LOGNAME");
    command.env.erase("USER");
    command.env.try_emplace("PATH", default_path);
    if (!entry.user.empty()) {
      command.user = std::string{entry.user};
    } else {
      command.user = surroundings_.options.user;
    }
    set_home(command);
    TRY(set_shell(command, std::move(parts.text)));
    state_environment(command);
    if (surroundings_.form == CrontabForm::user && entry.command.starts_with("root "))
      differs(
          "the command begins with \"root\", as lines of a system crontab do, which name a user there; if it is one: "
          "--form system");
    if (entry.command.size() > debian_command_length_max)
      differs("Debian's cron refuses a command of more than {} bytes; carillon starts it", debian_command_length_max);
    return command;
  }

  void set_home(CommandAction& command) {
    std::optional<std::string> home;
    if (surroundings_.form == CrontabForm::user) {
      home = surroundings_.options.home;
    } else if (surroundings_.options.home_of) {
      home = surroundings_.options.home_of(*command.user);
    }
    if (!home && command.user == "root") home = "/root";
    if (home) command.env.try_emplace("HOME", *home);
    const auto found = command.env.find("HOME");
    if (found != command.env.end() && !found->second.empty()) {
      command.cwd = found->second;
    } else {
      differs("cron starts the command in the home of its user, which is not known here; carillon starts it in /");
    }
  }

  Result<> set_shell(CommandAction& command, std::string text) {
    const std::string& shell = command.env.try_emplace("SHELL", default_shell).first->second;
    if (shell.empty())
      return fail(ErrorCode::invalid_argument, "SHELL is empty: cron cannot start the command; set SHELL=/bin/sh");
    command.shell = shell == default_shell;
    if (command.shell) {
      command.argv = {std::move(text)};
      return {};
    }
    if (!shell.starts_with('/'))
      differs("cron looks for the shell {} in the home of the user; carillon looks for it in PATH", quoted(shell));
    command.argv = {shell, "-c", std::move(text)};
    return {};
  }

  void state_environment(const CommandAction& command) {
    for (const auto& [name, value] : command.env) {
      if (value.contains("${env:") || value.contains("${file:") || value.contains("${secret:"))
        differs("cron hands the value of {} over as written; carillon replaces the ${{…}} in it", quoted(name));
    }
    if (stays_in_background(command.argv.back()))
      differs("the command leaves something in the background: cron lets it live on, carillon ends it with the run");
  }

  void state_options(const CrontabEntry& entry) {
    if (entry.is_kept_from_syslog || entry.options.contains('q'))
      differs("the - keeps the start out of cron's log; carillon records every run");
    if (entry.options.contains('n'))
      differs("-n asks for mail of failures only; carillon sends no mail and keeps the output in the log of the run");
  }

  [[nodiscard]] ScheduleId id_of(const CommandAction& command) const {
    const std::string name = program_name(command.argv.back());
    const std::string& prefix = surroundings_.options.id_prefix;
    return slug(prefix.empty() ? name : fmt::format("{}-{}", prefix, name));
  }

  /// Whatever a schedule may not be shows when its document is read.
  static Result<> check(const ScheduleDocument& document) {
    const auto read = read_canonical_schedule(boost::json::value(write_schedule(document)));
    if (read) return {};
    const Problem& problem = read.error().front();
    Error error{.code = ErrorCode::invalid_argument,
                .message = problem.message,
                .hint = problem.hint,
                .rule = problem.code,
                .position = {},
                .context = {}};
    if (problem.code == "never-fires") {
      error.message += ", so that cron never starts the line either";
      error.hint = "leave it out, or write another date";
    }
    return std::unexpected(std::move(error));
  }

  std::string_view line_;
  const CrontabSurroundings& surroundings_;
  std::vector<std::string> differences_;
};

}  // namespace

Result<ImportedEntry> import_entry(std::string_view line, const CrontabSurroundings& surroundings, TakenIds& ids) {
  ImportedEntry entry = TRY(EntryImport(line, surroundings).run());
  ScheduleDocument& document = entry.schedule.document;
  document.id = ids.take(document.id);
  document.name = document.id.text();
  return entry;
}

}  // namespace carillon
