#include "base/duration_text.hpp"

#include <gtest/gtest.h>

#include <rapidcheck/gtest.h>

#include <array>
#include <cstdint>
#include <limits>

namespace carillon {
namespace {

using namespace std::chrono_literals;
using std::chrono::days;
using std::chrono::weeks;

constexpr std::int64_t duration_max = 36525LL * 86400 * 1'000'000;

TEST(DurationText, a_duration_is_read_in_the_short_and_the_iso_form) {
  struct Case {
    std::string_view text;
    Duration duration;
  };
  constexpr std::array cases{Case{"90s", 90s},
                             Case{"15m", 15min},
                             Case{"1h30m", 90min},
                             Case{"2d", days{2}},
                             Case{"1w", weeks{1}},
                             Case{"250ms", 250ms},
                             Case{"100us", 100us},
                             Case{"0s", 0s},
                             Case{"007s", 7s},
                             Case{"1w2d3h4m5s6ms7us", weeks{1} + days{2} + 3h + 4min + 5s + 6ms + 7us},
                             Case{"PT15M", 15min},
                             Case{"P1DT12H", 36h},
                             Case{"P1W2D", days{9}},
                             Case{"PT0S", 0s},
                             Case{"P36525D", days{36525}},
                             Case{"36525d", days{36525}}};

  for (const auto& [text, duration] : cases) {
    const auto read = parse_duration(text);
    ASSERT_TRUE(read) << text << ": " << read.error().message;
    EXPECT_EQ(*read, duration) << text;
  }
}

TEST(DurationText, what_is_no_duration_is_refused_where_the_fault_is) {
  struct Case {
    std::string_view text;
    std::size_t position;
    std::string_view why;
  };
  constexpr std::array cases{Case{"", 0, "it is empty"},
                             Case{"90", 2, "the unit is missing"},
                             Case{"s", 0, "expected a number"},
                             Case{"-5s", 0, "expected a number"},
                             Case{"+5s", 0, "expected a number"},
                             Case{" 5s", 0, "expected a number"},
                             Case{"5 s", 1, "the unit is missing"},
                             Case{"5s ", 2, "expected a number"},
                             Case{"1.5h", 1, "the unit is missing"},
                             Case{"5x", 1, "its unit is unknown"},
                             Case{"5M", 1, "its unit is unknown"},
                             Case{"5sec", 1, "its unit is unknown"},
                             Case{"1m1h", 3, "units go from large to small, each once"},
                             Case{"1s1s", 3, "units go from large to small, each once"},
                             Case{"1h30", 4, "the unit is missing"},
                             Case{"P", 1, "nothing follows"},
                             Case{"PT", 2, "nothing follows"},
                             Case{"P1DT", 4, "nothing follows"},
                             Case{"P1M", 2, "its unit is unknown"},
                             Case{"P1Y", 2, "its unit is unknown"},
                             Case{"P1H", 2, "its unit is unknown"},
                             Case{"PT1D", 3, "its unit is unknown"},
                             Case{"PT1HT1M", 3, "its unit is unknown"},
                             Case{"pt1h", 0, "expected a number"},
                             Case{"36526d", 0, "it is longer than 100 years"},
                             Case{"36525d1us", 6, "it is longer than 100 years"},
                             Case{"99999999999999999999999s", 0, "it is longer than 100 years"},
                             Case{"P36525DT1S", 0, "it is longer than 100 years"}};

  for (const auto& [text, position, why] : cases) {
    const auto read = parse_duration(text);
    ASSERT_FALSE(read) << text;
    EXPECT_EQ(read.error().code, ErrorCode::invalid_argument);
    EXPECT_EQ(read.error().rule, "invalid-duration");
    EXPECT_EQ(read.error().position, position) << text;
    EXPECT_TRUE(read.error().message.ends_with(why)) << text << ": " << read.error().message;
    EXPECT_FALSE(read.error().hint.empty());
  }
}

TEST(DurationText, a_long_text_is_shortened_in_the_message) {
  const auto read = parse_duration(std::string(1'000'000, 'x'));

  ASSERT_FALSE(read);
  EXPECT_LT(read.error().message.size(), 150U);
}

TEST(DurationText, a_duration_is_written_in_its_shortest_form) {
  struct Case {
    Duration duration;
    std::string_view text;
  };
  constexpr std::array cases{Case{0s, "0s"},
                             Case{90min, "1h30m"},
                             Case{days{2}, "2d"},
                             Case{weeks{1}, "7d"},
                             Case{90s, "1m30s"},
                             Case{1500ms, "1s500ms"},
                             Case{1us, "1us"},
                             Case{-90min, "-1h30m"},
                             Case{Duration::max(), "106751991d4h54s775ms807us"},
                             Case{Duration::min(), "-106751991d4h54s775ms808us"}};

  for (const auto& [duration, text] : cases) EXPECT_EQ(to_text(duration), text);
}

RC_GTEST_PROP(DurationText, what_is_written_reads_back_as_the_same_duration, ()) {
  const Duration duration{*rc::gen::inRange<std::int64_t>(0, duration_max + 1)};

  const auto read = parse_duration(to_text(duration));

  RC_ASSERT(read.has_value());
  RC_ASSERT(*read == duration);
}

RC_GTEST_PROP(DurationText, no_text_leads_to_more_than_an_error, (const std::string& text)) {
  const auto read = parse_duration(text);

  RC_ASSERT((read ? *read >= Duration{0} : read.error().position <= text.size()));
}

}  // namespace
}  // namespace carillon
