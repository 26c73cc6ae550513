#include "service/application.hpp"

#include "base/blocking.hpp"
#include "service/service_fixture.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <initializer_list>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace carillon::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class QuietLog final : public Log {
 public:
  void write(LogLevel, std::string_view, std::initializer_list<LogField>) override {}
};

class ApplicationTest : public ServiceTest {
 protected:
  Credentials credentials(Role role) {
    return {.token = tokens_.emplace_back(must(application_.access().issue(admin(), {.name = "t", .role = role})).text),
            .address = "192.0.2.1"};
  }
  std::vector<std::string> refused_operations() {
    application_.stop();
    std::vector<std::string> operations;
    for (const AuditRecord& record : must(store_.read_audit(std::nullopt, std::nullopt, 100)))
      if (record.entry.outcome != "done") operations.push_back(record.entry.operation);
    return operations;
  }

  QuietLog log_;
  std::list<std::string> tokens_;
  Application application_{parts_, {}, log_};
};

TEST_F(ApplicationTest, while_it_is_stopping_reads_are_answered_runs_end_and_nothing_new_begins) {
  const Credentials operator_ = credentials(Role::operator_);
  const Credentials worker = credentials(Role::worker);

  application_.begin_shutdown([] { return std::size_t{2}; });

  const auto trigger = application_.admit(operator_, operation_of(OperationId::trigger_schedule));
  ASSERT_FALSE(trigger);
  EXPECT_EQ(trigger.error().kind, Refusal::Kind::unavailable);
  EXPECT_EQ(trigger.error().code, "stopping");
  EXPECT_EQ(trigger.error().message, "the server is stopping (waits for 2 runs)");
  EXPECT_FALSE(application_.admit(worker, operation_of(OperationId::claim_jobs)));
  EXPECT_TRUE(application_.admit(operator_, operation_of(OperationId::list_runs)));
  EXPECT_TRUE(application_.admit(operator_, operation_of(OperationId::cancel_run)));
  EXPECT_TRUE(application_.admit(worker, operation_of(OperationId::complete_job)));
  EXPECT_EQ(must(application_.system().status(admin())).stop_waits_for, 2U);
}

TEST_F(ApplicationTest, calls_a_token_by_its_name_where_people_read_it) {
  const auto issued = must(application_.access().issue(admin(), {.name = "ops", .role = Role::admin}));
  const Caller caller =
      must(application_.admit({.token = issued.text, .address = {}}, operation_of(OperationId::pause_schedule)));
  create(R"({"id":"bell","spec":{},"action":{"job":{"type":"ring"}}})");

  must(application_.schedules().pause(caller, {.id = "bell"}, {}, {}));

  EXPECT_EQ(must(application_.schedules().get(caller, {.id = "bell"})).record.pause->by, "ops");
  EXPECT_EQ(must(store_.read_audit(std::nullopt, std::nullopt, 1)).front().entry.actor, caller.actor);
}

TEST_F(ApplicationTest, admits_a_caller_whose_role_has_the_scope_of_the_operation) {
  const Credentials viewer = credentials(Role::viewer);

  const auto reads = application_.admit(viewer, operation_of(OperationId::list_schedules));
  const auto writes = application_.admit(viewer, operation_of(OperationId::create_schedule));

  ASSERT_TRUE(reads);
  EXPECT_EQ(reads->role, Role::viewer);
  EXPECT_EQ(reads->address, "192.0.2.1");
  ASSERT_FALSE(writes);
  EXPECT_EQ(writes.error().kind, Refusal::Kind::forbidden);
  EXPECT_THAT(writes.error().message, HasSubstr("createSchedule"));
  EXPECT_THAT(refused_operations(), ElementsAre("createSchedule"));
}

