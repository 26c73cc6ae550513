#include "executors/pipeline/pipeline_runner.hpp"

#include "executors/pipeline/file_size_limit_test.hpp"
#include "executors/pipeline/mock_provider.hpp"
#include "support/manual_clock.hpp"
#include "support/temporary_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json/parse.hpp>

#include <algorithm>
#include <atomic>
#include <fstream>
#include <functional>
#include <mutex>
#include <sstream>
#include <string>
#include <vector>

namespace carillon::pipeline {
namespace {

namespace json = boost::json;
using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;
using testing::UnorderedElementsAre;

/// Answers by a function, and remembers what it was asked.
class FunctionProvider final : public Provider {
 public:
  using Answer = std::function<ProviderResult(const Question&)>;

  ProviderResult ask(const Question& question, Duration, const std::stop_token&) override {
    Answer answer;
    {
      const std::lock_guard lock{mutex_};
      prompts_.push_back(question.prompt);
      answer = answer_;
    }
    return answer(question);
  }
  void answer_with(Answer answer) {
    const std::lock_guard lock{mutex_};
    answer_ = std::move(answer);
  }
  [[nodiscard]] std::vector<std::string> take_prompts() {
    const std::lock_guard lock{mutex_};
    return std::exchange(prompts_, {});
  }

 private:
  std::mutex mutex_;
  Answer answer_ = [](const Question& question) { return ProviderAnswer{.text = "re " + question.prompt}; };
  std::vector<std::string> prompts_;
};

ProviderResult failing(FailureClass kind, std::string message) {
  return std::unexpected(ProviderFailure{.kind = kind, .message = std::move(message)});
}

std::string file_text(const std::filesystem::path& file) {
  std::ostringstream text;
  text << std::ifstream{file, std::ios::binary}.rdbuf();
  return text.str();
}

struct APipelineRun : testing::Test {
  APipelineRun() {
    auto scripted = std::make_unique<FunctionProvider>();
    provider = scripted.get();
    providers.add("p", {.model = "m", .prices = {{"m", {.input = 1e6, .output = 1e6}}}}, std::move(scripted));
    folder.write("journals/keep", "");
  }

  void write(const std::string& name, std::string_view text) const { folder.write("pipelines/pkg/" + name, text); }
  [[nodiscard]] RunReport run(const std::string& id = "r1", const std::stop_token& stop = {}) {
    const PipelineRunner runner{clock, providers, {.asking = {.retry_delay = 0s}}};
    return runner.perform(
        {.package = {.folder = folder.path() / "pipelines", .package = "pkg", .workspace = {}},
         .run = id,
         .journal = folder.path() / "journals" / (id + ".journal")},
        [&](const RunProgress& progress) { progresses.push_back(progress); }, stop);
  }
  [[nodiscard]] static std::string output_of(const RunReport& report) {
    std::string text;
    if (report.output) {
      EXPECT_TRUE(report.output->read_all([&](std::string_view bytes) { text += bytes; }));
    }
    return text;
  }

