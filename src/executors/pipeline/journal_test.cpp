#include "executors/pipeline/journal.hpp"

#include "executors/pipeline/file_size_limit_test.hpp"
#include "executors/pipeline/question_test.hpp"
#include "support/temporary_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <unistd.h>

#include <fstream>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

namespace carillon::pipeline {
namespace {

using testing::HasSubstr;

const JournalStart nightly_run{.run = "r1", .inputs = {{"pipeline.yaml", "aa"}, {"in.csv", "bb"}}};

QuestionKey key_of(const std::string& prompt) { return QuestionKeys{}.key_of("p", a_question(prompt)); }

AnsweredRecord answer_to(const std::string& prompt, std::string text) {
  return {.key = key_of(prompt),
          .answer = {.text = std::move(text), .usage = {.input_tokens = 3, .output_tokens = 4}},
          .cost = 0.5};
}

std::string bytes_of(const std::filesystem::path& file) {
  std::ostringstream text;
  text << std::ifstream{file, std::ios::binary}.rdbuf();
  return text.str();
}

struct AJournal : testing::Test {
  [[nodiscard]] std::unique_ptr<Journal> opened(const JournalStart& start = nightly_run) {
    auto journal = Journal::open(file, start);
    EXPECT_TRUE(journal) << journal.error().message;
    return *std::move(journal);
  }
  [[nodiscard]] Error open_error(const JournalStart& start = nightly_run) {
    auto journal = Journal::open(file, start);
    EXPECT_FALSE(journal);
    return journal ? Error{} : journal.error();
  }

