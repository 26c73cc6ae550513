#pragma once

#include "packages/file_faults.hpp"
#include "packages/package_folder.hpp"
#include "packages/package_id.hpp"
#include "packages/package_state_files.hpp"
#include "packages/package_sync.hpp"
#include "packages/state_projection.hpp"
#include "service/service_fixture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

namespace carillon::testing {

/// Keeps the words of events, in their order.
class EventWordsLog final : public Log {
 public:
  void write(LogLevel, std::string_view event, std::initializer_list<LogField>) override { events.emplace_back(event); }
  [[nodiscard]] std::size_t count(std::string_view event) const {
    return static_cast<std::size_t>(std::ranges::count(events, event));
  }

  std::vector<std::string> events;
};

/// A folder of packages beside a store in memory.
class WatchedFolderFixture : public ServiceTest {
 protected:
  WatchedFolderFixture() { parts_.has_watched_folder = true; }

  static std::string package(std::string_view cron) {
    return fmt::format(
        "name: Report\nschedule:\n  cron: \"{}\"\n  timezone: UTC\ninput:\n  items: [{{a: b}}]\nmap: {{prompt: "
        "\"{{{{a}}}}\"}}\nreduce: {{type: list}}\n",
        cron);
  }
  static ScheduleName name_of(std::string_view path) { return {.id = packages::schedule_id_of(path).text()}; }

  [[nodiscard]] std::string state_text(const std::string& path) const {
    std::ifstream stream{watched_.path() / path / ".schedule-state.json", std::ios::binary};
    return {std::istreambuf_iterator<char>{stream}, {}};
  }
  [[nodiscard]] std::vector<std::string> cron_of(std::string_view path) {
    const auto record = schedules_.find(admin(), name_of(path));
    if (!record) return {};
    const auto document = read_canonical_schedule(json(record->document)).value();
    std::vector<std::string> texts;
    for (const auto& cron : document.spec.crons) texts.push_back(cron);
    return texts;
  }
  [[nodiscard]] bool exists(std::string_view path) { return schedules_.find(admin(), name_of(path)).has_value(); }

  /// A run that has ended, by hand.
  void finish_run(const ScheduleName& name, AttemptOutcome outcome, std::string result = {},
                  const TriggerRequest& trigger = {}) {
    const Seq run = must(schedules_.trigger(admin(), name, trigger, {})).run.record.seq;
    const SessionId session = must(store_.open_session("hand", std::chrono::hours{1}));
    const ClaimResult claimed = must(store_.claim({.session = session, .queues = {"@pipeline"}, .count_max = 1}));
    ASSERT_EQ(claimed.runs.size(), 1U);
    clock_.advance(std::chrono::seconds{2});
    QueuedRun row = claimed.runs.front().row;
    const LaunchNotice launched{.seq = run, .attempt = row.run.attempt, .at = clock_.now()};
    must(store_.heartbeat({.session = session, .launched = {&launched, 1}}));
    row = *must(store_.read_runs({&run, 1})).front();
    clock_.advance(std::chrono::seconds{3});
    RunRules rules{.retry = {}, .retries_when_lost = false, .start_deadline = {}};
    rules.retry.attempt_count_max = 1;
    RunUpdate update{.seq = run,
                     .attempt = row.run.attempt,
                     .session = session,
                     .next = must(finish(row.run, row.run.attempt, outcome, rules, clock_.now(), 0)),
                     .end = {.outcome = outcome, .ended_at = clock_.now()}};
    if (outcome != AttemptOutcome::succeeded) update.end.error = "it broke";
    if (!result.empty()) update.end.result = result;
    must(store_.write({&update, 1}));
    must(store_.close_session(session));
  }

  TemporaryFolder watched_;
  TemporaryFolder own_;
  EventWordsLog log_;
  packages::FileFaults faults_;
  packages::PackageStateFiles states_{watched_.path(), own_.path() / "earlier"};
};

}  // namespace carillon::testing
