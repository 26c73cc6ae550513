#include "conformance/random_world.hpp"

#include "conformance/store_test.hpp"

#include <algorithm>
#include <ostream>
#include <stdexcept>

namespace carillon::conformance {
namespace {

constexpr std::array<const char*, command_kind_count> kind_names{
    "create",  "decide",        "decide_two",   "delete_schedule", "quarantine", "adopt_zone_edition",
    "enqueue", "pause_queue",   "open_session", "close_session",   "heartbeat",  "claim",
    "write",   "write_wrongly", "expire",       "advance"};

// Ids that differ by case only are one schedule.
constexpr std::array<const char*, 6> ids{"alpha", "Alpha", "beta", "gamma", "GAMMA", "delta"};
constexpr std::array<const char*, 2> queues{"default", "fast"};
constexpr std::array<const char*, 4> namespaces{"default", "default", "default", "other"};
constexpr std::array<const char*, 4> documents{
    R"({{"n":{}}})", R"({{"n":{},"name":"Name","labels":{{"team":"a"}},"action":{{"http":{{}}}}}})",
    R"({{"n":{},"labels":{{"odd":"1","team":"b"}},"action":{{"job":{{"payload":{{"workflowId":7}}}}}}}})",
    R"({{"n":{},"labels":{{}},"action":{{"job":{{"payload":null}}}}}})"};

// No moment of the commands meets the end of a lease: times are whole milliseconds.
constexpr Duration lease = 10s + 7us;

bool bit(std::uint32_t choice, int position) { return (choice >> position & 1U) != 0; }

template <typename Items>
const auto& chosen(const Items& items, std::uint32_t choice) {
  return items[choice % items.size()];
}

void expect(bool is_equal, const char* what) {
  if (!is_equal) throw std::runtime_error{what};
}

std::string some_document(std::uint32_t choice, std::int64_t number) {
  return fmt::format(fmt::runtime(chosen(documents, choice)), number);
}

}  // namespace

std::ostream& operator<<(std::ostream& out, const Command& command) {
  out << kind_names[static_cast<std::size_t>(command.kind)];
  for (const std::uint32_t choice : command.choices) out << ' ' << choice;
  return out;
}

RandomWorld::RandomWorld(std::unique_ptr<StoreUnderTest> store)
    : store_{std::move(store)}, comparison_{model_, *store_} {
  model_.now = noon;
  store_->set_time(noon);
}

void RandomWorld::perform(const Command& command) {
  using Kind = Command::Kind;
  const Choices& choices = command.choices;
  switch (command.kind) {
    case Kind::create: create(choices); break;
    case Kind::decide: decide(choices, 1); break;
    case Kind::decide_two: decide(choices, 2); break;
    case Kind::delete_schedule: delete_schedule(choices); break;
    case Kind::quarantine: quarantine(choices); break;
    case Kind::adopt_zone_edition: adopt_zone_edition(choices); break;
    case Kind::enqueue: enqueue(choices); break;
    case Kind::pause_queue: pause_queue(choices); break;
    case Kind::open_session: open_session(choices); break;
    case Kind::close_session: close_session(choices); break;
    case Kind::heartbeat: heartbeat(choices); break;
    case Kind::claim: claim(choices); break;
    case Kind::write: write(choices); break;
    case Kind::write_wrongly: write_wrongly(choices); break;
    case Kind::expire: expire(choices); break;
    case Kind::advance: advance(choices); break;
  }
  comparison_.compare();
}

void RandomWorld::commit(const std::vector<Transition>& transitions, std::optional<ClaimRequest> claim) {
  const Writer writer{.server = 1 + count_ % 3, .batch = ++count_};
  const auto committed =
      must(store_->ports().schedules.commit({.writer = writer, .transitions = transitions, .claim = claim}));
  expect(committed.store_now == model_.now, "commit: another time");
  expect(committed.items.size() == transitions.size(), "commit: not one answer for each transition");
  for (std::size_t i = 0; i < transitions.size(); ++i) {
    const WriteOutcome& item = committed.items[i];
    const bool is_accepted = model_.accepts(transitions[i]);
    expect((item.outcome == WriteOutcome::Outcome::written) == is_accepted,
           is_accepted ? "commit: refused for no reason" : "commit: written in spite of its version or id");
    ++(is_accepted ? tally_.written : tally_.refused);
    model_.requests.try_emplace(transitions[i].request, false);
    if (!is_accepted) continue;
    expect(item.decisions.size() == transitions[i].decisions.size(), "commit: not one row for each decision");
    if (transitions[i].decided_from() == 0) {
      expect(model_.schedules.empty() || item.uid > model_.schedules.back().state.uid, "commit: no new uid");
    }
    model_.write(transitions[i], writer, item);
    for (const Seq seq : transitions[i].watched) tally_.woken_by_watch += is_terminal(model_.row(seq)->run.run.state);
  }
  if (claim) {
    take(committed.claimed, *claim);
  } else {
    expect(committed.claimed.empty(), "commit: claimed without being asked to");
  }
}

void RandomWorld::take(const std::vector<ClaimedRun>& claimed, const ClaimRequest& request) {
  expect(seqs_of(claimed) == model_.claimable(request), "claim: other runs, or in another order");
  for (const ClaimedRun& one : claimed) {
    for (const Model::Row& row : model_.rows) {
      expect(row.run.uid != one.row.uid || row.fence < one.fence, "claim: a fence that does not ascend");
    }
    expect(one.lease_until == model_.session(request.session)->lease_until, "claim: another lease");
    model_.claim(one.row.seq, request.session, one.fence);
    expect(one.row.run == model_.row(one.row.seq)->run.run, "claim: the run differs from what was written");
    ++tally_.claimed;
  }
}

void RandomWorld::create(const Choices& choices) {
  const ScheduleKey key = key_of(chosen(ids, choices[0]), chosen(namespaces, choices[0] >> 8));
  auto creating = creation(key, model_.now, some_document(choices[0] >> 4, ++count_));
  if (bit(choices[1], 0)) creating.wakes_at(model_.now + choices[2] % 5 * 100ms);
  if (bit(choices[1], 1)) creating.next().zone_edition = ZoneEdition{3};
  if (bit(choices[1], 2)) creating.decides(some_verdict(choices[3], 1));
  creating.request(++count_);
  commit({creating.transition()});
}

Starts RandomWorld::some_start(std::uint32_t choice, std::int64_t revision) {
  Starts starts = a_start(model_.now - choice % 3 * 30s);
  if (bit(choice, 2)) starts.queued_at = model_.now + 300ms;
  if (bit(choice, 3)) starts.expires_at = starts.queued_at + 31s;
  starts.queue = chosen(queues, choice >> 4);
  starts.priority = static_cast<std::int64_t>(choice % 5) - 2;
  starts.revision = revision;
  starts.last_success = Seq{choice % 4};
  starts.last_failure = Seq{choice % 3};
  starts.repeat_number = choice % 5;
  return starts;
}

DecisionBuilder RandomWorld::some_verdict(std::uint32_t choice, std::int64_t revision) {
  // Few nominal times, so that some occurrences have several runs; the trigger's id tells them apart.
  const Instant nominal = noon + choice % 7 * 1min;
  const std::uint32_t kind = choice % 8;
  DecisionBuilder decision = kind == 0   ? skipping(nominal, static_cast<SkipReason>(choice % skip_reason_count))
                             : kind <= 2 ? waiting(nominal)
                                         : DecisionBuilder{nominal, some_start(choice / 8, revision)};
  decision.trigger(fmt::format("t{}", ++count_)).due(nominal + choice % 3 * 1s);
  if (bit(choice, 4)) decision.overlap(OverlapPolicy::buffer_all);
  if (bit(choice, 5)) decision.beside_the_slot();
  if (bit(choice, 6)) decision.payload("{}");
  return decision;
}

Transition RandomWorld::some_decision(const Model::Schedule& schedule, const Choices& choices) {
  using Kind = RunOrder::Kind;
  auto deciding = after(schedule.state, model_.now);
  const std::uint32_t shape = choices[2];
  const std::uint32_t detail = choices[3];
  const std::int64_t revision = schedule.state.revision;
  const bool listens = bit(shape, 0);
  deciding.listens(listens).request(++count_);
  if (bit(shape, 1)) deciding.wakes_at(model_.now + detail % 8 * 100ms);
  if (bit(shape, 2)) deciding.sleeps();
  if (bit(shape, 3)) deciding.decides(some_verdict(detail, revision));
  if (bit(shape, 4)) deciding.decides(some_verdict(detail / 3, revision));
  if (bit(shape, 5)) deciding.voids(noon, noon + detail % 9 * 1s);
  if (bit(shape, 6)) deciding.skips_range({.from = noon, .to = model_.now, .count = detail % 100});
  if (bit(shape, 7)) deciding.edits(some_document(detail, count_));
  if (bit(shape, 10) && bit(shape, 11)) {
    deciding.next().status = static_cast<ScheduleStatus>(detail % 5);
    deciding.next().paused_at.reset();
    if (deciding.next().status == ScheduleStatus::paused) {
      deciding.next().paused_at = model_.now;
      deciding.changes({.kind = ChangeKind::paused,
                        .revision = deciding.next().revision,
                        .by = "ann",
                        .reason = fmt::format("pause {}", count_)});
    }
  }
  if (bit(shape, 8)) {
    deciding.has_backfill({.number = 1 + detail % 2,
                           .id = detail % 2 == 0 ? "one" : "two",
                           .from = noon - 1h,
                           .to = noon,
                           .state = static_cast<BackfillState>(detail % 4),
                           .cursor = noon - 1h + detail % 60 * 1min,
                           .done = detail % 60,
                           .total = 60});
  }
  for (const LiveRun& live : schedule.live) {
    const auto seq = static_cast<std::uint32_t>(live.seq);
    const std::uint32_t fate = (detail + seq * 7) % 11;
    if (is_waiting(live)) {
      if (fate == 0) deciding.resolves(live.seq, some_start(detail + seq, revision));
      if (fate == 1) deciding.resolves(live.seq, Skips{SkipReason::superseded});
      if (fate == 2 && !listens) deciding.orders(Kind::cancel, live.seq);
      continue;
    }
    if (!is_open(live)) {
      if (bit(shape, 9)) deciding.counts(live.seq);
      continue;
    }
    if (fate == 3) deciding.orders(Kind::withdraw, live.seq, SkipReason::deleted);
    if (fate == 4) deciding.orders(Kind::hold_back, live.seq);
    if (fate == 5) deciding.orders(Kind::cancel, live.seq);
    if (fate == 6) deciding.orders(Kind::terminate, live.seq);
    if (fate == 7) deciding.orders(Kind::end_retries, live.seq);
    if (listens && fate != 3 && fate != 4) deciding.watches(live.seq);
  }
  return deciding.transition();
}

void RandomWorld::decide(const Choices& choices, std::size_t transition_count) {
  const auto living = model_.living();
  if (living.empty()) return;
  std::vector<Transition> transitions;
  for (std::size_t i = 0; i < transition_count; ++i) {
    const Model::Schedule& schedule = *chosen(living, choices[0] + static_cast<std::uint32_t>(i) * choices[1]);
    Transition deciding = some_decision(schedule, choices);
    if (choices[1] % 5 == 1) deciding.next.version -= deciding.next.version > 2 ? 1 : 0;
    if (choices[1] % 5 == 2) deciding.next.version += 1;
    // A version that no schedule has yet must not look like a creation.
    if (deciding.decided_from() == 0) return;
    transitions.push_back(deciding);
  }
  std::optional<ClaimRequest> claiming;
  if (!model_.sessions.empty() && choices[1] % 3 == 0) claiming = some_claim(choices);
  if (claiming && model_.is_over(claiming->session)) claiming.reset();
  commit(transitions, claiming);
}

void RandomWorld::delete_schedule(const Choices& choices) {
  const auto living = model_.living();
  if (living.empty()) return;
  const Model::Schedule& schedule = *chosen(living, choices[0]);
  auto deleting = after(schedule.state, model_.now);
  deleting.deletes().request(++count_);
  for (const LiveRun& live : schedule.live) {
    if (is_waiting(live)) deleting.resolves(live.seq, Skips{SkipReason::deleted});
    if (is_open(live)) {
      deleting.orders(RunOrder::Kind::withdraw, live.seq, SkipReason::deleted);
      if (live.state != RunState::queued) deleting.orders(RunOrder::Kind::end_retries, live.seq);
    }
  }
  commit({deleting.transition()});
}

void RandomWorld::quarantine(const Choices& choices) {
  const auto living = model_.living();
  if (living.empty()) return;
  const ScheduleState& state = chosen(living, choices[0])->state;
  // Whether the end of a run wakes one that is set aside is left open.
  if (state.listens) return;
  const std::int64_t version = state.version - (choices[1] % 3 == 0 ? 1 : 0);
  const Instant retry_at = model_.now + choices[2] % 30 * 100ms;
  const Uid uid = state.uid;
  const bool is_set_aside = must(store_->ports().schedules.quarantine(uid, version, "it broke", retry_at));
  expect(is_set_aside == model_.quarantine(uid, version, "it broke", retry_at), "quarantine: another answer");
}

void RandomWorld::adopt_zone_edition(const Choices& choices) {
  const ZoneEdition expected{static_cast<std::int32_t>(choices[0] % 3 + 1)};
  const ZoneEdition from = bit(choices[1], 0) ? model_.zone_edition : expected;
  const ZoneEdition next{static_cast<std::int32_t>(choices[2] % 3 + 2)};
  const bool is_adopted = must(store_->ports().schedules.adopt_zone_edition(from, next));
  expect(is_adopted == (from == model_.zone_edition), "adopt: another answer");
  if (is_adopted) model_.zone_edition = next;
}

void RandomWorld::enqueue(const Choices& choices) {
  std::vector<AdhocRun> jobs;
  for (std::uint32_t i = 0; i <= choices[0] % 2; ++i) {
    AdhocRun job{.name_space = chosen(namespaces, choices[2]),
                 .document = "{}",
                 .name = fmt::format("~{}", choices[1 + i] % 20),
                 .queue = chosen(queues, choices[3]),
                 .priority = choices[3] % 3,
                 .rules = {}};
    if (bit(choices[3], 4)) job.rules.start_deadline = 3s + 1us;
    jobs.push_back(job);
  }
  bool is_free = jobs.size() < 2 || jobs[0].name != jobs[1].name;
  for (const AdhocRun& job : jobs) is_free = is_free && !model_.adhoc_names.contains(job.name);
  const auto seqs = store_->ports().runs.enqueue(jobs, {});
  expect(seqs.has_value() == is_free, "enqueue: another answer");
  if (!seqs) return;
  expect(seqs->size() == jobs.size(), "enqueue: not one row for each job");
  for (std::size_t i = 0; i < jobs.size(); ++i) model_.enqueue(jobs[i], seqs->at(i));
}

void RandomWorld::pause_queue(const Choices& choices) {
  const std::string queue = chosen(queues, choices[0]);
  const bool is_paused = choices[1] % 3 == 0;
  const bool is_changed = must(store_->ports().runs.pause_queue(queue, is_paused, {}));
  expect(is_changed == model_.pause_queue(queue, is_paused), "pause_queue: another answer");
}

void RandomWorld::open_session(const Choices&) {
  const std::string worker = fmt::format("worker-{}", ++count_);
  const SessionId id = must(store_->ports().runs.open_session(worker, lease));
  expect(model_.session(id) == nullptr, "open_session: an id that was used");
  model_.sessions.push_back({.id = id, .worker = worker, .lease = lease, .lease_until = model_.now + lease});
}

void RandomWorld::close_session(const Choices& choices) {
  if (model_.sessions.empty()) return;
  const SessionId id = chosen(model_.sessions, choices[0]).id;
  if (model_.is_over(id)) return;
  must(store_->ports().runs.close_session(id));
  for (Model::Session& session : model_.sessions) {
    if (session.id == id) session.lease_until = model_.now;
  }
  tally_.lost += static_cast<int>(model_.held(id).size());
}

void RandomWorld::heartbeat(const Choices& choices) {
  if (model_.sessions.empty()) return;
  const SessionId id = chosen(model_.sessions, choices[0]).id;
  std::vector<LaunchNotice> launched;
  for (const Model::Row& row : model_.rows) {
    if (row.run.run.state != RunState::running || (static_cast<std::uint32_t>(row.seq) + choices[1]) % 3 != 0) continue;
    // Also runs of other sessions, and attempts that are yet to come.
    launched.push_back(
        {.seq = row.seq, .attempt = row.run.run.attempt + (choices[2] % 7 == 1 ? 1 : 0), .at = model_.now - 1ms});
  }
  const auto pulse = store_->ports().runs.heartbeat({.session = id, .launched = launched});
  expect(pulse.has_value() != model_.is_over(id), "heartbeat: another answer");
  if (!pulse) return;
  model_.heartbeat(id, launched);
  expect(pulse->store_now == model_.now, "heartbeat: another time");
  expect(pulse->lease_until == model_.now + lease, "heartbeat: another lease");
  auto stops = pulse->stops;
  std::ranges::sort(stops, {}, &StopRequest::seq);
  const auto wanted = model_.stops(id);
  expect(std::ranges::equal(stops, wanted,
                            [](const StopRequest& a, const StopRequest& b) {
                              return a.seq == b.seq && a.attempt == b.attempt && a.how == b.how;
                            }),
         "heartbeat: other stops");
}

ClaimRequest RandomWorld::some_claim(const Choices& choices) {
  ClaimRequest request{.session = chosen(model_.sessions, choices[0]).id, .queues = {}, .count_max = choices[1] % 4};
  if (choices[2] % 4 != 0) request.queues.emplace_back("default");
  if (choices[2] % 4 != 1) request.queues.emplace_back("fast");
  return request;
}

void RandomWorld::claim(const Choices& choices) {
  if (model_.sessions.empty()) return;
  const ClaimRequest request = some_claim(choices);
  const auto claimed = store_->ports().runs.claim(request);
  expect(claimed.has_value() != model_.is_over(request.session), "claim: another answer");
  if (!claimed) return;
  const auto next = model_.next_claimable(request);
  take(claimed->runs, request);
  expect(claimed->store_now == model_.now, "claim: another time");
  expect(claimed->next_claimable == next, "claim: another time to come back");
}

std::vector<const Model::Row*> RandomWorld::open_rows() const {
  std::vector<const Model::Row*> found;
  for (const Model::Row& row : model_.rows) {
    if (row.outcome == DecisionOutcome::started && !is_terminal(row.run.run.state)) found.push_back(&row);
  }
  return found;
}

RunUpdate RandomWorld::some_update(const Model::Row& row, std::uint32_t choice) {
  static constexpr std::array ends{RunState::succeeded, RunState::failed, RunState::timed_out, RunState::cancelled,
                                   RunState::lost};
  AttemptEnd end;
  if (bit(choice, 4)) end.launched_at = model_.now - 2ms;
  if (bit(choice, 5)) end.exit_code = choice % 256;
  if (bit(choice, 6)) end.error = "it broke";
  if (bit(choice, 7)) end.result = fmt::format("{}", ++count_);
  if (bit(choice, 8)) end.ended_at = model_.now - 1ms;
  if (bit(choice, 9)) end.use = {.user_time = 2ms, .system_time = 1ms, .memory_max = choice};
  if (bit(choice, 10)) end.known_as = "elsewhere";
  const bool is_retried = choice % 4 == 0 && row.run.run.may_retry && row.run.run.stop == Stop::none;
  return update_of(row.run,
                   is_retried ? retried(row.run.run, model_.now + choice % 3 * 400ms)
                              : ended(row.run.run, chosen(ends, choice), model_.now),
                   end);
}

void RandomWorld::send(const RunUpdate& update) {
  const bool is_accepted = model_.accepts(update);
  const auto written = must(store_->ports().runs.write(std::span{&update, 1}));
  expect(written.size() == 1, "write: not one answer for each update");
  expect((written[0] == RunWritten::written) == is_accepted,
         is_accepted ? "write: refused for no reason" : "write: written in spite of what it expects");
  ++(is_accepted ? tally_.runs_written : tally_.runs_refused);
  if (!is_accepted) return;
  const auto owner = model_.schedule(model_.row(update.seq)->run.uid);
  const auto wake = owner ? owner->state.wake : std::nullopt;
  model_.write(update);
  if (owner && owner->state.wake != wake) ++tally_.woken_by_finish;
}

void RandomWorld::write(const Choices& choices) {
  std::vector<const Model::Row*> running;
  for (const Model::Row* row : open_rows()) {
    if (row->run.run.state == RunState::running) running.push_back(row);
  }
  if (!running.empty()) send(some_update(*chosen(running, choices[0]), choices[1]));
}

void RandomWorld::write_wrongly(const Choices& choices) {
  if (model_.rows.empty()) return;
  const Model::Row& row = chosen(model_.rows, choices[0]);
  if (row.outcome != DecisionOutcome::started || row.was_cancelled_waiting) return;
  RunUpdate update = update_of(row.run, row.run.run);
  update.next.state = RunState::failed;
  update.next.ended_at = model_.now;
  if (update.next.attempt > 0) update.next.attempt_state = AttemptState::failed;
  // An ended run is refused even if everything is as expected.
  if (!is_terminal(row.run.run.state)) {
    switch (choices[1] % 5) {
      case 0: ++update.attempt; break;
      case 1: update.session = SessionId{static_cast<std::int64_t>(update.session) + 1}; break;
      case 2: update.state = update.state == RunState::running ? RunState::retrying : RunState::running; break;
      case 3: update.stop = update.stop == Stop::none ? Stop::cancel : Stop::none; break;
      default: update.may_retry = !update.may_retry; break;
    }
  }
  send(update);
}

void RandomWorld::expire(const Choices& choices) {
  const auto expired = model_.expired();
  if (expired.empty()) return;
  const Model::Row& row = *model_.row(chosen(expired, choices[0]));
  send(update_of(row.run, ended(row.run.run, RunState::expired, model_.now)));
}

void RandomWorld::advance(const Choices& choices) {
  const auto lost_before = model_.lost().size();
  model_.now += bit(choices[1], 0) ? choices[0] % 10 * 100ms + 1ms : choices[0] % 10 * 1s + 1ms;
  store_->set_time(model_.now);
  tally_.lost += static_cast<int>(model_.lost().size() - lost_before);
}

}  // namespace carillon::conformance
