#include "document/object_text.hpp"

#include <gtest/gtest.h>

#include <boost/json/serialize.hpp>

#include <limits>

namespace carillon {
namespace {

TEST(ObjectTexts, have_members_in_the_order_they_were_written) {
  std::string out = "[";

  ObjectText object{out};
  object.text("name", "nightly").number("runs", 3).null("pause").json("labels", R"({"a":1})");
  object.end();

  EXPECT_EQ(out, R"([{"name":"nightly","runs":3,"pause":null,"labels":{"a":1}})");
}

TEST(ObjectTexts, go_on_with_an_object_that_was_opened_before) {
  std::string out = R"({"id":"a")";

  ObjectText{out, true}.text_or_null("owner", "").number_or_null("size", std::nullopt).end();

  EXPECT_EQ(out, R"({"id":"a","owner":null,"size":null})");
}

TEST(ObjectTexts, write_every_character_as_the_library_does) {
  for (int c = 0; c < 0x80; ++c) {
    const std::string text = std::string{"a"} + static_cast<char>(c) + "b" + static_cast<char>(c);
    std::string out;

    append_quoted(out, text);

    EXPECT_EQ(out, boost::json::serialize(boost::json::value(text))) << c;
  }
  std::string out;
  append_quoted(out, "Zürich 🎉");
  EXPECT_EQ(out, "\"Zürich 🎉\"");
}

TEST(ObjectTexts, write_the_largest_numbers) {
  std::string out;

  ObjectText{out}.number("a", std::numeric_limits<std::int64_t>::min()).number("b", 0).end();

  EXPECT_EQ(out, R"({"a":-9223372036854775808,"b":0})");
}

}  // namespace
}  // namespace carillon
