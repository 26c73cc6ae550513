#include "service/runs.hpp"

#include "base/quoted.hpp"
#include "document/document.hpp"
#include "engine/action_document.hpp"
#include "engine/policies_document.hpp"

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include <algorithm>
#include <span>
#include <utility>

namespace carillon {
namespace {

namespace json = boost::json;

/// How often a cancel is tried again because a worker was faster.
constexpr int try_count_max = 16;

Attached attached_to(const Caller& caller, const char* operation, const std::string& name_space,
                     const std::string& target, const WriteTerms& terms) {
  return {.audit = AuditEntry{.actor = caller.actor,
                              .address = caller.address,
                              .operation = operation,
                              .name_space = name_space,
                              .target = target,
                              .outcome = "done",
                              .before = {},
                              .after = {}},
          .request = terms.key};
}

std::unexpected<Refusal> has_ended(std::string_view id) {
  return refuse(Refusal::Kind::ended, "ended", "run {} has ended already", quoted(id));
}

}  // namespace

Served<RunPage> Runs::list(const Caller& caller, RunListRequest request) {
  request.filter.name_space = TRY(caller.namespace_to_list(request.filter.name_space));
  RunList list = TRY(parts_.catalogue.list_runs(request));
  std::vector<Seq> seqs;
  for (const RunRecordRow& row : list.items) seqs.push_back(row.row.seq);
  RunPage page{.items = {}, .next = list.next};
  for (auto& record : TRY(parts_.catalogue.read_run_records(seqs)))
    if (record) page.items.push_back(run_answer(*std::move(record), parts_.run_ids));
  return page;
}

Served<RunPage> Runs::list_of(const Caller& caller, const ScheduleName& name, RunListRequest request) {
  const ScheduleRecord schedule = TRY(schedules_.find(caller, name));
  request.filter.uid = schedule.view.state.uid;
  request.filter.name_space = schedule.key.name_space.text();
  return list(caller, std::move(request));
}

Served<RunRecordRow> Runs::find(const Caller& caller, const std::string& id,
                                const std::optional<std::string>& name_space) {
  std::optional<Seq> seq = parts_.run_ids.run_of(id);
  if (!seq) seq = TRY(parts_.catalogue.find_run(TRY(caller.namespace_of(name_space)).text(), id));
  if (!seq) return no_run(id);
  auto records = TRY(parts_.catalogue.read_run_records(std::span{&*seq, 1}));
  if (!records.front()) return no_run(id);
  RunRecordRow record = *std::move(records.front());
  // One of another namespace is as unknown as one that is not there.
  if (caller.name_space && record.name_space != caller.name_space->text()) return no_run(id);
  return record;
}

Served<RunAnswer> Runs::get(const Caller& caller, const std::string& id, const std::optional<std::string>& name_space) {
  return run_answer(TRY(find(caller, id, name_space)), parts_.run_ids);
}

Served<RunAnswer> Runs::read(const Caller& caller, Seq run) {
  return get(caller, parts_.run_ids.id_of(run), std::nullopt);
}

// A job has no schedule whose machine would do it.
Served<> Runs::cancel_job(const Caller& caller, const RunRecordRow& record, const WriteTerms& terms) {
  const Seq seq = record.row.seq;
  const std::string id = parts_.run_ids.id_of(seq);
  const Attached attached = attached_to(caller, "run.cancel", record.name_space, id, terms);
  for (int i = 0; i < try_count_max; ++i) {
    const auto rows = TRY(parts_.queue.read_runs(std::span{&seq, 1}));
    if (!rows.front() || is_terminal(rows.front()->run.state)) return has_ended(id);
    const QueuedRun& row = *rows.front();
    const Run next = TRY(carillon::cancel(row.run, Stop::cancel, TRY(parts_.queue.store_now())));
    const RunUpdate update{.seq = seq,
                           .attempt = row.run.attempt,
                           .session = row.session,
                           .state = row.run.state,
                           .stop = row.run.stop,
                           .may_retry = row.run.may_retry,
                           .next = next};
    if (TRY(parts_.queue.write_wish(update, attached)) == RunWritten::written) return {};
  }
  return refuse(Refusal::Kind::unavailable, "unavailable", "others change run {} all the time", id);
}

Served<RunAnswer> Runs::cancel(const Caller& caller, const std::string& id,
                               const std::optional<std::string>& name_space, const WriteTerms& terms) {
  const RunRecordRow record = TRY(find(caller, id, name_space));
  if (record.outcome == DecisionOutcome::skipped || is_terminal(record.row.run.state)) return has_ended(id);
  if (!record.key) {
    TRY(cancel_job(caller, record, terms));
    return read(caller, record.row.seq);
  }
  const Attached attached =
      attached_to(caller, "run.cancel", record.name_space, parts_.run_ids.id_of(record.row.seq), terms);
  const auto changed =
      parts_.wishes.change(*record.key, CancelRequested{.run = record.row.seq}, {.attached = &attached});
  if (!changed && changed.error().code == ErrorCode::conflict && changed.error().rule.empty()) return has_ended(id);
  if (!changed) return std::unexpected(Refusal{changed.error()});
  return read(caller, record.row.seq);
}

Served<TriggerAnswer> Runs::retry(const Caller& caller, const std::string& id,
                                  const std::optional<std::string>& name_space, const WriteTerms& terms) {
  const RunRecordRow record = TRY(find(caller, id, name_space));
  if (!record.key)
    return refuse(Refusal::Kind::invalid, "invalid", "run {} is a job without a schedule: queue it again", quoted(id));
  if (record.outcome == DecisionOutcome::started && !is_terminal(record.row.run.state))
    return refuse(Refusal::Kind::wrong_status, "wrong_status", "Cannot retry run with state '{}'",
                  to_text(record.row.run.state));
  return schedules_.trigger(caller, {.id = record.key->id.text(), .name_space = record.key->name_space.text()},
                            {.nominal = record.row.nominal, .payload = record.row.payload}, terms);
}

Served<LogAnswer> Runs::log(const Caller& caller, const std::string& id, const std::optional<std::string>& name_space,
                            const LogWish& wish) {
  const RunRecordRow record = TRY(find(caller, id, name_space));
  LogAnswer answer{.page = {}, .attempt = wish.attempt.value_or(record.row.run.attempt), .offset = wish.offset};
  const bool has_ended = record.outcome == DecisionOutcome::skipped || is_terminal(record.row.run.state) ||
                         answer.attempt < record.row.run.attempt;
  answer.page.is_at_end = has_ended;
  answer.page.next_offset = answer.offset;
  const AttemptKey key{.run = record.row.seq, .attempt = answer.attempt};
  if (wish.tail) {
    const auto whole = parts_.logs.read(record.row.uid, key, 0, 0);
    if (whole) answer.offset = std::max<std::int64_t>(whole->size - *wish.tail, 0);
  }
  auto page = parts_.logs.read(record.row.uid, key, answer.offset, wish.count_max);
  // What has printed nothing has no log.
  if (!page && page.error().code == ErrorCode::not_found) return answer;
  if (!page) return std::unexpected(Refusal{page.error()});
  answer.page = *std::move(page);
  return answer;
}

Served<RunAnswer> Runs::enqueue(const Caller& caller, const json::value& document, const WriteTerms& terms) {
  if (!document.is_object()) return refuse(Refusal::Kind::invalid, "invalid", "a job is an object");
  // A job is what a schedule without times of its own would start.
  json::value whole = document;
  json::object& members = whole.get_object();
  const NamespaceId name_space = TRY(caller.namespace_of(std::nullopt));
  if (!members.contains("namespace")) members["namespace"] = name_space.text();
  members["id"] = "job";
  members["spec"] = json::object{};
  auto schedule = read_schedule(whole, {.default_timezone = parts_.default_timezone});
  if (!schedule) return std::unexpected(Refusal{std::move(schedule).error()});
  if (!caller.knows(schedule->name_space))
    return refuse(Refusal::Kind::not_found, "not_found", "there is no namespace {}",
                  quoted(schedule->name_space.text()));
  if (!std::holds_alternative<JobAction>(schedule->action))
    return refuse(Refusal::Kind::invalid, "invalid", "only action.job can be queued without a schedule");
  const DefinitionPtr definition = TRY(parts_.definitions.now()->compile_new(*schedule, 1, parts_.clock.now()));
  const AdhocRun job{.name_space = schedule->name_space.text(),
                     .document = json::serialize(json::object{{"action", write_action(schedule->action)},
                                                              {"policies", write_policies(schedule->policies)}}),
                     .name = fmt::format("~{:016x}{:08x}", unique_number(), unique_number() & 0xFFFF'FFFF),
                     .queue = definition->queue,
                     .priority = definition->priority,
                     .rules = definition->rules};
  const Attached attached = attached_to(caller, "job.create", job.name_space, job.name, terms);
  const auto seqs = TRY(parts_.queue.enqueue(std::span{&job, 1}, attached));
  return read(caller, seqs.front());
}

}  // namespace carillon
