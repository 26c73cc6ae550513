#include "crontab/crontab_variable.hpp"

#include <gtest/gtest.h>

namespace carillon {
namespace {

TEST(CrontabVariable, a_setting_is_read_as_cron_reads_it) {
  struct Case {
    std::string_view line;
    std::string_view name;
    std::string_view value;
  };
  for (const auto& [line, name, value] : {
           Case{"A=b", "A", "b"},
           Case{"  A = b c  ", "A", "b c"},
           Case{"\tPATH\t=\t/bin:/usr/bin", "PATH", "/bin:/usr/bin"},
           Case{"A=\" b \" ", "A", " b "},
           Case{"A=' \"b\" '", "A", " \"b\" "},
           Case{"\"A B\"=c", "A B", "c"},
           Case{"MAILTO=", "MAILTO", ""},
           Case{"MAILTO=\"\"", "MAILTO", ""},
           Case{"A=it's", "A", "it's"},
           Case{"PATH=$HOME/bin:$PATH", "PATH", "$HOME/bin:$PATH"},
           Case{"A=b=c", "A", "b=c"},
           Case{"A=b # no comment", "A", "b # no comment"},
           Case{"A=b\r", "A", "b"},
       }) {
    const auto read = parse_crontab_variable(line);
    ASSERT_TRUE(read.has_value()) << line;
    EXPECT_EQ(*read, (CrontabVariable{.name = std::string{name}, .value = std::string{value}})) << line;
  }
}

TEST(CrontabVariable, a_line_with_times_is_no_setting) {
  for (const std::string_view line :
       {"0 5 * * * A=b cmd", "@daily A=b cmd", "A", "=b", "A B=c", "A=\"b\" c", "A=\"b", "\"A=b\"", "'A", "", "   "}) {
    EXPECT_FALSE(parse_crontab_variable(line).has_value()) << line;
  }
}

}  // namespace
}  // namespace carillon
