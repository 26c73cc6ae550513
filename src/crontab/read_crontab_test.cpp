#include "crontab/crontab.hpp"
#include "document/document.hpp"
#include "support/fixed_zone_source.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json/array.hpp>
#include <fmt/format.h>
#include <rapidcheck/gtest.h>

#include <set>

namespace carillon {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::SizeIs;
using enum ImportedLine::Verdict;

const ZoneNames& known_zones() {
  static FixedZoneSource source;
  return *source.names();
}

CrontabOptions as_joe() {
  return {.form = CrontabForm::user, .timezone = "Europe/Berlin", .user = "joe", .home = "/home/joe"};
}

Crontab read(std::string_view text, const CrontabOptions& options = as_joe()) {
  return read_crontab(text, options, known_zones());
}

/// The last line of a text, to which a line end is added.
ImportedLine last_line(std::string_view text, const CrontabOptions& options = as_joe()) {
  return read(std::string{text} + '\n', options).lines.back();
}

ScheduleDocument schedule_of(std::string_view text, const CrontabOptions& options = as_joe()) {
  const ImportedLine line = last_line(text, options);
  EXPECT_TRUE(line.schedule.has_value()) << text << ": " << line.reason;
  return line.schedule.value().document;
}

CommandAction command_of(std::string_view text, const CrontabOptions& options = as_joe()) {
  return std::get<CommandAction>(schedule_of(text, options).action);
}

TEST(Crontab, every_line_gets_a_verdict) {
  struct Case {
    std::string_view text;
    ImportedLine::Verdict verdict;
    std::string_view said;  // part of the differences or of the reason
  };
  const std::string long_command = "0 5 * * * echo " + std::string(2'000, 'x');
  const std::string huge_command = "0 5 * * * echo " + std::string(200'000, 'x');
  for (const auto& [text, verdict, said] : {
           Case{"", blank, ""},
           Case{"   # 0 5 * * * cmd", blank, ""},
           Case{" \t \r", blank, ""},
           Case{"A=b", setting, "handed to the commands below"},
           Case{"TZ=Asia/Tokyo", setting, "the times stay those of cron's own zone"},
           Case{"0 5 * * * cmd", imported, ""},
           Case{"  \t0\t5\t*\t*\t*\tcmd", imported, ""},
           Case{"0 5 * * * cmd # to the shell", imported, ""},
           Case{"@midnight cmd", imported, ""},
           Case{"0 5 * jan-MAR 7 cmd", imported, ""},
           Case{"*/7 * * * * cmd", imported, ""},
           Case{"0 5 */2 * mon cmd", imported, ""},
           Case{"0 5 * * * cmd \\", imported, ""},
           Case{"0 5 * * * -s cmd", imported, ""},
           Case{"MAILTO=\"\"\n0 5 * * * cmd", imported, ""},
           Case{"MAILTO=ops@example.org", setting, "carillon sends no mail: the output of a run is in its log"},
           Case{"MAILTO=ops@example.org\n0 5 * * * cmd", imported, ""},
           Case{"0 5 * * * root /bin/cmd\n1 5 * * * x", imported, ""},
           Case{"0 5 * * * ls\n0 5 * * * root /bin/cmd", different, "--form system"},
           Case{"* * * * /too/few", refused,
                "only 4 of five time fields before the command \"/too/few\": day of week is missing"},
           Case{"* * /too/few -x", refused, "\"/too/few -x\": day of month, month, day of week are missing"},
           Case{"-0 5 * * * cmd", different, "records every run"},
           Case{"0 5 * * * -n cmd", different, "sends no mail"},
           Case{"0 5 * * * cmd\r", different, "carriage return"},
           Case{"~ 5 * * * cmd", different, "cron chooses a new value for ~"},
           Case{"CRON_TZ=America/New_York\n0 5 * * * cmd", different, "Debian's cron ignores it"},
           Case{"RANDOM_DELAY=45\n0 5 * * * cmd", different, "below 45 min"},
           Case{"RANDOM_DELAY=soon\n0 5 * * * cmd", imported, ""},
           Case{"SHELL=bash\n0 5 * * * cmd", different, "looks for it in PATH"},
           Case{"KEY=${env:KEY}\n0 5 * * * cmd", different, "carillon replaces the ${…} in it"},
           Case{"0 5 * * * cmd &", different, "carillon ends it with the run"},
           Case{"0 5 * * * a && b", imported, ""},
           Case{long_command, different, "Debian's cron refuses a command of more than 999 bytes"},
           Case{huge_command, refused, "131071"},
           Case{"@reboot cmd", refused, "let the service manager start the command"},
           Case{"@Daily cmd", refused, "in lower case"},
           Case{"0 5 * * cmd", refused, "the command is missing"},
           Case{"61 5 * * * cmd", refused, "out of range"},
           Case{"0 5 31 2 * cmd", refused,
                " 31 February never occurs, so that cron never starts the line either; leave it out"},
           Case{"0 5 */30,31 2 */2 cmd", imported, ""},
           Case{"0 22-2 * * * cmd", refused, "write 22-23,0-2"},
           Case{"* * * * * * cmd", refused, "not six"},
           Case{"echo hello", refused, "breaks off"},
           Case{"CRON_TZ=EST\n0 5 * * * cmd", refused, "reading CRON_TZ"},
           Case{"CRON_TZ=Europe/Atlantis\n0 5 * * * cmd", refused, "Europe/Atlantis"},
           Case{"SHELL=\"\"\n0 5 * * * cmd", refused, "set SHELL=/bin/sh"},
           Case{std::string_view{"0 5 * * * c\0md", 14}, refused, "NUL"},
           Case{"0 5 * * * caf\xe9", refused, "not UTF-8"},
           Case{"0 5 * * * %in", refused, "the program is empty"},
       }) {
    const ImportedLine line = last_line(text);
    const std::string all_said = fmt::format("{} {}", fmt::join(line.differences, " "), line.reason);
    EXPECT_EQ(to_text(line.verdict), to_text(verdict)) << text.substr(0, 80) << ": " << all_said;
    EXPECT_THAT(all_said, HasSubstr(std::string{said})) << text.substr(0, 80);
    EXPECT_EQ(line.schedule.has_value(), verdict == imported || verdict == different) << text.substr(0, 80);
  }
}

TEST(Crontab, a_schedule_behaves_as_cron_did) {
  const ScheduleDocument schedule = schedule_of("30 4 * * 1-5 /usr/local/bin/backup.sh --full");

  EXPECT_EQ(schedule.id.text(), "backup");
  EXPECT_EQ(schedule.description, "30 4 * * 1-5 /usr/local/bin/backup.sh --full");
  EXPECT_THAT(schedule.labels, ElementsAre(Pair("imported-from", "crontab")));
  EXPECT_TRUE(schedule.enabled);
  EXPECT_THAT(schedule.spec.crons, ElementsAre("30 4 * * 1-5"));
  EXPECT_EQ(schedule.spec.timezone, "Europe/Berlin");
  EXPECT_EQ(schedule.spec.dst, DstPolicy::cron);
  EXPECT_EQ(schedule.policies.overlap, OverlapPolicy::allow_all);
  EXPECT_EQ(schedule.policies.catchup.policy, CatchupPolicy::none);
  EXPECT_EQ(schedule.policies.retry.attempt_count_max, 1);
}

TEST(Crontab, a_command_runs_in_the_surroundings_of_cron) {
  const CommandAction command = command_of("0 5 * * * make report");

  EXPECT_THAT(command.argv, ElementsAre("make report"));
  EXPECT_TRUE(command.shell);
  EXPECT_EQ(command.cwd, "/home/joe");
  EXPECT_EQ(command.user, "joe");
  EXPECT_THAT(command.env,
              ElementsAre(Pair("HOME", "/home/joe"), Pair("PATH", "/usr/bin:/bin"), Pair("SHELL", "/bin/sh")));
}

TEST(Crontab, settings_hold_for_the_lines_below_them) {
  const Crontab crontab = read("A=1\n0 1 * * * one\nA=2\nB = ' x '\n0 2 * * * two\n");

  const auto env = [&](std::size_t index) {
    return std::get<CommandAction>(crontab.lines[index].schedule.value().document.action).env;
  };
  EXPECT_EQ(env(1).at("A"), "1");
  EXPECT_FALSE(env(1).contains("B"));
  EXPECT_EQ(env(4).at("A"), "2");
  EXPECT_EQ(env(4).at("B"), " x ");
}

TEST(Crontab, another_shell_is_given_the_command) {
  const CommandAction command = command_of("SHELL=/bin/bash\nHOME=/srv\n0 5 * * * echo $RANDOM");

  EXPECT_FALSE(command.shell);
  EXPECT_THAT(command.argv, ElementsAre("/bin/bash", "-c", "echo $RANDOM"));
  EXPECT_EQ(command.cwd, "/srv");
}

TEST(Crontab, the_name_of_the_user_cannot_be_set) {
  EXPECT_FALSE(command_of("LOGNAME=root\n0 5 * * * id").env.contains("LOGNAME"));
}

TEST(Crontab, what_stands_behind_a_percent_is_input) {
  const CommandAction command = command_of("0 5 * * * mail -s \"100\\%\" joe%Dear Joe,%bye");

  EXPECT_THAT(command.argv, ElementsAre("mail -s \"100%\" joe"));
  EXPECT_EQ(command.standard_input, "Dear Joe,\nbye\n");
}

TEST(Crontab, day_fields_that_cron_joins_by_and_become_a_calendar) {
  const Spec spec = schedule_of("*/5 4 */2 * mon-fri cmd").spec;

  EXPECT_THAT(spec.crons, IsEmpty());
  ASSERT_THAT(spec.calendars, SizeIs(1));
  EXPECT_EQ(spec.calendars[0].minute, CalendarField{"*/5"});
  EXPECT_EQ(spec.calendars[0].day_of_month, CalendarField{"*/2"});
  EXPECT_EQ(spec.calendars[0].day_of_week, CalendarField{"mon-fri"});
  EXPECT_THAT(schedule_of("0 4 1 * mon cmd").spec.crons, ElementsAre("0 4 1 * mon"));
  EXPECT_THAT(schedule_of("0 4 * * */2 cmd").spec.crons, ElementsAre("0 4 * * */2"));
}

TEST(Crontab, CRON_TZ_of_the_machines_own_zone_is_no_difference_between_crons) {
  const Crontab crontab = read("CRON_TZ=Europe/Berlin\n0 5 * * * cmd\n");

  EXPECT_THAT(crontab.lines[1].differences, ElementsAre(HasSubstr("when the clocks of Europe/Berlin change")));
}

TEST(Crontab, the_zone_of_a_line_is_the_machines_unless_CRON_TZ_names_another) {
  EXPECT_EQ(schedule_of("TZ=America/New_York\n0 5 * * * cmd").spec.timezone, "Europe/Berlin");
  EXPECT_EQ(schedule_of("CRON_TZ=America/New_York\n0 5 * * * cmd").spec.timezone, "America/New_York");
  EXPECT_EQ(schedule_of("CRON_TZ=America/New_York\n0 5 * * * cmd").spec.dst, DstPolicy::literal);
  EXPECT_EQ(schedule_of("CRON_TZ=America/New_York\nCRON_TZ=\n0 5 * * * cmd").spec.timezone, "Europe/Berlin");
}

TEST(Crontab, a_random_delay_becomes_jitter) {
  EXPECT_EQ(schedule_of("RANDOM_DELAY=45\n0 5 * * * cmd").spec.jitter, std::chrono::minutes{45});
  EXPECT_EQ(schedule_of("RANDOM_DELAY=45\nRANDOM_DELAY=1441\n0 5 * * * cmd").spec.jitter, Duration{0});
}

TEST(Crontab, a_line_that_may_run_only_once_at_a_time_skips) {
  EXPECT_EQ(schedule_of("* * * * * -s cmd").policies.overlap, OverlapPolicy::skip);
}

TEST(Crontab, a_system_crontab_gives_each_command_its_user) {
  CrontabOptions options{.form = CrontabForm::system, .timezone = "UTC"};
  options.home_of = [](std::string_view user) {
    return user == "www-data" ? std::optional<std::string>{"/var/www"} : std::nullopt;
  };

  EXPECT_EQ(command_of("0 5 * * * www-data ls", options).user, "www-data");
  EXPECT_EQ(command_of("0 5 * * * www-data ls", options).cwd, "/var/www");
  EXPECT_EQ(command_of("0 5 * * * root ls", options).cwd, "/root");
  EXPECT_EQ(command_of("0 5 * * * nobody ls", options).cwd, std::nullopt);
  EXPECT_THAT(last_line("0 5 * * * nobody ls", options).differences,
              ElementsAre(HasSubstr("in the home of its user, which is not known here")));
}

TEST(Crontab, the_form_is_told_by_the_name_or_by_looking) {
  constexpr std::string_view user = "0 5 * * * backup --all\n0 6 * * * /bin/true\n";
  constexpr std::string_view system = "SHELL=/bin/sh\n0 5 * * * root cmd\n@daily www-data cmd x\n@reboot x\n";
  EXPECT_EQ(form_of(user, "crontab.txt"), CrontabForm::user);
  EXPECT_EQ(form_of(user, "/etc/crontab"), CrontabForm::system);
  EXPECT_EQ(form_of(user, "/etc/cron.d/php"), CrontabForm::system);
  EXPECT_EQ(form_of(system, "-"), CrontabForm::system);
  EXPECT_EQ(form_of("0 5 * * * backup --all\n", "-"), CrontabForm::user);
  EXPECT_EQ(form_of("0 5 * * * root cmd\n0 5 * * * /bin/true\n", "-"), CrontabForm::user);
  EXPECT_EQ(form_of("", ""), CrontabForm::user);
}

TEST(Crontab, ids_are_unique_without_case_and_may_have_a_prefix) {
  CrontabOptions options = as_joe();
  options.id_prefix = "web1";
  options.taken_ids = {"WEB1-backup-2"};
  const Crontab crontab = read("0 1 * * * backup\n0 2 * * * /bin/Backup\n0 3 * * * backup.sh\n", options);

  std::vector<std::string> ids;
  for (const ImportedLine& line : crontab.lines) ids.push_back(line.schedule.value().document.id.text());
  EXPECT_THAT(ids, ElementsAre("web1-backup", "web1-backup-3", "web1-backup-4"));
}

TEST(Crontab, schedules_on_hold_begin_disabled) {
  CrontabOptions options = as_joe();
  options.hold = true;

  EXPECT_FALSE(schedule_of("0 5 * * * cmd", options).enabled);
}

TEST(Crontab, a_last_line_without_end_is_stated) {
  const Crontab crontab = read("0 5 * * * one\n0 6 * * * two");

  EXPECT_EQ(crontab.lines[0].verdict, imported);
  EXPECT_EQ(crontab.lines[1].verdict, different);
  EXPECT_THAT(crontab.lines[1].differences, ElementsAre(HasSubstr("no line end")));
}

TEST(Crontab, a_refused_line_keeps_no_other_from_being_imported) {
  const Crontab crontab = read("99 * * * * one\n0 6 * * * two\n");

  EXPECT_EQ(crontab.lines[0].verdict, refused);
  EXPECT_EQ(crontab.lines[1].verdict, imported);
  EXPECT_EQ(crontab.lines[1].number, 2U);
  EXPECT_EQ(crontab.lines[1].text, "0 6 * * * two");
}

TEST(Crontab, the_file_of_schedules_says_no_more_than_it_must_and_reads_back) {
  const Crontab crontab =
      read("MAILTO=x\n~ 4 */2 * mon /opt/a.sh\n@hourly b %in\nCRON_TZ=America/New_York\n0 5 * * * c\n");

  const std::string yaml = to_yaml(boost::json::value(to_schedule_file(crontab.lines)));

  EXPECT_THAT(yaml, Not(HasSubstr("bufferLimit")));
  const auto schedules = read_schedule_file(parse_yaml(yaml).value());
  ASSERT_TRUE(schedules.has_value()) << schedules.error().front().message;
  std::vector<ScheduleDocument> expected;
  for (const ImportedLine& line : crontab.lines)
    if (line.schedule) expected.push_back(line.schedule->document);
  EXPECT_EQ(*schedules, expected);
}

TEST(Crontab, settings_have_a_bound) {
  const std::string kibibyte(1024, 'x');
  std::string text;
  for (int i = 0; i < 65; ++i) text += fmt::format("A{}={}\n", i, kibibyte);

  const Crontab crontab = read(text + "0 5 * * * cmd\n");

  EXPECT_EQ(crontab.lines[62].verdict, setting);
  EXPECT_EQ(crontab.lines[64].verdict, refused);
  EXPECT_EQ(crontab.lines[65].verdict, imported);
}

/// Bytes that a crontab might have, and some that it had better not.
rc::Gen<std::string> any_text() {
  const auto snippet = rc::gen::element<std::string>(
      "* * * * * ", "0 5 * * * ", "@daily ", "*/2", "1-5", "~", "CRON_TZ=", "A=", "\"", "'", "%", "\\", "\n", "\r\n",
      " ", "\t", "root ", "&", "=", "#", "-", ",", "7", "99999999999999999999", "sun-mon", "cmd", "@reboot ", "SHELL=");
  const auto bytes = rc::gen::container<std::string>(rc::gen::arbitrary<char>());
  const auto pieces =
      rc::gen::container<std::vector<std::string>>(rc::gen::weightedOneOf<std::string>({{8, snippet}, {1, bytes}}));
  return rc::gen::map(pieces,
                      [](const std::vector<std::string>& all) { return fmt::format("{}", fmt::join(all, "")); });
}

RC_GTEST_PROP(CrontabProperty, any_text_is_accounted_for_line_by_line, ()) {
  const std::string text = *any_text();
  CrontabOptions options = as_joe();
  options.form = std::nullopt;

  const Crontab crontab = read(text, options);

  std::string joined;
  std::set<std::string> ids;
  for (const ImportedLine& line : crontab.lines) {
    joined += line.text + '\n';
    RC_ASSERT(line.number == static_cast<std::size_t>(std::ranges::count(joined, '\n')));
    RC_ASSERT(line.schedule.has_value() == (line.verdict == imported || line.verdict == different));
    RC_ASSERT((line.verdict == different) == !line.differences.empty());
    RC_ASSERT((line.verdict == refused || line.verdict == setting) == !line.reason.empty());
    if (line.schedule) RC_ASSERT(ids.insert(line.schedule->document.id.text()).second);
  }
  RC_ASSERT(joined == text || joined == text + '\n');
  const auto file = boost::json::value(to_schedule_file(crontab.lines));
  for (const auto& schedule : file.at("schedules").as_array()) RC_ASSERT(read_schedule(schedule).has_value());
}

}  // namespace
}  // namespace carillon
