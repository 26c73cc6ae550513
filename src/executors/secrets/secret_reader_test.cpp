#include "executors/secrets/secret_reader.hpp"

#include "executors/secrets/gated_secrets_test.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>

namespace carillon {
namespace {

using std::chrono::milliseconds;
using testing::ElementsAre;
using testing::Pair;

std::future<Result<TextMap>> asked(SecretReader& reader, const std::vector<std::string>& references) {
  auto promise = std::make_shared<std::promise<Result<TextMap>>>();
  auto future = promise->get_future();
  reader.read(references, [promise](Result<TextMap> secrets) { promise->set_value(std::move(secrets)); });
  return future;
}

Result<TextMap> come(std::future<Result<TextMap>> future) {
  if (future.wait_for(secrets_patience) == std::future_status::ready) return future.get();
  ADD_FAILURE() << "nobody was told";
  return fail(ErrorCode::unavailable, "nobody was told");
}

TEST(SecretReader, gives_all_secrets_by_their_references) {
  GatedSecrets secrets;
  SecretReader reader{secrets.reader()};

  EXPECT_THAT(come(asked(reader, {"${secret:b}", "${env:A}"})).value(),
              ElementsAre(Pair("${env:A}", "value of ${env:A}"), Pair("${secret:b}", "value of ${secret:b}")));
}

TEST(SecretReader, reads_again_every_time) {
  GatedSecrets secrets;
  SecretReader reader{secrets.reader()};

  for (int i = 0; i < 3; ++i) EXPECT_TRUE(come(asked(reader, {"${secret:a}"})));

  EXPECT_EQ(secrets.count_of("${secret:a}"), 3);
}

TEST(SecretReader, tells_the_error_of_one_that_cannot_be_had_though_another_hangs) {
  GatedSecrets secrets;
  secrets.hold("${secret:slow}");
  SecretReader reader{secrets.reader(), {.deadline = std::chrono::hours{1}}};

  const auto got = come(asked(reader, {"${secret:slow}", "${secret:missing}"}));

  ASSERT_FALSE(got);
  EXPECT_EQ(got.error().message, "${secret:missing} is not there");
}

TEST(SecretReader, gives_up_what_takes_longer_than_the_deadline_and_names_it) {
  GatedSecrets secrets;
  secrets.hold("${secret:slow}");
  SecretReader reader{secrets.reader(), {.deadline = milliseconds{20}}};

  const auto got = come(asked(reader, {"${secret:fast}", "${secret:slow}"}));

  ASSERT_FALSE(got);
  EXPECT_EQ(got.error().message, "reading ${secret:slow} took longer than 20ms");
}

TEST(SecretReader, reads_others_while_one_hangs_and_hangs_once_for_all_who_want_it) {
  GatedSecrets secrets;
  secrets.hold("${secret:slow}");
  SecretReader reader{secrets.reader(), {.thread_count_max = 2, .deadline = std::chrono::hours{1}}};
  std::vector<std::future<Result<TextMap>>> slow;

  for (int i = 0; i < 10; ++i) slow.push_back(asked(reader, {"${secret:slow}"}));
  secrets.await_reader_of_held();

  EXPECT_TRUE(come(asked(reader, {"${secret:fast}"})));
  secrets.release_all();
  for (auto& one : slow) EXPECT_TRUE(come(std::move(one)));
  EXPECT_EQ(secrets.count_of("${secret:slow}"), 1);
}

TEST(SecretReader, begins_no_more_reads_than_it_has_threads) {
  GatedSecrets secrets;
  for (const char* name : {"${secret:a}", "${secret:b}", "${secret:c}"}) secrets.hold(name);
  SecretReader reader{secrets.reader(), {.thread_count_max = 2, .deadline = milliseconds{50}}};

  const auto got = come(asked(reader, {"${secret:a}", "${secret:b}", "${secret:c}"}));

  EXPECT_FALSE(got);
  EXPECT_LE(secrets.count_of("${secret:a}") + secrets.count_of("${secret:b}") + secrets.count_of("${secret:c}"), 2);
}

TEST(SecretReader, ends_while_a_read_hangs) {
  GatedSecrets secrets;
  secrets.hold("${secret:slow}");
  {
    SecretReader reader{secrets.reader(), {.deadline = std::chrono::hours{1}}};
    reader.read({"${secret:slow}"}, [](const Result<TextMap>&) { FAIL() << "nobody is told any more"; });
    secrets.await_reader_of_held();
  }
  secrets.release_all();
}

}  // namespace
}  // namespace carillon