TEST_F(ApplicationTest, answers_from_memory_without_waiting_for_the_store) {
  const Credentials viewer = credentials(Role::viewer);
  const Operation& operation = operation_of(OperationId::list_schedules);
  {
    const BlockingForbidden forbidden;
    EXPECT_FALSE(application_.admit_known(viewer, operation));
  }
  ASSERT_TRUE(application_.admit(viewer, operation));

  const BlockingForbidden forbidden;
  const auto known = application_.admit_known(viewer, operation);

  ASSERT_TRUE(known);
  EXPECT_TRUE(*known);
}

TEST_F(ApplicationTest, slows_down_an_address_that_guesses_tokens_and_no_other) {
  const Operation& operation = operation_of(OperationId::list_schedules);
  const Credentials right = credentials(Role::viewer);
  const Credentials wrong{.token = "carillon_00000000_0000000000000000000000000000000000000000",
                          .address = "192.0.2.9"};
  for (int i = 0; i < 20; ++i)
    EXPECT_EQ(application_.admit(wrong, operation).error().kind, Refusal::Kind::unauthenticated);

  EXPECT_EQ(application_.admit(wrong, operation).error().kind, Refusal::Kind::too_many);
  EXPECT_TRUE(application_.admit(right, operation));
  EXPECT_EQ(application_.admit({.token = {}, .address = "192.0.2.9"}, operation).error().kind,
            Refusal::Kind::unauthenticated)
      << "one who shows nothing does not guess";
}

TEST_F(ApplicationTest, records_a_write_that_a_use_case_has_refused) {
  const auto refuse_it = [&](OperationId id, Refusal::Kind kind) {
    static_cast<void>(application_.perform(
        admin(), operation_of(id), [&]() -> Served<int> { return std::unexpected(Refusal{kind, "no", "no"}); }));
  };
  refuse_it(OperationId::put_schedule, Refusal::Kind::forbidden);
  refuse_it(OperationId::pause_schedule, Refusal::Kind::not_found);
  refuse_it(OperationId::get_metrics, Refusal::Kind::forbidden);

  EXPECT_THAT(refused_operations(), ElementsAre("putSchedule"));
}

TEST_F(ApplicationTest, lets_a_batch_do_only_what_its_caller_may_do_to_one) {
  create(R"({"id":"bell","jobType":"t"})");
  const Caller by{.actor = "token:operator", .address = {}, .role = Role::operator_};

  const auto deleted =
      application_.batches().perform(by, {.operation = OperationId::delete_schedule, .ids = {"bell"}}, {});
  const auto paused =
      application_.batches().perform(by, {.operation = OperationId::pause_schedule, .ids = {"bell", "none"}}, {});

  ASSERT_FALSE(deleted);
  EXPECT_EQ(deleted.error().kind, Refusal::Kind::forbidden);
  ASSERT_TRUE(paused);
  EXPECT_EQ(paused->count, 2U);
  EXPECT_TRUE(paused->items.at(0).done);
  EXPECT_EQ(paused->items.at(1).done.error().kind, Refusal::Kind::not_found);
}

class IdempotentRequestsTest : public ApplicationTest {
 protected:
  IdempotencyKey key(std::string_view name, std::string_view request = "POST a") {
    return must(IdempotentRequests::key_of(admin(), name, request));
  }
  Served<std::optional<IdempotencyRecord>> ask(const IdempotencyKey& named) {
    return application_.requests().perform_once(named, [&] {
      ++performed_;
      return std::optional<std::string>{"the answer"};
    });
  }
  int performed_ = 0;
};

TEST_F(IdempotentRequestsTest, are_carried_out_once_and_their_answer_is_kept) {
  const auto first = ask(key("k"));
  const auto again = ask(key("k"));

  ASSERT_TRUE(first);
  EXPECT_FALSE(*first);
  ASSERT_TRUE(again);
  ASSERT_TRUE(*again);
  EXPECT_EQ((*again)->answer, "the answer");
  EXPECT_EQ(performed_, 1);
}

TEST_F(IdempotentRequestsTest, refuse_a_key_that_was_used_for_something_else) {
  must(ask(key("k", "POST a")));

  const auto other = ask(key("k", "POST b"));

  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().kind, Refusal::Kind::key_reused);
  EXPECT_EQ(performed_, 1);
}

