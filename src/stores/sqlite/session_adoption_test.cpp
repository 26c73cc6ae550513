#include "stores/sqlite/store_file_test.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace carillon {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

/// Two jobs that a worker had when its server died.
class Sparing : public StoreFileTest {
 protected:
  void SetUp() override {
    const std::vector<AdhocRun> jobs{{.document = "{}", .name = "~a", .queue = "@command", .rules = {}},
                                     {.document = "{}", .name = "~b", .queue = "@command", .rules = {}}};
    ASSERT_TRUE(store_->enqueue(jobs, {}));
    session_ = store_->open_session("worker", 30s).value();
    const auto claimed = store_->claim({.session = session_, .queues = {"@command"}, .count_max = 2}).value();
    ASSERT_THAT(claimed.runs, SizeIs(2));
    spared_ = {claimed.runs[0].row.seq, 1};
    mortal_ = claimed.runs[1].row.seq;
  }
  std::vector<Seq> lost() {
    std::vector<Seq> seqs;
    const auto rows = store_->read_lost(10).value();
    for (const QueuedRun& row : rows) seqs.push_back(row.seq);
    return seqs;
  }
  std::vector<Seq> held(SessionId session) {
    std::vector<Seq> seqs;
    const auto runs = store_->read_held(session).value();
    for (const ClaimedRun& run : runs) seqs.push_back(run.row.seq);
    return seqs;
  }

  std::unique_ptr<SqliteStore> store_ = open();
  SessionId session_{};
  AttemptKey spared_;
  Seq mortal_{};
};

TEST_F(Sparing, a_spared_attempt_is_not_lost_with_the_others_however_long_nobody_served) {
  clock_.advance(24h);
  const auto session = store_->end_all_sessions_but(std::vector{spared_}, "next").value();

  ASSERT_TRUE(session);
  EXPECT_THAT(lost(), ElementsAre(mortal_));
  EXPECT_THAT(held(*session), ElementsAre(spared_.run));
  clock_.advance(24h * 365);
  EXPECT_THAT(lost(), ElementsAre(mortal_));
}

TEST_F(Sparing, an_attempt_that_is_not_the_newest_is_not_spared) {
  const auto session = store_->end_all_sessions_but(std::vector{AttemptKey{spared_.run, 2}}, "next").value();

  EXPECT_FALSE(session);
  EXPECT_THAT(lost(), SizeIs(2));
}

TEST_F(Sparing, a_run_that_is_not_there_is_not_spared) {
  EXPECT_FALSE(store_->end_all_sessions_but(std::vector{AttemptKey{Seq{4711}, 1}}, "next").value());
}

TEST_F(Sparing, a_worker_elsewhere_keeps_what_it_has_as_long_as_its_lease_lasts) {
  const AdhocRun job{.document = "{}", .name = "~c", .queue = "default", .rules = {}};
  const Seq run = store_->enqueue(std::span{&job, 1}, {}).value().front();
  const SessionId elsewhere = store_->open_session("elsewhere", 30s).value();
  ASSERT_THAT(store_->claim({.session = elsewhere, .queues = {"default"}, .count_max = 1}).value().runs, SizeIs(1));

  EXPECT_FALSE(store_->end_all_sessions_but({}, "next").value());

  EXPECT_THAT(held(elsewhere), ElementsAre(run));
  EXPECT_THAT(lost(), SizeIs(2));
  clock_.advance(31s);
  EXPECT_THAT(lost(), SizeIs(3));
}

TEST_F(Sparing, who_is_not_spared_again_is_lost) {
  const auto session = store_->end_all_sessions_but(std::vector{spared_}, "next").value();
  ASSERT_TRUE(session);
  store_.reset();
  store_ = open();
  EXPECT_FALSE(store_->end_all_sessions_but({}, "another").value());

  EXPECT_THAT(held(*session), IsEmpty());
  EXPECT_THAT(lost(), SizeIs(2));
}

TEST_F(Sparing, a_request_to_stop_it_goes_with_it) {
  const QueuedRun row = *store_->read_runs(std::vector{spared_.run}).value().at(0);
  RunUpdate update{.seq = row.seq,
                   .attempt = row.run.attempt,
                   .session = row.session,
                   .state = row.run.state,
                   .stop = row.run.stop,
                   .may_retry = row.run.may_retry,
                   .next = row.run};
  update.next.stop = Stop::cancel;
  ASSERT_EQ(store_->write(std::span{&update, 1}).value().at(0), RunWritten::written);
  const auto session = store_->end_all_sessions_but(std::vector{spared_}, "next").value();

  const auto pulse = store_->heartbeat({.session = *session, .launched = {}}).value();
  ASSERT_THAT(pulse.stops, SizeIs(1));
  EXPECT_EQ(pulse.stops[0].seq, spared_.run);
  EXPECT_EQ(pulse.stops[0].how, Stop::cancel);
}

}  // namespace
}  // namespace carillon
