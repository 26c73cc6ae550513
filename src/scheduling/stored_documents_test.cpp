#include "scheduling/stored_documents.hpp"

#include "document/document.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <fmt/format.h>

namespace carillon {
namespace {

namespace json = boost::json;
using testing::HasSubstr;

ScheduleDocument a_schedule(std::string_view id, std::string_view more = R"("policies":{"overlap":"buffer_one"})") {
  return read_schedule(
             json::parse(fmt::format(R"({{"id":"{}","spec":{{"cron":["0 3 * * *"]}},"action":{{"command":{{"argv":)"
                                     R"(["/bin/true"]}}}},{}}})",
                                     id, more)))
      .value();
}

std::string stored(const ScheduleDocument& document) { return json::serialize(write_schedule(document)); }

TEST(StoredDocuments, are_read_as_they_were_written) {
  StoredDocuments documents;
  for (const ScheduleDocument& schedule :
       {a_schedule("one"), a_schedule("two"), a_schedule("three", R"("policies":{"timeout":"5m","grace":"3s"})")}) {
    EXPECT_EQ(documents.read(stored(schedule)), schedule);
    EXPECT_EQ(documents.read(stored(schedule)), schedule) << "when its policies are known";
  }
  EXPECT_EQ(documents.known_count(), 2U);
}

TEST(StoredDocuments, with_the_word_policies_elsewhere_are_not_taken_for_their_policies) {
  StoredDocuments documents;
  const auto odd = [](std::string_view payload) {
    return read_schedule(json::parse(fmt::format(R"({{"id":"odd","spec":{{"cron":["0 3 * * *"]}},"action":{{"job":)"
                                                 R"({{"type":"t","payload":{}}}}}}})",
                                                 payload)))
        .value();
  };
  for (const ScheduleDocument& schedule :
       {odd(R"({"a":1,"policies":{"overlap":"allow_all"}})"), odd(R"("x,\"policies\":{\"overlap\":\"allow_all\"}}")"),
        odd(R"({"a":",","policies":{}})")}) {
    EXPECT_EQ(documents.read(stored(schedule)), schedule);
    EXPECT_EQ(documents.read(stored(schedule))->policies, Policies{});
  }
}

TEST(StoredDocuments, that_only_look_as_if_they_had_the_policies_of_the_one_before_are_read_as_they_are) {
  StoredDocuments documents;
  const std::string before = stored(a_schedule("one"));
  ASSERT_TRUE(documents.read(before));
  const std::string policies = before.substr(before.find(R"(,"policies":)"));  // with the brace that ends all

  EXPECT_EQ(documents.read(before), a_schedule("one"));
  EXPECT_EQ(documents.read(R"({"id":"odd","action":{"job":{"type":"t","payload":{"a":1)" + policies + "}}}")->policies,
            Policies{});
  EXPECT_EQ(documents.read(R"({"id":"odd","action":{"job":{"type":"t"}})" + policies)->policies,
            a_schedule("one").policies);
  for (const std::string_view torn : {R"({"id":"odd")", R"({"id":"odd","action":{"job":{"type":"t"})",
                                      R"({"id":"odd","action":{"job":{"type":"t"}},)", R"({"id":"odd","name":"x)"})
    EXPECT_FALSE(documents.read(std::string{torn} + policies)) << torn;
}

TEST(StoredDocuments, in_another_order_are_read_all_the_same) {
  StoredDocuments documents;
  const ScheduleDocument schedule = a_schedule("one");
  const json::object members = write_schedule(schedule);
  json::object turned;
  for (auto member = members.end(); member != members.begin();) {
    --member;
    turned.emplace(member->key(), member->value());
  }
  EXPECT_EQ(documents.read(json::serialize(turned)), schedule);
  const std::string nested =
      R"({"id":"odd","policies":{"overlap":"skip"},"action":{"job":{"type":"t","payload":{"a":1,"policies":{}}}}})";
  EXPECT_EQ(documents.read(nested)->id.text(), "odd");
}

TEST(StoredDocuments, that_cannot_be_say_what_is_wrong) {
  StoredDocuments documents;
  std::string text = stored(a_schedule("one"));
  ASSERT_TRUE(documents.read(text));
  text.replace(text.find("buffer_one"), 10, "buffer_two");
  const auto faulty = documents.read(text);
  ASSERT_FALSE(faulty);
  EXPECT_EQ(faulty.error().code, ErrorCode::invalid_argument);
  EXPECT_THAT(faulty.error().message, HasSubstr("/policies/overlap"));

  std::string torn = stored(a_schedule("one"));
  torn.erase(torn.find(R"(,"policies")") - 1, 1);  // the brace that ends the action
  EXPECT_FALSE(documents.read(torn));
  EXPECT_FALSE(documents.read(torn + "}"));
}

TEST(StoredDocuments, of_many_kinds_do_not_fill_the_memory) {
  StoredDocuments documents;
  for (int i = 0; i < 2'500; ++i) {
    const auto schedule = a_schedule("one", fmt::format(R"("policies":{{"bufferLimit":{}}})", i + 1));
    ASSERT_EQ(documents.read(stored(schedule)), schedule);
  }
  EXPECT_LE(documents.known_count(), 1'000U);
}

}  // namespace
}  // namespace carillon
