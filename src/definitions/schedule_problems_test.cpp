#include "definitions/schedule_document.hpp"
#include "document/document.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <string>
#include <vector>

namespace carillon {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::UnorderedElementsAre;

Checked<ScheduleDocument> read_yaml(std::string_view text) { return read_schedule(parse_yaml(text).value().root); }

std::vector<std::string> places(std::string_view yaml) {
  std::vector<std::string> found;
  if (const auto checked = read_yaml(yaml); !checked) {
    for (const Problem& problem : checked.error()) {
      EXPECT_THAT(problem.message, Not(IsEmpty())) << problem.pointer;
      EXPECT_THAT(problem.hint, Not(IsEmpty())) << problem.pointer << ": " << problem.message;
      found.push_back(problem.pointer + " " + std::string{problem.code});
    }
  }
  return found;
}

struct Case {
  std::string given;
  std::string expected;  // pointer and code of the one problem
};

TEST(ScheduleProblems, of_the_names) {
  const std::vector<Case> cases{
      {"id: -x", "/id invalid-id"},
      {"id: 7", "/id wrong-type"},
      {"id: ..", "/id invalid-id"},
      {"{id: x, namespace: 'a b'}", "/namespace invalid-id"},
      {"{id: x, name: ''}", "/name too-short"},
      {"{id: x, name: \"a\\nb\"}", "/name control-character"},
      {fmt::format("{{id: x, name: '{}'}}", std::string(201, 'n')), "/name too-long"},
      {fmt::format("{{id: x, description: '{}'}}", std::string(10'001, 'n')), "/description too-long"},
      {"{id: x, labels: [a]}", "/labels wrong-type"},
      {"{id: x, labels: {'a b': c}}", "/labels/a b invalid-id"},
      {"{id: x, labels: {a: 1}}", "/labels/a wrong-type"},
      {fmt::format("{{id: x, labels: {{a: '{}'}}}}", std::string(257, 'n')), "/labels/a too-long"},
      {"{id: x, labels: {a: \"\\e\"}}", "/labels/a control-character"},
      {"{id: x, enabled: 'yes'}", "/enabled wrong-type"},
      {"{id: x, spec: {cron: '61 * * * *'}}", "/spec/cron invalid-cron"},
      {"{id: x, spec: 5}", "/spec not-an-object"},
      {"{id: x, polices: {}}", "/polices unknown-key"},
      {"{id: x, policies: []}", "/policies not-an-object"},
  };
  for (const Case& c : cases) {
    const bool is_flow = c.given.starts_with('{');
    const std::string yaml = is_flow ? c.given.substr(0, c.given.size() - 1) + ", action: {job: {type: t}}}"
                                     : c.given + "\naction: {job: {type: t}}";
    EXPECT_THAT(places(yaml), ElementsAre(c.expected)) << yaml.substr(0, 100);
  }
}

TEST(ScheduleProblems, lengths_count_characters_not_bytes) {
  std::string name;
  for (std::size_t i = 0; i < name_length_max; ++i) name += "é";

  EXPECT_THAT(places(fmt::format("{{id: x, name: {}, action: {{job: {{type: t}}}}}}", name)), IsEmpty());
}

TEST(ScheduleProblems, of_policies) {
  const std::vector<Case> cases{
      {"overlap: skipp", "/overlap invalid-word"},
      {"overlap: 1", "/overlap wrong-type"},
      {"bufferLimit: 0", "/bufferLimit out-of-range"},
      {"bufferLimit: 100001", "/bufferLimit out-of-range"},
      {"bufferLimit: 1.5", "/bufferLimit wrong-type"},
      {"catchup: latest", "/catchup not-an-object"},
      {"catchup: {policy: newest}", "/catchup/policy invalid-word"},
      {"catchup: {window: 5}", "/catchup/window wrong-type"},
      {"catchup: {grace: soon}", "/catchup/grace invalid-duration"},
      {"catchup: {maxRuns: 0}", "/catchup/maxRuns out-of-range"},
      {"catchup: {runs: 1}", "/catchup/runs unknown-key"},
      {"retry: {maxAttempts: 0}", "/retry/maxAttempts out-of-range"},
      {"retry: {maxAttempts: 1001}", "/retry/maxAttempts out-of-range"},
      {"retry: {backoff: quadratic}", "/retry/backoff invalid-word"},
      {"retry: {initial: 60}", "/retry/initial wrong-type"},
      {"retry: {factor: 0.5}", "/retry/factor out-of-range"},
      {"retry: {factor: '2'}", "/retry/factor wrong-type"},
      {"retry: {jitter: 1.1}", "/retry/jitter out-of-range"},
      {"retry: {maxDelay: 59s}", "/retry/maxDelay out-of-range"},
      {"retry: {onLost: maybe}", "/retry/onLost wrong-type"},
      {"timeout: 0s", "/timeout out-of-range"},
      {"grace: 2d", "/grace out-of-range"},
      {"startDeadline: 0s", "/startDeadline out-of-range"},
      {"totalRepeats: -1", "/totalRepeats out-of-range"},
      {"maxConsecutiveFailures: -1", "/maxConsecutiveFailures out-of-range"},
      {"pauseOnFailure: 1", "/pauseOnFailure wrong-type"},
      {"pause: {missed: keep}", "/pause/missed invalid-word"},
      {"keep: {runs: 0}", "/keep/runs out-of-range"},
      {"keep: {days: 0}", "/keep/days out-of-range"},
      {"colour: red", "/colour unknown-key"},
  };
  for (const Case& c : cases) {
    EXPECT_THAT(places(fmt::format("{{id: x, action: {{job: {{type: t}}}}, policies: {{{}}}}}", c.given)),
                ElementsAre("/policies" + c.expected))
        << c.given;
  }
}

TEST(ScheduleProblems, of_actions) {
  const std::vector<Case> cases{
      {"{}", " missing"},
      {"5", " not-an-object"},
      {"{comand: {argv: [a]}}", "/comand unknown-key"},
      {"{job: {type: t}, pipeline: {path: p}}", " too-many"},
      {"{command: ls}", "/command not-an-object"},
      {"{command: {}}", "/command/argv missing"},
      {"{command: {argv: ls}}", "/command/argv wrong-type"},
      {"{command: {argv: []}}", "/command/argv too-short"},
      {"{command: {argv: ['']}}", "/command/argv too-short"},
      {"{command: {argv: [a, 5]}}", "/command/argv/1 wrong-type"},
      {"{command: {argv: [\"a\\0b\"]}}", "/command/argv/0 control-character"},
      {"{command: {argv: [echo, hi], shell: true}}", "/command/argv too-many"},
      {"{command: {argv: [a], cwd: ''}}", "/command/cwd too-short"},
      {"{command: {argv: [a], env: {'A=B': c}}}", "/command/env/A=B invalid-name"},
      {"{command: {argv: [a], env: {A: 1}}}", "/command/env/A wrong-type"},
      {"{command: {argv: [a], env: {A: \"\\0\"}}}", "/command/env/A too-long"},
      {"{command: {argv: [a], limits: {openFiles: 5}}}", "/command/limits/openFiles unknown-key"},
      {"{command: {argv: [a], limits: {nofile: -1}}}", "/command/limits/nofile out-of-range"},
      {"{command: {argv: [a], limits: {nofile: '5'}}}", "/command/limits/nofile wrong-type"},
      {"{command: {argv: [a], user: ''}}", "/command/user too-short"},
      {"{command: {argv: [a], onOwnerLoss: keep}}", "/command/onOwnerLoss invalid-word"},
      {"{http: {}}", "/http/url missing"},
      {"{http: {url: 'ftp://h'}}", "/http/url invalid-url"},
      {"{http: {url: 'http://h', method: FETCH}}", "/http/method invalid-word"},
      {"{http: {url: 'http://h', headers: {'A B': c}}}", "/http/headers/A B invalid-header"},
      {"{http: {url: 'http://h', headers: {A: \"b\\r\\nc\"}}}", "/http/headers/A invalid-header"},
      {"{http: {url: 'http://h', headers: {content-length: '5'}}}", "/http/headers/content-length invalid-header"},
      {"{http: {url: 'http://h', headers: {A: b, a: c}}}", "/http/headers duplicate-key"},
      {"{http: {url: 'http://h', headers: {Host: other}}}", "/http/headers/Host invalid-header"},
      {"{http: {url: 'http://h', headers: {expect: 100-continue}}}", "/http/headers/expect invalid-header"},
      {"{http: {url: 'http://h', headers: {A: '${vault:x}'}}}", "/http/headers/A unknown-reference"},
      {"{http: {url: 'http://h', headers: {A: 'Bearer ${env:A-B}'}}}", "/http/headers/A invalid-reference"},
      {"{http: {url: 'http://h', signingSecret: '${secret:a/b}'}}", "/http/signingSecret invalid-reference"},
      {"{http: {url: 'http://h', body: 'run {{runIdd}}'}}", "/http/body unknown-template-name"},
      {"{http: {url: 'http://h', body: {a/b: [1, '{{x}}']}}}", "/http/body/a~1b/1 unknown-template-name"},
      {"{http: {url: 'http://h', method: HEAD, body: x}}", "/http/body invalid-body"},
      {"{command: {argv: [a], env: {A: '${vault:x}'}}}", "/command/env/A unknown-reference"},
      {"{command: {argv: [a], env: {A: '${secret:}'}}}", "/command/env/A invalid-reference"},
      {"{http: {url: 'http://h', successCodes: []}}", "/http/successCodes too-short"},
      {"{http: {url: 'http://h', successCodes: [200, ok]}}", "/http/successCodes/1 invalid-status"},
      {"{http: {url: 'http://h', successCodes: [299-200]}}", "/http/successCodes/0 invalid-status"},
      {"{http: {url: 'http://h', successCodes: [600]}}", "/http/successCodes/0 invalid-status"},
      {"{http: {url: 'http://h', signingSecret: whsec_abc}}", "/http/signingSecret plain-secret"},
      {"{http: {url: 'http://h', signingSecret: '${env:}'}}", "/http/signingSecret plain-secret"},
      {"{job: {}}", "/job/type missing"},
      {"{job: {type: ''}}", "/job/type too-short"},
      {"{job: {type: 'a b'}}", "/job/type invalid-name"},
      {"{job: {type: t, priority: urgent}}", "/job/priority invalid-word"},
      {"{job: {type: t, priority: 101}}", "/job/priority out-of-range"},
      {"{job: {type: t, priority: 1.5}}", "/job/priority wrong-type"},
      {"{job: {type: t, queue: 'a b'}}", "/job/queue invalid-id"},
      {"{pipeline: {}}", "/pipeline/path missing"},
      {"{pipeline: {path: ../x}}", "/pipeline/path invalid-path"},
      {"{pipeline: {path: a/../../x}}", "/pipeline/path invalid-path"},
      {"{pipeline: {path: /etc}}", "/pipeline/path invalid-path"},
      {"{workflow: {taskQueue: q}}", "/workflow/type missing"},
      {"{workflow: {type: T}}", "/workflow/taskQueue missing"},
      {"{workflow: {type: T, taskQueue: q, input: {a: 1}}}", "/workflow/input wrong-type"},
      {"{workflow: {type: T, taskQueue: q, id: '{{day}}'}}", "/workflow/id unknown-template-name"},
      {"{workflow: {type: T, taskQueue: q, retry: {attempts: 3}}}", "/workflow/retry/attempts unknown-key"},
      {"{workflow: {type: T, taskQueue: q, retry: {nonRetryable: [1]}}}", "/workflow/retry/nonRetryable wrong-type"},
      {"{workflow: {type: T, taskQueue: q, idReuse: never}}", "/workflow/idReuse invalid-word"},
      {"{workflow: {type: T, taskQueue: q, cluster: 'a b'}}", "/workflow/cluster invalid-id"},
      {"{workflow: {type: T, taskQueue: q, memo: []}}", "/workflow/memo wrong-type"},
  };
  for (const Case& c : cases) {
    EXPECT_THAT(places(fmt::format("{{id: x, action: {}}}", c.given)), ElementsAre("/action" + c.expected)) << c.given;
  }
}

TEST(ScheduleProblems, of_actions_are_told_where_they_were_written) {
  const auto checked =
      read_yaml("{id: x, action: {http: {url: 'http://h', headers: {Host: a, Expect: b}, body: '{{c}}'}}}");

  ASSERT_FALSE(checked);
  EXPECT_EQ(checked.error().size(), 3U) << "all at once";
}

TEST(ScheduleProblems, of_what_was_stored_before_it_was_refused_do_not_make_it_unreadable) {
  auto stored = write_schedule(*read_yaml("{id: x, action: {http: {url: 'http://h', headers: {A: b}}}}"));
  stored.at("action").at("http").at("headers").as_object() = {{"Host", "other"}, {"A", "${vault:x}"}};
  stored.at("action").at("http").as_object()["body"] = "{{runIdd}}";

  EXPECT_TRUE(read_canonical_schedule(stored));
  EXPECT_FALSE(read_schedule(stored));
}

TEST(ScheduleProblems, of_size) {
  const std::string deep = std::string(33, '[') + std::string(33, ']');
  const auto with_payload = [](const std::string& payload) {
    const auto document = parse_json(R"({"id": "x", "action": {"job": {"type": "t", "payload": )" + payload + "}}}");
    return read_schedule(document.value());
  };

  const auto too_deep = with_payload(deep);
  const auto too_long = with_payload('"' + std::string(1024 * 1024, 'x') + '"');

  ASSERT_FALSE(too_deep || too_long);
  EXPECT_EQ(too_deep.error()[0].code, "too-deep");
  EXPECT_EQ(too_long.error()[0].code, "too-long");
  EXPECT_EQ(too_long.error()[0].pointer, "/action/job/payload");
}

TEST(ScheduleProblems, too_many_entries_are_one_problem) {
  boost::json::object document = parse_json(R"({"id": "x", "action": {"command": {}}})")->get_object();
  boost::json::array argv;
  boost::json::object env;
  boost::json::object labels;
  for (int i = 0; i < 1001; ++i) {
    argv.push_back("a");
    env[fmt::format("V{}", i)] = "";
    if (i < 65) labels[fmt::format("l{}", i)] = "";
  }
  document["labels"] = labels;
  document["action"].at("command").get_object()["argv"] = argv;
  document["action"].at("command").get_object()["env"] = env;

  const auto checked = read_schedule(document);

  ASSERT_FALSE(checked);
  std::vector<std::string> found;
  for (const Problem& problem : checked.error()) found.push_back(problem.pointer + " " + std::string{problem.code});
  EXPECT_THAT(
      found, UnorderedElementsAre("/labels too-many", "/action/command/argv too-many", "/action/command/env too-many"));
}

TEST(ScheduleProblems, are_reported_all_at_once) {
  EXPECT_THAT(
      places("{id: '-', name: 5, labels: {a: 1}, spec: {cron: 'x', dst: no}, action: {http: {method: GET}},"
             " policies: {overlap: x, retry: {factor: 0}}, extra: 1}"),
      UnorderedElementsAre("/id invalid-id", "/name wrong-type", "/labels/a wrong-type", "/spec/cron invalid-cron",
                           "/spec/dst invalid-word", "/action/http/url missing", "/policies/overlap invalid-word",
                           "/policies/retry/factor out-of-range", "/extra unknown-key"));
}

TEST(ScheduleProblems, of_an_empty_document_are_the_names_and_the_action) {
  EXPECT_THAT(places("{}"), ElementsAre("/id missing", "/action missing"));
  EXPECT_THAT(places("[]"), ElementsAre(" not-an-object"));
  EXPECT_THAT(places(""), ElementsAre(" not-an-object"));
}

TEST(ScheduleProblems, a_secret_is_not_repeated) {
  const auto checked = read_yaml("{id: x, action: {http: {url: 'http://h', signingSecret: whsec_canary}}}");

  ASSERT_FALSE(checked);
  EXPECT_THAT(checked.error()[0].message + checked.error()[0].hint, Not(HasSubstr("canary")));
}

TEST(ScheduleProblems, pointers_begin_where_the_document_stands) {
  const auto checked = read_schedule(parse_yaml("{id: x, cronExpr: y, queue: z}")->root, {}, "/schedules/3");

  ASSERT_FALSE(checked);
  std::vector<std::string> found;
  for (const Problem& problem : checked.error()) found.push_back(problem.pointer);
  EXPECT_THAT(found, ElementsAre("/schedules/3/cronExpr", "/schedules/3/jobType"));
}

}  // namespace
}  // namespace carillon
