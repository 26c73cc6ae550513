#include "stores/logs/log_text.hpp"

#include <gtest/gtest.h>

#include <rapidcheck/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace carillon {
namespace {

using namespace std::string_literals;
constexpr OutputStream out = OutputStream::out;
constexpr OutputStream error = OutputStream::error;

TEST(LogText, of_one_stream_is_what_was_printed) {
  OutputStream current = out;

  EXPECT_EQ(encode(out, "hello\n", current) + encode(out, "world\n", current), "hello\nworld\n");
}

TEST(LogText, says_where_the_stream_changes) {
  OutputStream current = out;
  std::string file;
  for (const auto& [stream, bytes] :
       std::vector<std::pair<OutputStream, std::string>>{{out, "a"}, {error, "b"}, {error, "c"}, {out, "d"}})
    file += encode(stream, bytes, current);

  EXPECT_EQ(file, "a\0ebc\0od"s);
  EXPECT_EQ(decode_log(file).head, "abcd");
  EXPECT_EQ(decode_log(file.substr(0, 5)).stream, error);
  EXPECT_EQ(decode_log(file).stream, out);
}

TEST(LogText, takes_any_bytes) {
  OutputStream current = out;
  const std::string bytes = "\0\0o\0e\0.\xFF\r\n\0"s;

  const DecodedLog log = decode_log(encode(out, bytes, current));

  EXPECT_EQ(log.head, bytes);
  EXPECT_FALSE(log.is_ended);
}

TEST(LogText, says_how_much_is_left_out_and_where_it_ends) {
  const std::string file = "head" + encode_left_out(123'456) + "tail" + encode_end();

  const DecodedLog log = decode_log(file);

  EXPECT_EQ(file, "head\0-\n… 123456 bytes left out …\ntail\0."s);
  EXPECT_EQ(log.head, "head");
  EXPECT_EQ(log.left_out_count, 123'456);
  EXPECT_EQ(log.tail, "tail");
  EXPECT_TRUE(log.is_ended);
  EXPECT_EQ(log.sound_size, file.size());
}

TEST(LogText, is_not_misled_by_output_that_looks_like_it) {
  OutputStream current = out;
  const std::string bytes = encode_left_out(7) + "x" + encode_end() + "y";

  const DecodedLog log = decode_log(encode(out, bytes, current));

  EXPECT_EQ(log.head, bytes);
  EXPECT_EQ(log.left_out_count, 0);
  EXPECT_FALSE(log.is_ended);
}

TEST(LogText, that_is_damaged_is_read_as_far_as_it_is_sound) {
  struct Damage {
    std::string file;
    std::size_t sound_size;
  };
  const std::vector<Damage> cases{
      {"abc\0"s, 3},
      {"abc\0?def"s, 3},
      {"abc\0-"s, 3},
      {"abc\0-\n… 12"s, 3},
      {"abc\0-\n… -5 bytes left out …\n"s, 3},
      {"abc\0-\n… 99999999999999999999999 bytes left out …\n"s, 3},
      {"\0"s, 0},
      {""s, 0},
  };
  for (const Damage& damage : cases) {
    const DecodedLog log = decode_log(damage.file);
    EXPECT_EQ(log.sound_size, damage.sound_size);
    EXPECT_EQ(log.head, damage.file.substr(0, damage.sound_size));
    EXPECT_FALSE(log.is_ended);
  }
}

TEST(LogText, has_nothing_behind_its_end_and_one_gap_at_most) {
  EXPECT_EQ(decode_log("a" + encode_end() + "b").head, "a");
  EXPECT_EQ(decode_log("a" + encode_left_out(1) + "b" + encode_left_out(2) + "c").tail, "b");
}

RC_GTEST_PROP(LogText, reads_back_what_was_written, (std::vector<std::pair<bool, std::string>> chunks)) {
  OutputStream current = out;
  std::string file;
  std::string printed;
  for (const auto& [is_error, bytes] : chunks) {
    const std::string encoded = encode(is_error ? error : out, bytes, current);
    RC_ASSERT(encoded.size() <= 2 * bytes.size() + 2);
    file += encoded;
    printed += bytes;
  }

  const DecodedLog log = decode_log(file);

  RC_ASSERT(log.head == printed);
  RC_ASSERT(log.stream == current);
  RC_ASSERT(log.sound_size == file.size());
}

RC_GTEST_PROP(LogText, reads_any_file_without_harm, (std::string file)) {
  const DecodedLog log = decode_log(file);

  RC_ASSERT(log.sound_size <= file.size());
  RC_ASSERT(log.head.size() + log.tail.size() <= file.size());
}

}  // namespace
}  // namespace carillon