TEST_F(IdempotentRequestsTest, refuse_one_that_is_being_carried_out) {
  std::optional<Refusal::Kind> refused;
  must(application_.requests().perform_once(key("k"), [&]() -> std::optional<std::string> {
    if (const auto second = ask(key("k")); !second) refused = second.error().kind;
    return std::nullopt;
  }));

  EXPECT_EQ(refused, Refusal::Kind::in_progress);
  EXPECT_EQ(performed_, 0);
}

TEST_F(IdempotentRequestsTest, may_be_sent_again_when_nothing_was_done) {
  must(application_.requests().perform_once(key("k"), [] { return std::optional<std::string>{}; }));

  EXPECT_FALSE(must(ask(key("k"))));
  EXPECT_EQ(performed_, 1);
}

TEST_F(IdempotentRequestsTest, are_known_by_caller_and_name) {
  const Caller other{.actor = "token:otheroth", .address = {}, .role = Role::admin};

  EXPECT_NE(key("k").key, must(IdempotentRequests::key_of(other, "k", "POST a")).key);
  EXPECT_EQ(IdempotentRequests::key_of(other, "", "POST a").error().kind, Refusal::Kind::malformed);
  EXPECT_EQ(IdempotentRequests::key_of(other, std::string(256, 'k'), "POST a").error().kind, Refusal::Kind::malformed);
}

/// Writes the position and the name of each event, and counts how often it was asked.
class PlainFormat final : public EventFormat {
 public:
  std::string text_of(const EventMessage& message) const override {
    ++count;
    const auto* const schedule = std::get_if<ScheduleEvent>(&message.value);
    return fmt::format("{}{} ", to_text(message.kind), schedule == nullptr ? "" : ":" + schedule->key.id.text());
  }
  std::string_view keep_alive() const override { return "."; }
  mutable std::atomic<int> count = 0;
};

/// What a subscriber has got, for whoever waits for it.
struct Received {
  std::mutex mutex;
  std::condition_variable changed;
  std::string text;

  std::string wait_for(std::string_view part) {
    std::unique_lock lock{mutex};
    const bool has_come = changed.wait_for(lock, std::chrono::seconds{60}, [&] { return text.contains(part); });
    return has_come ? text : std::string{};
  }
};

class ReceivingSink final : public EventSink {
 public:
  explicit ReceivingSink(Received& received) : received_{received} {}
  bool push(std::string_view text) override {
    const std::scoped_lock lock{received_.mutex};
    received_.text += text;
    received_.changed.notify_all();
    return true;
  }
  void close() override { push("closed"); }
  bool is_open() const override { return true; }
  std::size_t room() const override { return 1'000'000; }
  void when_drained(std::function<void()>) override {}

 private:
  Received& received_;
};

class EventSubscriptionsTest : public ApplicationTest {
 protected:
  void subscribe(Received& received, const EventFormat& format, SubscriptionFilter filter = {.caller = admin()}) {
    application_.events().subscribe(std::move(filter), format, std::make_unique<ReceivingSink>(received));
    ASSERT_NE(received.wait_for("server.status"), "");
  }
  void create_named(std::string_view id) { create(fmt::format(R"({{"id":"{}","jobType":"t"}})", id)); }
};

TEST_F(EventSubscriptionsTest, write_an_event_once_for_all_subscribers_of_a_door) {
  PlainFormat format;
  Received first;
  Received second;
  subscribe(first, format);
  subscribe(second, format);
  const int before = format.count;

  create_named("bell");

  EXPECT_THAT(first.wait_for("schedule.changed:bell"), HasSubstr("server.status"));
  EXPECT_NE(second.wait_for("schedule.changed:bell"), "");
  EXPECT_EQ(format.count, before + 1);
  application_.stop();
}

