#include "scheduling/envelope.hpp"

#include "definitions/template_names.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ranges>
#include <string>
#include <vector>

namespace carillon {
namespace {

using testing::ElementsAreArray;
using testing::HasSubstr;

Envelope an_envelope() {
  return {.name_space = "default",
          .schedule_id = "nightly",
          .schedule_name = "Nightly \"sync\"",
          .run_id = "r-8f3k2m1x",
          .run_name = "nightly@2026-01-27T14:00:00Z",
          .nominal = *parse_instant("2026-01-27T14:00:00Z"),
          .due = *parse_instant("2026-01-27T14:00:03.5Z"),
          .attempt = 2,
          .source = Source::catchup,
          .repeat_number = 7,
          .fence = 41,
          .last_result = R"({"rows": 12345678901234567890123})",
          .last_failure = R"({"state":"failed","error":"disk full"})",
          .payload = R"({"table":"orders"})"};
}

TEST(Envelope, is_one_object_with_the_members_of_the_contract) {
  EXPECT_EQ(to_json(an_envelope()),
            R"({"scheduleId":"nightly","scheduleName":"Nightly \"sync\"","runId":"r-8f3k2m1x",)"
            R"("runName":"nightly@2026-01-27T14:00:00Z","nominalTime":"2026-01-27T14:00:00Z",)"
            R"("dueTime":"2026-01-27T14:00:03.5Z","attempt":2,"source":"catchup","repeatNumber":7,"fence":41,)"
            R"("lastResult":{"rows": 12345678901234567890123},)"
            R"("lastFailure":{"state":"failed","error":"disk full"},"payload":{"table":"orders"}})");
}

TEST(Envelope, has_null_for_what_there_is_not) {
  Envelope envelope = an_envelope();
  envelope.schedule_id.clear();
  envelope.schedule_name.clear();
  envelope.last_result.reset();
  envelope.last_failure.reset();
  envelope.payload.clear();

  const auto text = to_json(envelope);

  EXPECT_THAT(*text, HasSubstr(R"({"scheduleId":null,"scheduleName":null,)"));
  EXPECT_THAT(*text, HasSubstr(R"("lastResult":null,"lastFailure":null,"payload":null})"));
}

TEST(Envelope, does_not_carry_what_is_not_json) {
  Envelope with_payload = an_envelope();
  with_payload.payload = R"({},"fence":0)";
  Envelope with_result = an_envelope();
  with_result.last_result = "{";

  ASSERT_FALSE(to_json(with_payload));
  EXPECT_THAT(to_json(with_payload).error().message, HasSubstr("the payload is not JSON"));
  ASSERT_FALSE(to_json(with_result));
  EXPECT_THAT(to_json(with_result).error().message, HasSubstr("the last result is not JSON"));
}

TEST(Envelope, gives_templates_the_same_members_as_texts) {
  const TextMap values = template_values(an_envelope());

  const auto names = std::views::keys(values);
  EXPECT_THAT(std::vector<std::string>(names.begin(), names.end()), ElementsAreArray(template_names))
      << "those that documents are checked against";
  EXPECT_EQ(values.at("scheduleName"), "Nightly \"sync\"");
  EXPECT_EQ(values.at("attempt"), "2");
  EXPECT_EQ(values.at("dueTime"), "2026-01-27T14:00:03.5Z");
  EXPECT_EQ(values.at("payload"), R"({"table":"orders"})");
}

}  // namespace
}  // namespace carillon
