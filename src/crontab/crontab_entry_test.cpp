#include "crontab/crontab_entry.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace carillon {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string refusal_of(std::string_view line, CrontabForm form = CrontabForm::user) {
  const auto entry = parse_crontab_entry(line, form);
  return entry ? "accepted" : entry.error().message + "; " + entry.error().hint;
}

TEST(CrontabEntry, blanks_and_tabs_divide_five_fields_from_a_command) {
  const auto entry = parse_crontab_entry(" \t1\t2  3 \t 4 5\t echo  a\tb ", CrontabForm::user).value();

  EXPECT_THAT(entry.fields, ElementsAre("1", "2", "3", "4", "5"));
  EXPECT_EQ(entry.command, "echo  a\tb ");
  EXPECT_EQ(entry.user, "");
}

TEST(CrontabEntry, a_system_crontab_names_the_user_first) {
  const auto entry = parse_crontab_entry("@daily  www-data\trun-parts /x", CrontabForm::system).value();

  EXPECT_EQ(entry.nickname, "@daily");
  EXPECT_EQ(entry.user, "www-data");
  EXPECT_EQ(entry.command, "run-parts /x");
}

TEST(CrontabEntry, marks_before_the_times_and_the_command_are_kept_apart) {
  const auto entry = parse_crontab_entry("-*/5 * * * * root -n -s cmd -q", CrontabForm::system).value();

  EXPECT_TRUE(entry.is_kept_from_syslog);
  EXPECT_EQ(entry.fields[0], "*/5");
  EXPECT_EQ(entry.options, "ns");
  EXPECT_EQ(entry.command, "cmd -q");
}

TEST(CrontabEntry, what_cron_refuses_is_refused) {
  EXPECT_THAT(refusal_of("* * * * * * cmd"), HasSubstr("five fields before the command, not six"));
  EXPECT_THAT(refusal_of("* * * *"), HasSubstr("breaks off"));
  EXPECT_THAT(refusal_of("* * * * *"), HasSubstr("the command is missing"));
  EXPECT_THAT(refusal_of("* * * * * root", CrontabForm::system), HasSubstr("the user or the command is missing"));
  EXPECT_THAT(refusal_of("@Daily cmd"), HasSubstr("in lower case"));
  EXPECT_THAT(refusal_of("@every_minute cmd"), HasSubstr("not a nickname"));
  EXPECT_THAT(refusal_of("@reboot cmd"), HasSubstr("let the service manager start the command"));
}

TEST(CrontabEntry, percent_divides_a_command_from_its_input) {
  struct Case {
    std::string_view written;
    std::string_view text;
    std::optional<std::string> input;
  };
  for (const auto& [written, text, input] : {
           Case{"date", "date", std::nullopt},
           Case{"date +\\%F", "date +%F", std::nullopt},
           Case{"mail -s hi joe%Hello%%Bye", "mail -s hi joe", "Hello\n\nBye\n"},
           Case{"cat%a\\%b", "cat", "a%b\n"},
           Case{"cat%a%", "cat", "a\n"},
           Case{"cat%", "cat", std::nullopt},
           Case{R"(echo \n \\)", R"(echo \n \\)", std::nullopt},
           Case{R"(echo \\%in)", R"(echo \\)", "in\n"},
           Case{R"(cat%a\\%b\)", "cat", "a\\%b\\\n"},
           Case{R"(echo \)", R"(echo \)", std::nullopt},
       }) {
    const CrontabCommand command = split_at_percent(written);
    EXPECT_EQ(command.text, text) << written;
    EXPECT_EQ(command.input, input) << written;
  }
}

}  // namespace
}  // namespace carillon
