#include "server/pipeline_performer.hpp"

#include "runtime/system_clock.hpp"
#include "support/http_sink.hpp"
#include "support/temporary_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include <condition_variable>
#include <fstream>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <sstream>
#include <string>

namespace carillon {
namespace {

namespace json = boost::json;
using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::Not;

/// Remembers output and end, and lets tests wait for the end.
class EndWitness final : public AttemptEvents {
 public:
  void launched(const AttemptKey&) override {}
  void output(const AttemptKey&, OutputStream, std::string_view bytes) override {
    const std::lock_guard lock{mutex_};
    output_ += bytes;
  }
  void ended(const AttemptKey&, AttemptEnd end) override {
    const std::lock_guard lock{mutex_};
    end_ = std::move(end);
    changed_.notify_all();
  }
  AttemptEnd await_end() {
    std::unique_lock lock{mutex_};
    EXPECT_TRUE(changed_.wait_for(lock, 60s, [&] { return end_.has_value(); }));
    return *std::exchange(end_, std::nullopt);
  }
  std::string output_text() {
    const std::lock_guard lock{mutex_};
    return output_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::string output_;
  std::optional<AttemptEnd> end_;
};

/// What a service answers in either style.
std::string answer_in(const std::string& style, const std::string& text, const std::string& reason = "stop") {
  const std::string quoted_text = json::serialize(json::value(text));
  if (style == "anthropic")
    return R"({"content":[{"type":"text","text":)" + quoted_text + R"(}],"stop_reason":")" + reason +
           R"(","usage":{"input_tokens":5,"output_tokens":2}})";
  return R"({"choices":[{"message":{"content":)" + quoted_text + R"(},"finish_reason":")" + reason +
         R"("}],"usage":{"prompt_tokens":5,"completion_tokens":2}})";
}

std::string prompt_of(const SinkRequest& request) {
  return std::string{json::parse(request.body).at("messages").at(0).at("content").as_string()};
}

struct PipelinesOfAServer : testing::Test {
  PipelinesOfAServer() {
    std::filesystem::permissions(folder.path(), std::filesystem::perms::owner_all);
    folder.write("secrets/ai", "sk-very-secret\n");
    std::filesystem::permissions(folder.path() / "secrets", std::filesystem::perms::owner_all);
    std::filesystem::permissions(folder.path() / "secrets/ai", std::filesystem::perms{0600});
    folder.write("data/keep", "");
    folder.write("pipelines/pkg/in.csv", "n\n1\n2\n3\n4\n5\n6\n");
    folder.write("pipelines/pkg/pipeline.yaml",
                 "name: p\ninput: {from: {type: csv, path: in.csv}}\nmap: {prompt: 'row {{n}}', parallel: 3}\n"
                 "reduce: {type: text}\n");
  }

  void configure(const HttpSink& sink, const std::string& style) const {
    folder.write("providers.yaml", "providers:\n  ai: {type: http, style: " + style + ", url: '" + sink.url() +
                                       "', key: '${secret:ai}', model: m, prices: {m: {input: 1000000, output: 0}}}\n");
  }
  [[nodiscard]] PipelineSettings settings() const {
    return {.folder = folder.path() / "pipelines",
            .providers_file = folder.path() / "providers.yaml",
            .journals = folder.path() / "data/journals",
            .allowed_egress = {Cidr::parse("127.0.0.1/32").value()}};
  }
  [[nodiscard]] std::unique_ptr<PipelinePerformer> opened(const PipelineSettings& with) {
    auto secrets = std::make_shared<const SecretSource>(
        SecretSource::open({.directory = folder.path() / "secrets"}, folder.path() / "data").value());
    auto providers = load_pipeline_providers(with, std::move(secrets), nullptr, clock);
    EXPECT_TRUE(providers) << providers.error().message;
    return std::make_unique<PipelinePerformer>(with, *std::move(providers), clock, events);
  }
  [[nodiscard]] AttemptEnd perform(const PipelineSettings& with) {
    const auto performer = opened(with);
    Assignment assignment{.key = {.run = Seq{1}, .attempt = ++attempt},
                          .action = PipelineAction{"pkg"},
                          .envelope = {},
                          .launch_before = clock.since_boot() + 1h};
    assignment.envelope.run_id = "run-1";
    performer->launch(std::move(assignment));
    return events.await_end();
  }
  /// All files below the folder, but for the secrets.
  [[nodiscard]] std::string all_bytes() const {
    std::ostringstream bytes;
    for (const auto& entry : std::filesystem::recursive_directory_iterator{folder.path()})
      if (entry.is_regular_file() && entry.path().parent_path().filename() != "secrets")
        bytes << std::ifstream{entry.path(), std::ios::binary}.rdbuf();
    return bytes.str();
  }

