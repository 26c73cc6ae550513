#include "executors/process/variables.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace carillon {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

Envelope envelope() {
  return {.name_space = "ops",
          .schedule_id = "nightly",
          .schedule_name = "Nightly backup",
          .run_id = "r1",
          .run_name = "nightly@2027",
          .nominal = parse_instant("2027-03-01T02:00:00Z").value(),
          .due = parse_instant("2027-03-01T02:00:07.5Z").value(),
          .attempt = 3,
          .source = Source::catchup,
          .repeat_number = 12,
          .fence = 99,
          .last_result = R"({"rows":5})",
          .payload = R"({"full":true})"};
}

TEST(Variables, an_attempt_is_told_about_itself) {
  EXPECT_THAT(
      environment_of({}, {}, envelope(), {}).value(),
      ElementsAre("CARILLON_ATTEMPT=3", "CARILLON_DUE_TIME=2027-03-01T02:00:07.5Z", "CARILLON_FENCE=99",
                  "CARILLON_LAST_RESULT={\"rows\":5}", "CARILLON_NAMESPACE=ops",
                  "CARILLON_NOMINAL_TIME=2027-03-01T02:00:00Z", "CARILLON_PAYLOAD={\"full\":true}",
                  "CARILLON_REPEAT_NUMBER=12", "CARILLON_RUN_ID=r1", "CARILLON_RUN_NAME=nightly@2027",
                  "CARILLON_SCHEDULE_ID=nightly", "CARILLON_SCHEDULE_NAME=Nightly backup", "CARILLON_SOURCE=catchup"));
}

TEST(Variables, a_command_may_change_what_it_inherits_but_not_what_it_is_told) {
  Envelope first = envelope();
  first.last_result.reset();
  const auto environment =
      environment_of(
          {{"LANG", "C"}, {"TZ", "UTC"}},
          {{"LANG", "de_DE.UTF-8"}, {"CARILLON_RUN_ID", "forged"}, {"CARILLON_LAST_RESULT", "forged"}, {"MINE", ""}},
          first, {})
          .value();

  EXPECT_THAT(environment, Contains("LANG=de_DE.UTF-8"));
  EXPECT_THAT(environment, Contains("TZ=UTC"));
  EXPECT_THAT(environment, Contains("MINE="));
  EXPECT_THAT(environment, Contains("CARILLON_RUN_ID=r1"));
  EXPECT_THAT(environment, Not(Contains(HasSubstr("forged"))));
}

TEST(Variables, a_payload_longer_than_linux_takes_is_left_out_whole) {
  Envelope large = envelope();
  large.payload = std::string(variable_length_max - std::string{"CARILLON_PAYLOAD="}.size(), 'x');
  EXPECT_THAT(environment_of({}, {}, large, {}).value(), Contains(StartsWith("CARILLON_PAYLOAD=")));

  large.payload += 'x';
  EXPECT_THAT(environment_of({}, {}, large, {}).value(), Not(Contains(StartsWith("CARILLON_PAYLOAD"))));
}

TEST(Variables, what_cannot_be_a_variable_is_refused_by_its_name_and_never_by_its_value) {
  const auto secret = [](std::string_view) -> Result<std::string> { return std::string("s3cret\0more", 11); };
  const auto with_nul = environment_of({}, {{"KEY", "${env:KEY}"}}, envelope(), secret);
  ASSERT_FALSE(with_nul);
  EXPECT_EQ(with_nul.error().message, "the value of \"KEY\" has a NUL character");

  EXPECT_FALSE(environment_of({}, {{"KEY", std::string(variable_length_max, 'x')}}, envelope(), {}));
  EXPECT_FALSE(environment_of({}, {{"A=B", ""}}, envelope(), {}));
  EXPECT_FALSE(environment_of({}, {{"", ""}}, envelope(), {}));
}

}  // namespace
}  // namespace carillon
