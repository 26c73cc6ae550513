#include "library/memory_log_store.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace carillon {
namespace {

using ::testing::EndsWith;

constexpr AttemptKey first{.run = Seq{7}, .attempt = 1};

TEST(MemoryLogs, are_read_in_pages_while_they_grow) {
  MemoryLogStore logs;
  logs.append(Uid{1}, first, OutputStream::out, "one\n");

  EXPECT_EQ(logs.read(Uid{1}, first, 0, 2)->bytes, "on");
  logs.append(Uid{1}, first, OutputStream::out, "two\n");
  EXPECT_EQ(logs.read(Uid{1}, first, 2, 100)->bytes, "e\ntwo\n");
  EXPECT_FALSE(logs.read(Uid{1}, first, 0, 100)->is_at_end);

  ASSERT_TRUE(logs.close(Uid{1}, first));
  EXPECT_TRUE(logs.read(Uid{1}, first, 0, 100)->is_at_end);
  EXPECT_EQ(logs.read(Uid{1}, {.run = Seq{7}, .attempt = 2}, 0, 1).error().code, ErrorCode::not_found);
}

TEST(MemoryLogs, keep_the_beginning_of_a_long_log_and_say_so) {
  MemoryLogStore logs;
  logs.append(Uid{1}, first, OutputStream::out, std::string(MemoryLogStore::log_size_max, 'x'));
  logs.append(Uid{1}, first, OutputStream::out, "y");
  logs.append(Uid{1}, first, OutputStream::out, "z");

  const LogPage page = logs.read(Uid{1}, first, 0, 1'000'000).value();

  EXPECT_TRUE(page.is_truncated);
  EXPECT_THAT(page.bytes, EndsWith("x\n… the rest is left out …\n"));
}

TEST(MemoryLogs, are_the_newest_ones_when_there_are_too_many) {
  MemoryLogStore logs;
  for (std::int64_t run = 0; run <= static_cast<std::int64_t>(MemoryLogStore::log_count_max); ++run)
    logs.append(Uid{1}, {.run = Seq{run}, .attempt = 1}, OutputStream::out, "x");

  EXPECT_FALSE(logs.read(Uid{1}, {.run = Seq{0}, .attempt = 1}, 0, 1));
  EXPECT_TRUE(logs.read(Uid{1}, {.run = Seq{1}, .attempt = 1}, 0, 1));
}

TEST(MemoryLogs, of_removed_runs_are_gone) {
  MemoryLogStore logs;
  const AttemptKey second{.run = Seq{7}, .attempt = 2};
  const AttemptKey other{.run = Seq{8}, .attempt = 1};
  for (const AttemptKey& key : {first, second, other}) logs.append(Uid{1}, key, OutputStream::out, "x");

  ASSERT_TRUE(logs.remove(Uid{1}, {Seq{7}}));

  EXPECT_FALSE(logs.read(Uid{1}, first, 0, 1));
  EXPECT_FALSE(logs.read(Uid{1}, second, 0, 1));
  EXPECT_TRUE(logs.read(Uid{1}, other, 0, 1));
}

}  // namespace
}  // namespace carillon