  TemporaryFolder folder;
  const std::filesystem::path file = folder.path() / "run.journal";
};

TEST_F(AJournal, gives_an_answer_back_to_the_next_attempt) {
  const AnsweredRecord record = answer_to("what?", "line\n\"quoted\" {{x}} \x01 ü");
  {
    const auto first = opened();
    ASSERT_TRUE(first->write_asked(record.key));
    ASSERT_TRUE(first->write_answered(record));
  }

  const auto second = opened();

  EXPECT_EQ(second->find(record.key).value(), record);
  EXPECT_EQ(second->find(key_of("else?")).value(), std::nullopt);
  EXPECT_EQ(second->earlier(), (JournalTotals{.calls = 1, .input_tokens = 3, .output_tokens = 4, .cost = 0.5}));
  EXPECT_EQ(second->uncertain_count(), 0U);
}

TEST_F(AJournal, counts_what_was_asked_and_never_answered_as_uncertain) {
  {
    const auto first = opened();
    ASSERT_TRUE(first->write_asked(key_of("sent")));
    ASSERT_TRUE(first->write_asked(key_of("refused")));
    ASSERT_TRUE(first->write_failed({.key = key_of("refused"), .kind = FailureClass::permanent, .message = "no"}));
  }

  const auto second = opened();

  EXPECT_EQ(second->uncertain_count(), 1U);
  EXPECT_EQ(second->earlier().calls, 2);
}

TEST_F(AJournal, takes_an_answer_back_that_could_not_be_used) {
  {
    const auto first = opened();
    ASSERT_TRUE(first->write_answered(answer_to("what?", "nonsense")));
    ASSERT_TRUE(first->write_failed({.key = key_of("what?"), .kind = FailureClass::answer, .message = "unreadable"}));
  }

  EXPECT_EQ(opened()->find(key_of("what?")).value(), std::nullopt);
}

TEST_F(AJournal, drops_a_torn_last_line_at_every_length) {
  {
    ASSERT_TRUE(opened()->write_answered(answer_to("one", "1")));
  }
  const std::string whole = bytes_of(file);
  {
    ASSERT_TRUE(opened()->write_answered(answer_to("two", "2")));
  }
  const std::string longer = bytes_of(file);

  for (std::size_t size = whole.size(); size < longer.size(); ++size) {
    std::ofstream{file, std::ios::binary | std::ios::trunc} << longer.substr(0, size);
    const auto journal = opened();
    EXPECT_TRUE(journal->find(key_of("one")).value());
    EXPECT_FALSE(journal->find(key_of("two")).value());
    EXPECT_EQ(bytes_of(file), whole);
  }
}

TEST_F(AJournal, reports_a_damaged_line_in_the_middle_with_its_number) {
  {
    const auto journal = opened();
    ASSERT_TRUE(journal->write_answered(answer_to("one", "first answer")));
    ASSERT_TRUE(journal->write_answered(answer_to("two", "2")));
  }
  std::string bytes = bytes_of(file);
  bytes[bytes.find("first answer")] = 'F';
  std::ofstream{file, std::ios::binary | std::ios::trunc} << bytes;

  const Error error = open_error();

  EXPECT_EQ(error.code, ErrorCode::corrupt);
  EXPECT_THAT(error.message, HasSubstr("line 2"));
}

TEST_F(AJournal, refuses_inputs_that_have_changed_since_the_run_began) {
  (void)opened();

  JournalStart edited = nightly_run;
  edited.inputs["in.csv"] = "cc";
  const Error error = open_error(edited);

  EXPECT_EQ(error.code, ErrorCode::conflict);
  EXPECT_THAT(error.message, HasSubstr("\"in.csv\""));
}

TEST_F(AJournal, belongs_to_one_process_at_a_time) {
  const auto first = opened();

  EXPECT_EQ(open_error().code, ErrorCode::conflict);
}

TEST_F(AJournal, takes_answers_from_many_threads) {
  constexpr int thread_count = 8;
  constexpr int count = 50;
  {
    const auto journal = opened();
    std::vector<std::jthread> threads;
    for (int t = 0; t < thread_count; ++t) {
      threads.emplace_back([&, t] {
        for (int i = 0; i < count; ++i) {
          const std::string name = std::to_string(t) + "/" + std::to_string(i);
          EXPECT_TRUE(journal->write_asked(key_of(name)));
          EXPECT_TRUE(journal->write_answered(answer_to(name, name)));
        }
      });
    }
  }

  const auto again = opened();

  EXPECT_EQ(again->earlier().calls, thread_count * count);
  EXPECT_EQ(again->find(key_of("7/49")).value()->answer.text, "7/49");
}

TEST_F(AJournal, says_that_it_cannot_be_written_and_keeps_whole_lines_only) {
  {
    const auto journal = opened();
    ASSERT_TRUE(journal->write_answered(answer_to("one", "1")));
    const FileSizeLimit limit{bytes_of(file).size() + 20};

    const auto written = journal->write_answered(answer_to("two", "2"));

    ASSERT_FALSE(written);
    EXPECT_THAT(written.error().message, HasSubstr("File too large"));
    EXPECT_FALSE(journal->write_asked(key_of("three")));
    EXPECT_TRUE(bytes_of(file).ends_with('\n'));
  }

  const auto again = opened();

  EXPECT_TRUE(again->find(key_of("one")).value());
  EXPECT_FALSE(again->find(key_of("two")).value());
}

TEST(QuestionKeyDigest, differs_by_provider_model_fields_and_prompt_and_counts_equal_ones) {
  QuestionKeys keys;
  const Question question = a_question("a", "m", {"f"});
  Question batch = question;
  batch.is_batch = true;
  const QuestionKey first = keys.key_of("p", question);

  EXPECT_EQ(keys.key_of("p", question), (QuestionKey{first.digest, 1}));
  EXPECT_NE(keys.key_of("q", question).digest, first.digest);
  EXPECT_NE(keys.key_of("p", a_question("a", "n", {"f"})).digest, first.digest);
  EXPECT_NE(keys.key_of("p", a_question("a", "m", {"f", "g"})).digest, first.digest);
  EXPECT_NE(keys.key_of("p", a_question("b", "m", {"f"})).digest, first.digest);
  EXPECT_NE(keys.key_of("p", batch).digest, first.digest);
}

}  // namespace
}  // namespace carillon::pipeline
