// Performs the cases of tests/pipeline/vectors.json as packages on disk, with mock answers.

#include "document/document.hpp"
#include "executors/pipeline/mock_provider.hpp"
#include "executors/pipeline/pipeline_runner.hpp"
#include "support/manual_clock.hpp"
#include "support/temporary_folder.hpp"

#include <gtest/gtest.h>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <mutex>
#include <string>
#include <vector>

namespace carillon::pipeline {
namespace {

namespace json = boost::json;

const json::object& all_cases() {
  static const json::value all = [] {
    std::ifstream stream{CARILLON_VECTORS, std::ios::binary};
    return parse_json(std::string{std::istreambuf_iterator<char>{stream}, {}}).value();
  }();
  return all.get_object();
}

/// Notes what a mock provider is asked.
class NotingProvider final : public Provider {
 public:
  NotingProvider(MockAnswers answers, std::vector<std::string>& prompts)
      : mock_{std::move(answers)}, prompts_{prompts} {}
  ProviderResult ask(const Question& question, Duration timeout, const std::stop_token& stop) override {
    {
      const std::lock_guard lock{mutex_};
      prompts_.push_back(question.prompt);
    }
    return mock_.ask(question, timeout, stop);
  }

 private:
  MockProvider mock_;
  std::mutex mutex_;
  std::vector<std::string>& prompts_;
};

/// What became of a case.
struct PackageRun {
  json::value document;
  std::string error;
  std::vector<std::string> prompts;  // sorted
};

PackageRun run_package(const json::object& one) {
  const TemporaryFolder folder;
  const std::filesystem::path package = folder.path() / "root/.vscode/pipelines/pkg";
  folder.write("root/.vscode/pipelines/pkg/pipeline.yaml", json::serialize(one.at("pipeline")));
  folder.write("journals/keep", "");
  if (const json::value* files = one.if_contains("files")) {
    for (const auto& [name, text] : files->get_object())
      folder.write((std::filesystem::path{"root/.vscode/pipelines/pkg"} / std::string{name}).lexically_normal(),
                   text.get_string());
  }
  const json::value* answers = one.if_contains("answers");
  PackageRun run;
  ManualClock clock;
  Providers providers{clock};
  providers.add(
      "mock", {},
      std::make_unique<NotingProvider>(
          MockAnswers::read(answers == nullptr ? json::value(json::object{}) : *answers).value(), run.prompts));
  const RunRequest request{
      .package = {.folder = folder.path() / "root/.vscode/pipelines", .package = "pkg", .workspace = {}},
      .run = "r",
      .journal = folder.path() / "journals/r.journal"};
  const RunReport report = PipelineRunner{clock, providers}.perform(request, {}, {});
  std::string text;
  EXPECT_TRUE(write_document(request, report, [&](std::string_view bytes) { text += bytes; }));
  run.document = json::parse(text);
  run.error = report.outcome.error;
  const std::string here = std::filesystem::canonical(package).string();
  if (const std::size_t at = run.error.find(here); at != std::string::npos)
    run.error.replace(at, here.size(), "<package>");
  std::ranges::sort(run.prompts);
  return run;
}

/// What is expected of us: members of carillonExpect in place of those of expect.
json::object expectation_of(const json::object& one) {
  json::object expected = one.at("expect").get_object();
  if (const json::value* ours = one.if_contains("carillonExpect")) {
    for (const auto& member : ours->get_object()) expected[member.key()] = member.value();
  }
  return expected;
}

std::vector<std::string> prompts_in(const json::object& expected) {
  std::vector<std::string> prompts;
  for (const json::value& asked : expected.at("asked").get_array())
    prompts.emplace_back(asked.at("prompt").get_string());
  std::ranges::sort(prompts);
  return prompts;
}

TEST(PipelinePackages, give_what_every_case_expects) {
  std::size_t count = 0;
  for (const json::value& value : all_cases().at("vectors").get_array()) {
    const json::object& one = value.get_object();
    SCOPED_TRACE(std::string{one.at("name").get_string()});
    const json::object expected = expectation_of(one);

    const PackageRun run = run_package(one);

    ++count;
    if (const json::value* thrown = expected.if_contains("throws")) {
      EXPECT_EQ(run.error, std::string{thrown->get_string()});
      continue;
    }
    EXPECT_EQ(run.document.at("success"), expected.at("success"));
    EXPECT_EQ(run.document.at("formattedOutput"), expected.at("formatted"));
    if (const json::value* summary = expected.if_contains("summary")) {
      EXPECT_EQ(run.document.at("summary"), *summary);
    }
    if (const json::value* error = expected.if_contains("error")) {
      EXPECT_EQ(run.error, std::string{error->get_string()});
    }
    EXPECT_EQ(run.prompts, prompts_in(expected));
  }
  EXPECT_GE(count, 20U);
}

TEST(PipelinePackages, are_refused_in_the_known_words) {
  for (const json::value& value : all_cases().at("validation").get_array()) {
    const json::object& one = value.get_object();
    SCOPED_TRACE(json::serialize(one));

    const PackageRun run = run_package(one);

    EXPECT_EQ(run.error, std::string{one.at("throws").get_string()});
    EXPECT_TRUE(run.prompts.empty());
  }
}

}  // namespace
}  // namespace carillon::pipeline
