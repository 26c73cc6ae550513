#include "base/instant.hpp"

#include <gtest/gtest.h>

#include <rapidcheck/gtest.h>

#include <array>
#include <cstdint>

namespace carillon {
namespace {

using namespace std::chrono_literals;
using std::chrono::sys_days;
using std::chrono::year;

TEST(Instant, rfc_3339_is_read_in_all_its_forms) {
  constexpr Instant nine{sys_days{year{2027} / 1 / 31} + 9h};
  struct Case {
    std::string_view text;
    Instant instant;
  };
  constexpr std::array cases{Case{"2027-01-31T09:00:00Z", nine},
                             Case{"2027-01-31t09:00:00z", nine},
                             Case{"2027-01-31 09:00:00Z", nine},
                             Case{"2027-01-31T04:00:00-05:00", nine},
                             Case{"2027-01-31T14:45:00+05:45", nine},
                             Case{"2027-01-31T09:00:00-00:00", nine},
                             Case{"2027-01-31T09:00:00.5Z", nine + 500ms},
                             Case{"2027-01-31T09:00:00.000001Z", nine + 1us},
                             Case{"2027-01-31T09:00:00.123456000000Z", nine + 123456us},
                             Case{"2027-02-01T08:59:00+23:59", nine},
                             Case{"2024-02-29T00:00:00Z", Instant{sys_days{year{2024} / 2 / 29}}},
                             Case{"1900-01-01T00:00:00Z", instant_min},
                             Case{"1899-12-31T19:00:00-05:00", instant_min},
                             Case{"2199-12-31T23:59:59Z", instant_max},
                             Case{"1969-12-31T23:59:59.999999Z", Instant{-1us}}};

  for (const auto& [text, instant] : cases) {
    const auto read = parse_instant(text);
    ASSERT_TRUE(read) << text << ": " << read.error().message;
    EXPECT_EQ(*read, instant) << text;
  }
}

TEST(Instant, what_is_no_time_is_refused_where_the_fault_is) {
  struct Case {
    std::string_view text;
    std::size_t position;
    std::string_view why;
  };
  constexpr std::string_view date = "expected a date like 2027-01-31";
  constexpr std::string_view no_date = "the calendar has no such date";
  constexpr std::string_view clock = "expected hh:mm:ss";
  constexpr std::string_view seconds = "expected seconds from 00 to 59";
  constexpr std::string_view fraction = "expected a fraction of at most nine digits";
  constexpr std::string_view zone = "expected Z or an offset like +02:00";
  constexpr std::string_view range = "it lies outside the years 1900 to 2199";
  constexpr std::array cases{Case{"", 0, date},
                             Case{"tomorrow", 0, date},
                             Case{" 2027-01-31T09:00:00Z", 0, date},
                             Case{"202", 3, date},
                             Case{"2027", 4, date},
                             Case{"2027/01/31", 4, date},
                             Case{"2027-1-31T09:00:00Z", 6, date},
                             Case{"2027-01", 7, date},
                             Case{"2027-01-3T09:00:00Z", 9, date},
                             Case{"2027-02-29T09:00:00Z", 0, no_date},
                             Case{"2027-13-01T09:00:00Z", 0, no_date},
                             Case{"2027-00-01T09:00:00Z", 0, no_date},
                             Case{"2027-01-00T09:00:00Z", 0, no_date},
                             Case{"0000-01-01T00:00:00Z", 0, no_date},
                             Case{"2027-01-31", 10, "expected T and a time of day"},
                             Case{"2027-01-31_09:00:00Z", 10, "expected T and a time of day"},
                             Case{"2027-01-31T", 11, clock},
                             Case{"2027-01-31T24:00:00Z", 11, clock},
                             Case{"2027-01-31T9:00:00Z", 12, clock},
                             Case{"2027-01-31T09", 13, clock},
                             Case{"2027-01-31T09:60:00Z", 14, clock},
                             Case{"2027-01-31T09:00Z", 16, clock},
                             Case{"2027-01-31T09:00:60Z", 17, seconds},
                             Case{"2027-01-31T09:00:0Z", 18, seconds},
                             Case{"2027-01-31T09:00:00", 19, zone},
                             Case{"2027-01-31T09:00:00.Z", 20, fraction},
                             Case{"2027-01-31T09:00:00.0000000001Z", 29, fraction},
                             Case{"2027-01-31T09:00:00,5Z", 19, zone},
                             Case{"2027-01-31T09:00:00 Z", 19, zone},
                             Case{"2027-01-31T09:00:00+24:00", 20, zone},
                             Case{"2027-01-31T09:00:00+02:60", 23, zone},
                             Case{"2027-01-31T09:00:00+0200", 22, zone},
                             Case{"2027-01-31T09:00:00+02", 22, zone},
                             Case{"2027-01-31T09:00:00+02:0", 24, zone},
                             Case{"2027-01-31T09:00:00Z ", 20, "something follows the zone"},
                             Case{"2027-01-31T09:00:00ZZ", 20, "something follows the zone"},
                             Case{"2027-01-31T09:00:00+02:00[Europe/Berlin]", 25, "something follows the zone"},
                             Case{"1899-12-31T23:59:59Z", 0, range},
                             Case{"1900-01-01T00:00:00+00:01", 0, range},
                             Case{"2200-01-01T00:00:00Z", 0, range},
                             Case{"2199-12-31T23:59:59-00:01", 0, range},
                             Case{"9999-12-31T23:59:59Z", 0, range},
                             Case{"0001-01-01T00:00:00Z", 0, range}};

  for (const auto& [text, position, why] : cases) {
    const auto read = parse_instant(text);
    ASSERT_FALSE(read) << text;
    EXPECT_EQ(read.error().code, ErrorCode::invalid_argument);
    EXPECT_EQ(read.error().rule, "invalid-time");
    EXPECT_EQ(read.error().position, position) << text;
    EXPECT_TRUE(read.error().message.ends_with(why)) << text << ": " << read.error().message;
    EXPECT_FALSE(read.error().hint.empty());
  }
}

TEST(Instant, nanoseconds_are_read_and_cut_off_after_the_microsecond) {
  for (const auto& [text, microseconds] :
       {std::pair{"2027-01-31T09:00:02.123456789Z", 123'456}, std::pair{"2027-01-31T09:00:02.1234567Z", 123'456},
        std::pair{"2027-01-31T09:00:02.999999999Z", 999'999}, std::pair{"2027-01-31T09:00:02.000000999Z", 0},
        std::pair{"2027-01-31T09:00:02.123456789000Z", 123'456}}) {
    const auto instant = parse_instant(text);

    ASSERT_TRUE(instant) << text;
    EXPECT_EQ(*instant, parse_instant("2027-01-31T09:00:02Z").value() + Duration{microseconds}) << text;
  }
}

TEST(Instant, a_fraction_is_written_only_if_it_is_not_zero) {
  struct Case {
    Instant instant;
    std::string_view text;
  };
  constexpr std::array cases{Case{Instant{}, "1970-01-01T00:00:00Z"},
                             Case{Instant{1us}, "1970-01-01T00:00:00.000001Z"},
                             Case{Instant{-1us}, "1969-12-31T23:59:59.999999Z"},
                             Case{Instant{500ms}, "1970-01-01T00:00:00.5Z"},
                             Case{Instant{120300us}, "1970-01-01T00:00:00.1203Z"},
                             Case{Instant{sys_days{year{2024} / 2 / 29} + 23h + 59min + 59s}, "2024-02-29T23:59:59Z"},
                             Case{instant_min, "1900-01-01T00:00:00Z"},
                             Case{instant_max, "2199-12-31T23:59:59Z"},
                             Case{Instant{sys_days{year{1} / 1 / 1}}, "0001-01-01T00:00:00Z"},
                             Case{Instant{sys_days{year{9999} / 12 / 31}}, "9999-12-31T00:00:00Z"}};

  for (const auto& [instant, text] : cases) EXPECT_EQ(to_text(instant), text);
}

TEST(Instant, a_text_is_appended_to_what_is_there) {
  std::string out = "at ";

  append_text(out, Instant{});

  EXPECT_EQ(out, "at 1970-01-01T00:00:00Z");
}

TEST(Instant, a_time_that_no_text_can_show_is_a_bug) {
  EXPECT_DEATH(static_cast<void>(to_text(Instant::max())), "assertion failed");
  EXPECT_DEATH(static_cast<void>(to_text(Instant::min())), "assertion failed");
}

RC_GTEST_PROP(Instant, what_is_written_reads_back_as_the_same_instant, ()) {
  const auto count = *rc::gen::inRange<std::int64_t>(instant_min.time_since_epoch().count(),
                                                     instant_max.time_since_epoch().count() + 1);
  const Instant instant{Duration{count}};

  const auto read = parse_instant(to_text(instant));

  RC_ASSERT(read.has_value());
  RC_ASSERT(*read == instant);
}

RC_GTEST_PROP(Instant, the_order_of_texts_in_whole_seconds_is_the_order_of_time, ()) {
  const auto second = rc::gen::inRange<std::int64_t>(-2'000'000'000, 7'000'000'000);
  const Instant a{std::chrono::seconds{*second}};
  const Instant b{std::chrono::seconds{*second}};

  RC_ASSERT((to_text(a) < to_text(b)) == (a < b));
}

RC_GTEST_PROP(Instant, no_text_leads_to_more_than_an_error, (const std::string& text)) {
  const auto read = parse_instant(text);

  RC_ASSERT(!read.has_value());
  RC_ASSERT(read.error().position <= text.size());
}

}  // namespace
}  // namespace carillon
