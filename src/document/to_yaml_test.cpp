#include "document/document.hpp"

#include <gtest/gtest.h>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/string.hpp>
#include <rapidcheck/gtest.h>

#include <array>
#include <cmath>
#include <cstring>
#include <string>
#include <vector>

namespace carillon {
namespace {

namespace json = boost::json;

/// Every number alike, however small rapidcheck wants its first cases to be.
unsigned number_below(unsigned end) { return *rc::gen::resize(rc::kNominalSize, rc::gen::inRange(0U, end)); }

/// Texts that YAML would take for something else, or that need care inside it.
std::string nasty_text() {
  return *rc::gen::element<std::string>(
      "", " ", "a ", " a", "~", "null", "Null", "true", "no", "Yes", "010", "1", "-1", "+1", "0x1f", "0o7", "1e3", ".5",
      ".inf", "-.INF", ".nan", "1:30", "2027-01-31", "- a", "-", "--- a", "---", "...", "? a", "a: b", "a:", ":a", ":",
      "a #b", "#a", "[a]", "{a: b}", "a, b", "*a", "&a", "!a", "!!str a", "|", ">", "%a", "@a", "`a`", "\"", "'",
      "it's", "a\\b", "\n", "a\n", "\na", "a\n\nb\n\n", "\t", "a\tb", "\r\n", "\u0085", "\u00a0", "\u2028", "\uFEFF",
      "\uFEFF"
      "a",
      "\u00e9t\u00e9", "\U0001F600", "\x7f", "\x1b[0m", std::string("\0", 1), std::string("a\0b", 3), "<<", "=",
      "0 2 * * *", "*/5 * * * *", "@daily", "90s", "/usr/bin/etl", "https://example.com/?a=b#c", "y", "N", "on", "OFF",
      "x: ", "\"quoted\"", "a  b", "\\", "\\n", "\xEF\xBF\xBF");
}

std::string random_text() {
  const auto point =
      rc::gen::oneOf(rc::gen::inRange<unsigned>(0, 0x80), rc::gen::inRange<unsigned>(0x80, 0x800),
                     rc::gen::inRange<unsigned>(0x800, 0xD800), rc::gen::inRange<unsigned>(0xE000, 0x10000),
                     rc::gen::inRange<unsigned>(0x10000, 0x110000));
  std::string text;
  for (const unsigned p : *rc::gen::container<std::vector<unsigned>>(point)) {
    const auto byte = [&text](unsigned value) { text += static_cast<char>(value); };
    if (p < 0x80) {
      byte(p);
    } else if (p < 0x800) {
      byte(0xC0 | p >> 6), byte(0x80 | (p & 0x3F));
    } else if (p < 0x10000) {
      byte(0xE0 | p >> 12), byte(0x80 | (p >> 6 & 0x3F)), byte(0x80 | (p & 0x3F));
    } else {
      byte(0xF0 | p >> 18), byte(0x80 | (p >> 12 & 0x3F)), byte(0x80 | (p >> 6 & 0x3F)), byte(0x80 | (p & 0x3F));
    }
  }
  return text;
}

std::string any_text() { return number_below(3) == 0 ? random_text() : nasty_text(); }

double any_double() {
  const auto bits = *rc::gen::arbitrary<std::uint64_t>();
  double number = 0;
  std::memcpy(&number, &bits, sizeof number);
  // What is nearer to zero than any normal number is not worth a test of its own; infinity has no text.
  return std::isnormal(number) ? number : static_cast<double>(bits % 1000) / 8;
}

json::value any_scalar() {
  switch (number_below(6)) {
    case 0: return nullptr;
    case 1: return *rc::gen::arbitrary<bool>();
    case 2: return *rc::gen::arbitrary<std::int64_t>();
    case 3: return *rc::gen::arbitrary<std::uint64_t>();
    case 4: return any_double();
    default: return json::value(any_text());
  }
}

json::value any_tree(unsigned depth) {
  const unsigned kind = depth == 0 ? 0 : number_below(4);
  const unsigned count = number_below(5);
  if (kind == 2) {
    json::array array;
    for (unsigned i = 0; i < count; ++i) array.push_back(any_tree(depth - 1));
    return array;
  }
  if (kind == 3) {
    json::object object;
    for (unsigned i = 0; i < count; ++i) object[any_text()] = any_tree(depth - 1);
    return object;
  }
  return any_scalar();
}

TEST(ToYaml, a_tree_is_written_in_block_style_with_its_keys_in_order) {
  const auto root =
      parse_json(R"({"id": "nightly-etl", "spec": {"cron": ["0 2 * * *", "*/5 * * * *"], "jitter": "1h30m",
      "times": [], "calendars": [{"hour": "9", "comment": ""}, [[1, 2], {}]]}, "enabled": true, "note": null, "rate": 2.0})");

  EXPECT_EQ(to_yaml(*root), R"(id: nightly-etl
spec:
  cron:
    - "0 2 * * *"
    - "*/5 * * * *"
  jitter: 1h30m
  times: []
  calendars:
    - hour: "9"
      comment: ""
    - - - 1
        - 2
      - {}
enabled: true
note: null
rate: 2.0
)");
}

TEST(ToYaml, text_is_quoted_where_a_reader_could_take_it_for_something_else) {
  struct Case {
    std::string_view text;
    std::string_view yaml;
  };
  constexpr std::array cases{Case{"Europe/Berlin", "Europe/Berlin"},
                             Case{"Nightly ETL (full)", "Nightly ETL (full)"},
                             Case{"90s", "90s"},
                             Case{"/usr/bin/etl", "/usr/bin/etl"},
                             Case{"no", "\"no\""},
                             Case{"Null", "\"Null\""},
                             Case{"12", "\"12\""},
                             Case{"1e3", "\"1e3\""},
                             Case{"2027-01-31T09:00:00Z", "\"2027-01-31T09:00:00Z\""},
                             Case{"a: b", "\"a: b\""},
                             Case{"a\nb\t\"c\"\\", R"("a\nb\t\"c\"\\")"},
                             Case{"\u0085\u2028\x07", R"("\u0085\u2028\u0007")"},
                             Case{"\u00e9t\u00e9", "\"\u00e9t\u00e9\""}};

  for (const auto& [text, yaml] : cases) EXPECT_EQ(to_yaml(json::value(text)), std::string{yaml} + '\n');
}

TEST(ToYaml, a_key_of_any_length_reads_back) {
  const json::value root = json::object{{std::string(5000, 'k'), json::array{1, 2}}, {std::string(2000, '"'), 3}};

  const auto read = parse_yaml(to_yaml(root));

  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->root, root);
}

RC_GTEST_PROP(ToYaml, every_tree_reads_back_as_itself, ()) {
  const json::value root = any_tree(1 + number_below(5));

  const auto read = parse_yaml(to_yaml(root));

  if (!read) RC_FAIL(read.error().message + " in " + to_yaml(root));
  RC_ASSERT(json::serialize(read->root) == json::serialize(root));
  RC_ASSERT(read->root == root);
}

RC_GTEST_PROP(ToYaml, json_means_the_same_to_both_readers, ()) {
  const std::string text = json::serialize(any_tree(1 + number_below(5)));

  const auto as_json = parse_json(text);
  const auto as_yaml = parse_yaml(text);

  if (!as_json) RC_FAIL(as_json.error().message + " in " + text);
  if (!as_yaml) RC_FAIL(as_yaml.error().message + " in " + text);
  RC_ASSERT(*as_json == as_yaml->root);
}

}  // namespace
}  // namespace carillon