TEST_F(EventSubscriptionsTest, tell_only_what_the_filter_lets_through) {
  PlainFormat format;
  Received received;
  subscribe(received, format, {.caller = admin(), .schedule = "wanted"});

  create_named("other");
  create_named("wanted");

  EXPECT_EQ(received.wait_for("wanted"), "server.status schedule.changed:wanted ");
  application_.stop();
}

TEST_F(EventSubscriptionsTest, say_that_the_server_stops_and_close) {
  PlainFormat format;
  Received received;
  subscribe(received, format);

  application_.stop();

  EXPECT_EQ(received.text, "server.status server.status closed");
}

/// Answers that are kept; has gone when it is told so.
class KeepingSink final : public ClaimSink {
 public:
  bool is_open() const override { return !is_gone || look_count++ == 0; }
  void answer(Served<std::vector<ClaimedJob>> jobs, ReportDelivery report) override {
    answers.push_back(jobs ? static_cast<int>(jobs->size()) : -1);
    has_report = report != nullptr;
  }
  bool is_gone = false;  // after it was looked for once
  mutable int look_count = 0;
  std::vector<int> answers;
  bool has_report = false;
};

class JobClaimsTest : public ApplicationTest {
 protected:
  JobClaimsTest() {
    must(application_.runs().enqueue(admin(), json(R"({"jobType":"t"})"), {}));
    session_ = must(application_.workers().open(admin(), {.name = "w", .queues = {"default"}})).id;
  }
  void claim(const std::shared_ptr<KeepingSink>& sink) {
    application_.claims().claim(admin(), {.session = session_}, sink);
  }
  std::string session_;
};

TEST_F(JobClaimsTest, are_answered_at_once_when_there_is_something_or_nobody_wants_to_wait) {
  const auto sink = std::make_shared<KeepingSink>();
  const auto second = std::make_shared<KeepingSink>();

  claim(sink);
  claim(second);

  EXPECT_THAT(sink->answers, ElementsAre(1));
  EXPECT_TRUE(sink->has_report);
  EXPECT_THAT(second->answers, ElementsAre(0));
  EXPECT_FALSE(second->has_report);
}

TEST_F(JobClaimsTest, give_back_what_nobody_is_there_to_take) {
  const auto gone = std::make_shared<KeepingSink>();
  gone->is_gone = true;
  const auto next = std::make_shared<KeepingSink>();

  claim(gone);
  claim(next);

  EXPECT_THAT(gone->answers, ElementsAre(0));
  EXPECT_THAT(next->answers, ElementsAre(1)) << "it has not used up the job";
}

/// Counts what is compiled: each definition needs its zone once.
class CountingZones final : public ZoneSource {
 public:
  Result<ZonePtr> zone(std::string_view name) override {
    ++count;
    return below_.zone(name);
  }
  std::shared_ptr<const ZoneNames> names() override { return below_.names(); }
  bool refresh() override { return false; }
  int count = 0;

 private:
  FixedZoneSource below_;
};

TEST_F(ApplicationTest, compiles_a_definition_once_to_check_it_and_to_decide_by_it) {
  CountingZones zones;
  SharedDefinitions definitions{store_, zones};
  ScheduleCommands commands{store_, store_, definitions, [] {}};
  ServiceParts parts{.store = parts_.store,
                     .logs = *logs_,
                     .commands = commands,
                     .definitions = definitions,
                     .zones = zones,
                     .clock = clock_,
                     .run_ids = run_ids_};
  Schedules schedules{parts};
  const auto compiled_by = [&](auto work) {
    zones.count = 0;
    work();
    return zones.count;
  };
  // One to compile it, and one for what it is warned of.
  constexpr int needed = 2;

  EXPECT_EQ(compiled_by(
                [&] { must(schedules.create(admin(), json(R"({"id":"new","cron":"0 4 * * *","jobType":"t"})"), {})); }),
            needed);
  EXPECT_EQ(compiled_by([&] {
              must(schedules.put(admin(), {.id = "new"}, json(R"({"cron":"0 5 * * *","jobType":"t"})"), {}));
            }),
            needed);
}

}  // namespace
}  // namespace carillon::testing
