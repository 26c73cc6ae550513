#include "executors/process/output_spool.hpp"

#include <gtest/gtest.h>

#include <rapidcheck/gtest.h>

namespace carillon {
namespace {

std::string text_of(const OutputSpool& spool) {
  std::string text;
  for (const OutputSpool::Piece& piece : spool.pieces()) text += piece.bytes;
  return text;
}

std::size_t size_of(const OutputSpool& spool) { return text_of(spool).size(); }

TEST(OutputSpool, keeps_what_both_streams_printed_in_order) {
  OutputSpool spool;
  spool.add(OutputStream::out, "one ");
  spool.add(OutputStream::out, "two ");
  spool.add(OutputStream::error, "three ");
  spool.add(OutputStream::out, "four");

  const auto pieces = spool.pieces();
  ASSERT_EQ(pieces.size(), 3U);
  EXPECT_EQ(pieces[0].bytes, "one two ");
  EXPECT_EQ(pieces[1].stream, OutputStream::error);
  EXPECT_EQ(pieces[1].bytes, "three ");
  EXPECT_EQ(pieces[2].bytes, "four");
}

TEST(OutputSpool, says_how_much_it_has_left_out_between_beginning_and_end) {
  OutputSpool spool{100};
  spool.add(OutputStream::out, "the beginning ");
  for (int i = 0; i < 100; ++i) spool.add(OutputStream::out, std::string(16 * 1024, 'x'));
  spool.add(OutputStream::out, " the end");

  const std::string text = text_of(spool);
  EXPECT_TRUE(text.starts_with("the beginning ")) << text.substr(0, 50);
  EXPECT_TRUE(text.ends_with(" the end"));
  EXPECT_TRUE(text.contains("bytes left out")) << text.substr(0, 200);
  EXPECT_LT(text.size(), 64U * 1024);
}

TEST(OutputSpool, is_empty_again_when_its_output_has_been_passed_on) {
  OutputSpool spool;
  spool.add(OutputStream::out, "passed on");
  spool.clear();
  spool.add(OutputStream::error, "new");

  EXPECT_EQ(text_of(spool), "new");
}

RC_GTEST_PROP(OutputSpool, loses_nothing_that_fits_and_never_grows_beyond_its_bound, ()) {
  constexpr std::size_t part = 4096;
  OutputSpool spool{part};
  std::string all;
  const auto count = *rc::gen::inRange<int>(0, 60);
  for (int i = 0; i < count; ++i) {
    const std::string bytes(*rc::gen::inRange<std::size_t>(1, 900), static_cast<char>('a' + i % 26));
    spool.add(*rc::gen::arbitrary<bool>() ? OutputStream::out : OutputStream::error, bytes);
    all += bytes;
  }

  if (all.size() + 64 * static_cast<std::size_t>(count) <= 2 * part) RC_ASSERT(text_of(spool) == all);
  RC_ASSERT(size_of(spool) <= 2 * part + 64 * 1024);
}

}  // namespace
}  // namespace carillon