  TemporaryFolder folder;
  ManualClock clock{parse_instant("2026-01-27T14:00:05.25Z").value()};
  Providers providers{clock};
  FunctionProvider* provider = nullptr;
  std::vector<RunProgress> progresses;
};

constexpr std::string_view three_rows = R"(name: three
input: {items: [{t: a}, {t: b}, {t: c}]}
map: {prompt: "{{t}}", parallel: 2}
reduce: {type: text}
)";

TEST_F(APipelineRun, asks_about_each_item_and_formats_the_answers) {
  write("pipeline.yaml", three_rows);

  const RunReport report = run();

  EXPECT_EQ(report.outcome.error, "");
  EXPECT_EQ(output_of(report), "--- Item 1 ---\nre a\n\n--- Item 2 ---\nre b\n\n--- Item 3 ---\nre c");
  EXPECT_THAT(provider->take_prompts(), UnorderedElementsAre("a", "b", "c"));
  EXPECT_EQ(report.spent.calls, 3);
}

TEST_F(APipelineRun, writes_its_result_beside_the_package) {
  write("pipeline.yaml", three_rows);

  const RunReport first = run("r1");
  const RunReport second = run("r2");

  EXPECT_EQ(first.result_file, folder.path() / "pipelines/pkg/.results/2026-01-27T14-00-05.json");
  EXPECT_EQ(second.result_file, folder.path() / "pipelines/pkg/.results/2026-01-27T14-00-05-2.json");
  const json::value document = json::parse(file_text(*first.result_file));
  EXPECT_EQ(document.at("success"), true);
  EXPECT_EQ(document.at("formattedOutput").as_string(), output_of(first));
  EXPECT_EQ(document.at("items").at(2),
            json::parse(R"({"input":{"t":"c"},"output":{},"rawText":"re c","success":true})"));
  EXPECT_EQ(document.at("summary"),
            json::parse(R"({"totalItems":3,"successfulItems":3,"failedItems":0,"outputFields":[]})"));
}

TEST_F(APipelineRun, reads_rows_prompts_and_skills_from_files) {
  write("pipeline.yaml",
        "name: p\ninput: {from: {type: csv, path: in.csv}}\nmap: {promptFile: ask.md}\nreduce: {type: text}\n");
  write("ask.md", "---\nversion: 1\n---\n\nabout {{city}}\n");
  write("in.csv", "city\nOslo\n\"Bad, Homburg\"\n");

  EXPECT_EQ(run().outcome.error, "");
  EXPECT_THAT(provider->take_prompts(), UnorderedElementsAre("about Oslo", "about Bad, Homburg"));
  EXPECT_EQ(progresses.back().total, 2U);
}

TEST_F(APipelineRun, says_which_file_is_missing) {
  write("pipeline.yaml", "name: p\ninput: {items: [{a: '1'}]}\nmap: {promptFile: sub/none.md}\nreduce: {type: list}\n");
  EXPECT_EQ(run().outcome.error, "Failed to resolve map prompt: Prompt file not found: sub/none.md");

  write("pipeline.yaml",
        "name: p\ninput: {from: {type: csv, path: none.csv}}\nmap: {prompt: '{{a}}'}\nreduce: {type: list}\n");
  EXPECT_EQ(run().outcome.error, "Failed to read input: CSV file not found: " +
                                     (std::filesystem::canonical(folder.path()) / "pipelines/pkg/none.csv").string());
  EXPECT_THAT(provider->take_prompts(), IsEmpty());
}

TEST_F(APipelineRun, puts_the_guidance_of_a_skill_before_the_prompt) {
  write("pipeline.yaml", "name: p\njob: {prompt: greet, skill: kind}\n");
  EXPECT_THAT(run().outcome.error, HasSubstr("Failed to resolve job skill \"kind\": Skill \"kind\" not found."));
  folder.write(".github/skills/kind/SKILL.md", "---\nname: kind\n---\nbe kind\n");

  EXPECT_EQ(run().outcome.error, "");
  EXPECT_THAT(provider->take_prompts(), ElementsAre("[Skill Guidance: kind]\nbe kind\n\n[Task]\ngreet"));
}

TEST_F(APipelineRun, finds_a_fault_in_the_last_row_before_anything_is_paid_for) {
  write("pipeline.yaml",
        "name: p\ninput: {from: {type: csv, path: in.csv}}\nmap: {prompt: '{{a}}'}\nreduce: {type: list}\n");
  write("in.csv", "a\n1\n2\n\xff\n");

  EXPECT_THAT(run().outcome.error, HasSubstr("Failed to read input"));
  EXPECT_THAT(provider->take_prompts(), IsEmpty());
}

TEST_F(APipelineRun, reports_faults_of_the_document) {
  write("pipeline.yaml", "name: p\ninputs: 3\n");

  const RunReport report = run();

  EXPECT_FALSE(report.outcome.is_success());
  EXPECT_THAT(report.faults, Not(IsEmpty()));
}

TEST_F(APipelineRun, asks_again_only_what_has_failed) {
  write("pipeline.yaml", three_rows);
  provider->answer_with([](const Question& question) {
    if (question.prompt == "b") return failing(FailureClass::permanent, "boom");
    return ProviderResult{ProviderAnswer{.text = "re " + question.prompt}};
  });
  EXPECT_EQ(run().outcome.error, "1 item failed: boom");
  (void)provider->take_prompts();
  provider->answer_with([](const Question& question) { return ProviderAnswer{.text = "new " + question.prompt}; });

  const RunReport retried = run();

  EXPECT_EQ(retried.outcome.error, "");
  EXPECT_THAT(provider->take_prompts(), ElementsAre("b"));
  EXPECT_EQ(output_of(retried), "--- Item 1 ---\nre a\n\n--- Item 2 ---\nnew b\n\n--- Item 3 ---\nre c");
  EXPECT_EQ(retried.reused_answers, 2U);
}

TEST_F(APipelineRun, asks_again_where_an_answer_could_not_be_read) {
  write("pipeline.yaml",
        "name: p\ninput: {items: [{t: a}]}\nmap: {prompt: '{{t}}', output: [g]}\nreduce: {type: json}\n");
  provider->answer_with([](const Question&) { return ProviderAnswer{.text = "I do not know"}; });
  EXPECT_FALSE(run().outcome.is_success());
  provider->answer_with([](const Question&) { return ProviderAnswer{.text = "{\"g\":1}"}; });

  EXPECT_EQ(run().outcome.error, "");
}

TEST_F(APipelineRun, asks_equal_rows_separately_and_each_once) {
  write("pipeline.yaml",
        "name: p\ninput: {items: [{t: a}, {t: a}, {t: a}]}\nmap: {prompt: '{{t}}'}\nreduce: {type: text}\n");
  std::atomic<int> count = 0;
  provider->answer_with([&](const Question&) { return ProviderAnswer{.text = std::to_string(++count)}; });

  const std::string first = output_of(run());
  const std::string second = output_of(run());

  EXPECT_EQ(count, 3);
  EXPECT_EQ(first, second);
}

TEST_F(APipelineRun, starts_afresh_for_another_run) {
  write("pipeline.yaml", three_rows);
  (void)run("r1");
  (void)provider->take_prompts();

  (void)run("r2");

  EXPECT_THAT(provider->take_prompts(), SizeIs(3));
}

TEST_F(APipelineRun, goes_on_with_the_files_it_began_with_however_they_are_edited) {
  write("pipeline.yaml",
        "name: p\ninput: {from: {type: csv, path: in.csv}}\nmap: {promptFile: ask.md, skill: kind}\nreduce: {type: "
        "text}\n");
  folder.write(".github/skills/kind/SKILL.md", "be kind\n");
  write("ask.md", "about {{a}}\n");
  write("in.csv", "a\n1\n2\n");
  provider->answer_with([](const Question& question) {
    if (question.prompt.ends_with("2")) return failing(FailureClass::permanent, "boom");
    return ProviderResult{ProviderAnswer{.text = "re " + question.prompt}};
  });
  ASSERT_EQ(run().outcome.error, "1 item failed: boom");
  (void)provider->take_prompts();
  write("pipeline.yaml", "name: [broken\n");
  std::filesystem::remove_all(folder.path() / ".github");
  std::filesystem::remove(folder.path() / "pipelines/pkg/ask.md");
  write("in.csv", "a\n3\n");
  provider->answer_with([](const Question& question) { return ProviderAnswer{.text = "new " + question.prompt}; });

  const RunReport retried = run();

  EXPECT_EQ(retried.outcome.error, "");
  EXPECT_THAT(provider->take_prompts(), ElementsAre("[Skill Guidance: kind]\nbe kind\n\n[Task]\nabout 2"));
  EXPECT_EQ(retried.reused_answers, 1U);
  EXPECT_THAT(run("r2").outcome.error, Not(IsEmpty())) << "the next run takes the files as they are";
}

TEST_F(APipelineRun, does_not_mind_a_table_that_is_edited_while_it_runs) {
  write(
      "pipeline.yaml",
      "name: p\ninput: {from: {type: csv, path: in.csv}}\nmap: {prompt: '{{a}}', parallel: 1}\nreduce: {type: text}\n");
  write("in.csv", "a\n1\n2\n");
  provider->answer_with([&](const Question& question) {
    write("in.csv", "a\n7\n8\n9\n");
    return ProviderAnswer{.text = "re " + question.prompt};
  });

  EXPECT_EQ(run().outcome.error, "");
  EXPECT_THAT(provider->take_prompts(), ElementsAre("1", "2"));
}

TEST_F(APipelineRun, refuses_other_files_than_those_it_began_with) {
  write("pipeline.yaml",
        "name: p\ninput: {from: {type: csv, path: in.csv}}\nmap: {prompt: '{{a}}'}\nreduce: {type: text}\n");
  write("in.csv", "a\n1\n");
  ASSERT_EQ(run().outcome.error, "");
  (void)provider->take_prompts();
  folder.write("journals/r1.journal.rows.csv", "a\n2\n");

  EXPECT_THAT(run().outcome.error, HasSubstr("was begun with another \"in.csv\""));
  EXPECT_THAT(provider->take_prompts(), IsEmpty());
}

TEST_F(APipelineRun, fails_with_the_reason_when_its_files_cannot_be_kept) {
  write("pipeline.yaml",
        "name: p\ninput: {from: {type: csv, path: in.csv}}\nmap: {prompt: '{{a}}'}\nreduce: {type: text}\n");
  write("in.csv", "a\n" + std::string(2'000, '1') + "\n");
  std::string error;
  {
    const FileSizeLimit limit{1'000};
    error = run().outcome.error;
  }
  EXPECT_THAT(error, HasSubstr("File too large"));
  EXPECT_THAT(provider->take_prompts(), IsEmpty());

  EXPECT_EQ(run().outcome.error, "");
}

TEST_F(APipelineRun, ends_at_once_when_no_question_can_succeed) {
  write(
      "pipeline.yaml",
      "name: p\ninput: {from: {type: csv, path: in.csv}}\nmap: {prompt: '{{a}}', parallel: 1}\nreduce: {type: text}\n");
  write("in.csv", "a\n1\n2\n3\n4\n5\n6\n7\n8\n9\n");
  provider->answer_with(
      [](const Question&) { return failing(FailureClass::hopeless, "the provider answered 401: key"); });

  const RunReport report = run();

  EXPECT_EQ(report.outcome.error, "the provider answered 401: key");
  EXPECT_THAT(provider->take_prompts(), SizeIs(1));
}

TEST_F(APipelineRun, stops_at_its_budget_and_keeps_what_was_answered) {
  write("pipeline.yaml", std::string{three_rows} + "budget: {maxCalls: 2}\n");

  const RunReport report = run();

  EXPECT_THAT(report.outcome.error, HasSubstr("maxCalls: 2"));
  EXPECT_THAT(provider->take_prompts(), SizeIs(2));
  EXPECT_EQ(report.spent.calls, 2);
}

TEST_F(APipelineRun, keeps_what_is_answered_when_it_is_cancelled) {
  write("pipeline.yaml",
        "name: p\ninput: {items: [{t: a}, {t: b}]}\nmap: {prompt: '{{t}}', parallel: 1}\nreduce: {type: text}\n");
  std::stop_source source;
  provider->answer_with([&](const Question& question) {
    source.request_stop();
    return ProviderAnswer{.text = "re " + question.prompt};
  });

  const RunReport cancelled = run("r1", source.get_token());
  EXPECT_TRUE(cancelled.is_cancelled);
  EXPECT_EQ(cancelled.outcome.error, "cancelled");
  EXPECT_THAT(provider->take_prompts(), ElementsAre("a"));

  EXPECT_EQ(run().outcome.error, "");
  EXPECT_THAT(provider->take_prompts(), ElementsAre("b"));
}

TEST_F(APipelineRun, names_a_provider_that_is_not_configured_before_it_asks_any) {
  write("pipeline.yaml",
        "name: p\ninput: {items: [{t: a}]}\nmap: {prompt: '{{t}}'}\nreduce: {type: ai, prompt: sum, provider: none}\n");

  EXPECT_THAT(run().outcome.error, HasSubstr("there is no provider \"none\""));
  EXPECT_THAT(provider->take_prompts(), IsEmpty());
}

TEST_F(APipelineRun, counts_tokens_and_cost) {
  write("pipeline.yaml", three_rows);
  provider->answer_with(
      [](const Question&) { return ProviderAnswer{.text = "ok", .usage = {.input_tokens = 2, .output_tokens = 3}}; });

  const RunReport report = run();

  EXPECT_EQ(report.spent, (JournalTotals{.calls = 3, .input_tokens = 6, .output_tokens = 9, .cost = 15}));
}

TEST_F(APipelineRun, tells_how_far_it_is_no_more_than_four_times_a_second) {
  write(
      "pipeline.yaml",
      "name: p\ninput: {items: [{t: a}, {t: b}, {t: c}]}\nmap: {prompt: '{{t}}', parallel: 1}\nreduce: {type: text}\n");

  (void)run();

  // The clock stands still: the first one and the end.
  ASSERT_THAT(progresses, SizeIs(2));
  EXPECT_EQ(progresses.back().items, (Counts{.total = 3, .succeeded = 3}));
  EXPECT_EQ(progresses.back().total, 3U);
}

TEST_F(APipelineRun, fails_with_the_reason_when_the_result_cannot_be_written) {
  write("pipeline.yaml", three_rows);
  ASSERT_EQ(run().outcome.error, "");
  provider->answer_with([](const Question&) { return ProviderAnswer{.text = std::string(300, 'x')}; });
  write("pipeline.yaml", "name: p\ninput: {items: [{t: a}]}\nmap: {prompt: '{{t}}'}\nreduce: {type: text}\n");
  const FileSizeLimit limit{1000};

  const RunReport report = run("r2");

  EXPECT_THAT(report.outcome.error, HasSubstr("File too large"));
  EXPECT_FALSE(report.result_file);
  int count = 0;
  for (const auto& entry : std::filesystem::directory_iterator{folder.path() / "pipelines/pkg/.results"}) {
    EXPECT_EQ(entry.path().filename(), "2026-01-27T14-00-05.json");
    ++count;
  }
  EXPECT_EQ(count, 1);
}

TEST_F(APipelineRun, fails_with_the_reason_when_the_journal_cannot_be_written) {
  write("pipeline.yaml", three_rows);
  std::string error;
  {
    const FileSizeLimit limit{400};
    error = run().outcome.error;
  }
  EXPECT_THAT(error, HasSubstr("File too large"));

  EXPECT_EQ(run().outcome.error, "");
}

TEST_F(APipelineRun, is_not_harmed_by_what_stands_in_cells_and_answers) {
  const std::string template_text = "{{ITEMS}} {{a}} $& $$ {{{{a}}}}";
  const std::string terminal_text = "\x1b]0;owned\x07\x1b[2J\u202e\r";
  const std::string large_text(10'000'000, 'x');
  write("pipeline.yaml",
        "name: p\ninput: {from: {type: csv, path: in.csv}}\nmap: {prompt: '<{{a}}>', parallel: 3}\nreduce: {type: "
        "json}\n");
  write("in.csv", "a\n" + template_text + "\n\"" + terminal_text + "\"\n" + large_text + "\n");

  const RunReport report = run();
  const auto prompts = provider->take_prompts();
  const RunReport again = run();

  ASSERT_EQ(report.outcome.error, "");
  EXPECT_THAT(prompts, testing::Contains("<" + template_text + ">"));
  EXPECT_TRUE(std::ranges::find(prompts, "<" + large_text + ">") != prompts.end());
  const json::array items = json::parse(file_text(*report.result_file)).at("items").as_array();
  ASSERT_EQ(items.size(), 3U);
  EXPECT_EQ(items[0].at("rawText").as_string(), "re <" + template_text + ">");
  EXPECT_EQ(items[1].at("input").at("a").as_string().find("\x1b]0;owned\x07"), 0U);
  EXPECT_EQ(items[2].at("rawText").as_string().size(), large_text.size() + 5);
  EXPECT_EQ(again.reused_answers, 3U);
  EXPECT_THAT(provider->take_prompts(), IsEmpty());
}

TEST_F(APipelineRun, writes_its_result_nowhere_else_though_a_link_says_so) {
  write("pipeline.yaml", three_rows);
  folder.write("outside/keep", "");
  std::filesystem::create_directory_symlink(folder.path() / "outside", folder.path() / "pipelines/pkg/.results");

  const RunReport report = run();

  EXPECT_THAT(report.outcome.error, HasSubstr("cannot write the result"));
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator{folder.path() / "outside"}, {}), 1);
}

TEST_F(APipelineRun, asks_for_a_correction_once_for_all_attempts) {
  write("pipeline.yaml",
        "name: p\ninput: {items: [{t: a}, {t: b}]}\nmap: {prompt: '{{t}}', output: [g], correct: true}\nreduce: {type: "
        "csv}\n");
  provider->answer_with([](const Question& question) {
    if (question.prompt.starts_with("b")) return failing(FailureClass::permanent, "boom");
    return ProviderResult{
        ProviderAnswer{.text = question.prompt.contains("cannot be used") ? "{\"g\": 1}" : "no idea"}};
  });
  ASSERT_EQ(run().outcome.error, "1 item failed: boom");
  EXPECT_THAT(provider->take_prompts(), SizeIs(3));
  provider->answer_with([](const Question&) { return ProviderAnswer{.text = "{\"g\": 2}"}; });

  const RunReport retried = run();

  EXPECT_EQ(output_of(retried), "t,out_g,success\na,1,true\nb,2,true");
  EXPECT_THAT(provider->take_prompts(), SizeIs(1));
}

}  // namespace
}  // namespace carillon::pipeline