  TemporaryFolder folder;
  SystemClock clock;
  EndWitness events;
  std::int64_t attempt = 0;
};

TEST_F(PipelinesOfAServer, ask_services_of_both_styles) {
  for (const std::string style : {"openai", "anthropic"}) {
    folder.remove("data/journals");
    HttpSink sink{[&](SinkConnection& connection, const SinkRequest& request) {
      connection.answer("200 OK", answer_in(style, "re " + prompt_of(request)));
    }};
    configure(sink, style);

    const AttemptEnd end = perform(settings());

    EXPECT_EQ(end.outcome, AttemptOutcome::succeeded) << end.error;
    const json::value result = json::parse(end.result.value());
    EXPECT_EQ(result.at("calls"), 6);
    EXPECT_EQ(result.at("inputTokens"), 30);
    EXPECT_THAT(end.result.value(), HasSubstr("\"cost\":30,"));
    EXPECT_THAT(std::string{result.at("output").as_string()}, HasSubstr("--- Item 6 ---\nre row 6"));
    EXPECT_EQ(sink.requests().size(), 6U);
  }
}

TEST_F(PipelinesOfAServer, get_their_answers_from_a_service_that_is_too_busy_now_and_then) {
  std::mutex mutex;
  std::set<std::string> seen;
  HttpSink sink{[&](SinkConnection& connection, const SinkRequest& request) {
    const std::string prompt = prompt_of(request);
    bool is_first = false;
    {
      const std::lock_guard lock{mutex};
      is_first = seen.insert(prompt).second;
    }
    if (is_first) return (void)connection.answer("429 Too Many Requests", "{}", "retry-after-ms: 1\r\n");
    connection.answer("200 OK", answer_in("openai", "re " + prompt));
  }};
  configure(sink, "openai");

  const AttemptEnd end = perform(settings());

  EXPECT_EQ(end.outcome, AttemptOutcome::succeeded) << end.error;
  EXPECT_EQ(sink.requests().size(), 12U);
}

TEST_F(PipelinesOfAServer, fail_by_cut_and_refused_answers_and_ask_only_those_again) {
  bool is_well = false;
  HttpSink sink{[&](SinkConnection& connection, const SinkRequest& request) {
    const std::string prompt = prompt_of(request);
    const std::string reason = is_well             ? "stop"
                               : prompt == "row 2" ? "length"
                               : prompt == "row 5" ? "content_filter"
                                                   : "stop";
    connection.answer("200 OK", answer_in("openai", "re " + prompt, reason));
  }};
  configure(sink, "openai");

  const AttemptEnd first = perform(settings());
  EXPECT_EQ(first.outcome, AttemptOutcome::failed);
  EXPECT_THAT(first.error, HasSubstr("2 items failed"));
  is_well = true;
  const AttemptEnd second = perform(settings());

  EXPECT_EQ(second.outcome, AttemptOutcome::succeeded) << second.error;
  EXPECT_EQ(sink.requests().size(), 8U);
}

TEST_F(PipelinesOfAServer, show_their_keys_nowhere) {
  HttpSink sink{[&](SinkConnection& connection, const SinkRequest& request) {
    if (prompt_of(request) == "row 3")
      return (void)connection.answer("400 Bad Request", R"({"error":{"message":"sk-very-secret is no good"}})");
    connection.answer("200 OK", answer_in("openai", "you are sk-very-secret"));
  }};
  configure(sink, "openai");

  const AttemptEnd end = perform(settings());

  ASSERT_EQ(sink.requests().front().header("authorization"), "Bearer sk-very-secret");
  EXPECT_THAT(end.error, HasSubstr("*** is no good"));
  EXPECT_THAT(end.error + end.result.value_or("") + events.output_text(), Not(HasSubstr("sk-very-secret")));
  EXPECT_THAT(all_bytes(), HasSubstr("you are ***"));
  EXPECT_THAT(all_bytes(), Not(HasSubstr("sk-very-secret")));
}

TEST_F(PipelinesOfAServer, call_no_address_that_is_closed_to_requests) {
  HttpSink sink{[&](SinkConnection& connection, const SinkRequest&) { connection.answer("200 OK", "{}"); }};
  configure(sink, "openai");
  PipelineSettings closed = settings();
  closed.allowed_egress.clear();

  const AttemptEnd end = perform(closed);

  EXPECT_EQ(end.outcome, AttemptOutcome::failed);
  EXPECT_THAT(end.error, HasSubstr("egress rule loopback"));
  EXPECT_EQ(sink.connection_count(), 0U);
}

TEST_F(PipelinesOfAServer, say_that_there_is_no_provider) {
  PipelineSettings without = settings();
  without.providers_file.clear();

  EXPECT_THAT(perform(without).error, HasSubstr("there is no provider to answer the questions"));
}

}  // namespace
}  // namespace carillon
