#include "service/runs.hpp"

#include "base/quoted.hpp"
#include "definitions/action_document.hpp"
#include "definitions/new_definition.hpp"
#include "definitions/policies_document.hpp"
#include "document/document.hpp"
#include "document/json_pointer.hpp"

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include <algorithm>
#include <array>
#include <span>
#include <utility>
#include <variant>

namespace carillon {
namespace {

namespace json = boost::json;

/// How often a cancel is tried again because a worker was faster.
constexpr int try_count_max = 16;

/// What a job has of a schedule; the rest would be passed over. Its name may be given, for people.
constexpr std::array<std::string_view, 16> job_members{
    "namespace",  "name",        "action",         "policies",       "jobType", "job_type",
    "jobPayload", "job_payload", "jobPriority",    "job_priority",   "queue",   "payload",
    "maxRetries", "max_retries", "timeoutSeconds", "timeout_seconds"};

Served<> check_members(const json::object& members, const std::optional<std::string>& name_space) {
  Problems problems;
  const auto note = [&](std::string_view key, std::string_view code, std::string message, std::string hint) {
    std::string pointer;
    append_key(pointer, key);
    problems.push_back({.pointer = std::move(pointer),
                        .code = code,
                        .message = std::move(message),
                        .hint = std::move(hint),
                        .position = {}});
  };
  for (const auto& member : members) {
    const std::string_view key = member.key();
    if (std::ranges::find(job_members, key) == job_members.end() && problems.size() < unknown_key_count_max)
      note(key, "unknown-key", fmt::format("unknown key {} of a job", quoted(key)),
           "a job has action.job and policies, or jobType, payload and queue");
  }
  const json::value* own = members.if_contains("namespace");
  if (name_space && own != nullptr && own->is_string() && own->get_string() != *name_space)
    note("namespace", "conflict", "the namespace differs from the one in the address", "leave it out");
  const json::value* action = members.if_contains("action");
  if (action != nullptr && action->is_object() && action->get_object().empty())
    note("action", "missing", "the action is empty", "write action: {job: {type: …}}, or jobType");
  if (problems.empty()) return {};
  return std::unexpected(Refusal{std::move(problems)});
}

/// Whether a log that is not there may have been removed. One of the newest runs that are kept whatever their age, and
/// that has printed nothing, is taken for one of these too.
bool is_log_expired(const RunRecordRow& record, const Error& not_found, Instant now) {
  if (not_found.rule == log_removed_rule) return true;
  // Of jobs without a schedule, logs are kept as long as the run is known.
  return record.uid != Uid{} && is_terminal(record.run.state) && record.run.ended_at &&
         *record.run.ended_at <= now - log_kept_for(record.run.state);
}

std::unexpected<Refusal> log_expired(std::string_view id) {
  return std::unexpected(
      Refusal{Refusal::Kind::gone, "log_expired", fmt::format("the log of run {} is no longer kept", id),
              "logs are kept for 7 days, those of failed runs for 30, within 64 MiB a schedule; those of the newest "
              "runs always: policies.keep.runs"});
}

std::unexpected<Refusal> no_items(std::string_view id) {
  return std::unexpected(Refusal{Refusal::Kind::not_found, "no_items",
                                 fmt::format("run {} has no items: it is not a run of a pipeline", quoted(id)),
                                 fmt::format("its output: carillon run logs {}", id)});
}

/// `why` says what is missing.
std::unexpected<Refusal> items_gone(std::string_view id, std::string_view why) {
  return std::unexpected(Refusal{Refusal::Kind::gone, "items_expired",
                                 fmt::format("the items of run {} are not kept: {}", quoted(id), why),
                                 "they are read from the result file in the package's .results folder"});
}

std::unexpected<Refusal> has_ended(std::string_view id) {
  return refuse(Refusal::Kind::ended, "ended", "run {} has already ended", quoted(id));
}

}  // namespace

Served<RunPage> Runs::list(const Caller& caller, RunListRequest request) {
  request.filter.name_space = TRY(caller.namespace_to_list(request.filter.name_space));
  RunList list = TRY(parts_.store.queries.list_runs(request));
  std::vector<Seq> seqs;
  for (const RunRecordRow& record : list.items) seqs.push_back(record.seq);
  return RunPage{.items = TRY(run_answers(TRY(parts_.store.queries.read_run_records(seqs)), parts_)),
                 .next = list.next};
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
  if (!seq) seq = TRY(parts_.store.queries.find_run(TRY(caller.namespace_of(name_space)).text(), id));
  if (!seq) return no_run(id);
  auto records = TRY(parts_.store.queries.read_run_records(std::span{&*seq, 1}));
  if (!records.front()) return no_run(id);
  RunRecordRow record = *std::move(records.front());
  // One of another namespace is as unknown as one that is not there.
  const auto own = TRY(caller.namespace_to_list(name_space));
  if (own && record.name_space != *own) return no_run(id);
  return record;
}

Served<RunAnswer> Runs::get(const Caller& caller, const std::string& id, const std::optional<std::string>& name_space) {
  RunRecordRow record = TRY(find(caller, id, name_space));
  const QueueFacts queues = waits_in_queue(record) ? TRY(read_queue_facts(parts_)) : QueueFacts{};
  const auto log_size = log_size_of(record);
  RunAnswer answer = run_answer(std::move(record), parts_.run_ids, queues);
  answer.log_size = log_size;
  add_progress(answer, parts_);
  return answer;
}

std::optional<std::int64_t> Runs::log_size_of(const RunRecordRow& record) {
  if (record.run.attempt == 0) return std::nullopt;
  const auto log = parts_.logs.read(record.uid, {.run = record.seq, .attempt = record.run.attempt}, 0, 0);
  if (log) return log->size;
  const bool has_none =
      log.error().code == ErrorCode::not_found && !is_log_expired(record, log.error(), parts_.clock.now());
  return has_none ? std::optional<std::int64_t>{0} : std::nullopt;
}

Served<RunAnswer> Runs::read(const Caller& caller, Seq run) {
  return get(caller, parts_.run_ids.id_of(run), std::nullopt);
}

// A job has no schedule whose machine would do it.
Served<> Runs::cancel_job(const Caller& caller, const RunRecordRow& record, const WriteTerms& terms) {
  const Seq seq = record.seq;
  const std::string id = parts_.run_ids.id_of(seq);
  const CommandMetadata attached = attached_to(caller, "run.cancel", record.name_space, id, terms);
  for (int i = 0; i < try_count_max; ++i) {
    const auto rows = TRY(parts_.store.runs.read_runs(std::span{&seq, 1}));
    if (!rows.front() || is_terminal(rows.front()->run.state)) return has_ended(id);
    const QueuedRun& row = *rows.front();
    const Run next = TRY(carillon::cancel(row.run, Stop::cancel, TRY(parts_.store.runs.store_now())));
    const RunUpdate update{.seq = seq,
                           .attempt = row.run.attempt,
                           .session = row.session,
                           .state = row.run.state,
                           .stop = row.run.stop,
                           .may_retry = row.run.may_retry,
                           .next = next};
    if (TRY(parts_.store.runs.write_command(update, attached)) == RunWritten::written) return {};
  }
  return refuse(Refusal::Kind::unavailable, "unavailable", "run {} keeps changing; try again", id);
}

Served<RunAnswer> Runs::cancel(const Caller& caller, const std::string& id,
                               const std::optional<std::string>& name_space, const WriteTerms& terms) {
  const RunRecordRow record = TRY(find(caller, id, name_space));
  if (record.outcome == DecisionOutcome::skipped || is_terminal(record.run.state)) return has_ended(id);
  if (!record.key) {
    TRY(cancel_job(caller, record, terms));
    return read(caller, record.seq);
  }
  const CommandMetadata attached =
      attached_to(caller, "run.cancel", record.name_space, parts_.run_ids.id_of(record.seq), terms);
  const auto changed = parts_.commands.change(*record.key, CancelRequested{.run = record.seq}, {.attached = &attached});
  if (!changed && changed.error().code == ErrorCode::conflict && changed.error().rule.empty()) return has_ended(id);
  if (!changed) return std::unexpected(Refusal{changed.error()});
  return read(caller, record.seq);
}

Served<TriggerAnswer> Runs::retry(const Caller& caller, const std::string& id,
                                  const std::optional<std::string>& name_space, const WriteTerms& terms, Retry how) {
  const RunRecordRow record = TRY(find(caller, id, name_space));
  if (record.outcome == DecisionOutcome::started && !is_terminal(record.run.state))
    return refuse(Refusal::Kind::wrong_status, "wrong_status", "Cannot retry run with state '{}'",
                  to_text(record.run.state));
  if (how == Retry::failed_items) TRY(expect_answers(record, id));
  if (!record.key) return TriggerAnswer{.run = TRY(queue_again(caller, record, terms))};
  return schedules_.trigger(caller, {.id = record.key->id.text(), .name_space = record.key->name_space.text()},
                            {.nominal = record.nominal,
                             .payload = record.payload,
                             .retry_of = parts_.run_ids.id_of(record.seq),
                             .retry = how},
                            terms);
}

Served<> Runs::expect_answers(const RunRecordRow& record, const std::string& id) {
  if (record.outcome == DecisionOutcome::skipped || !TRY(package_of(record))) return no_items(id);
  const auto facts = record.result ? item_facts_in(*record.result) : std::nullopt;
  if (record.run.state == RunState::succeeded && facts && facts->failed == 0)
    return std::unexpected(Refusal{Refusal::Kind::wrong_status, "wrong_status",
                                   fmt::format("no item of run {} has failed", quoted(id)),
                                   "to ask everything again, retry the whole run"});
  if (parts_.items == nullptr || !parts_.items->has_answers(parts_.run_ids.id_of(record.seq)))
    return std::unexpected(Refusal{Refusal::Kind::gone, "answers_expired",
                                   fmt::format("the answers of run {} are not kept", quoted(id)),
                                   "they are kept for 30 days if items have failed; retry the whole run"});
  return {};
}

Served<std::optional<std::string>> Runs::package_of(const RunRecordRow& record) {
  if (!record.key) return std::nullopt;
  const auto definition = TRY(parts_.definitions.now()->get({.uid = record.uid, .revision = record.revision}));
  const auto* action = std::get_if<PipelineAction>(&definition->action);
  return action == nullptr ? std::nullopt : std::optional{action->path};
}

Served<ItemPage> Runs::items(const Caller& caller, const std::string& id, const std::optional<std::string>& name_space,
                             const ItemQuery& query) {
  const RunRecordRow record = TRY(find(caller, id, name_space));
  if (record.outcome == DecisionOutcome::skipped) return no_items(id);
  const auto package = TRY(package_of(record));
  if (!package) return no_items(id);
  if (parts_.items == nullptr) return items_gone(id, "this server has no folder of pipelines");
  const auto facts = record.result ? item_facts_in(*record.result) : std::nullopt;
  const ItemsOwner owner{.run = record.seq,
                         .run_id = parts_.run_ids.id_of(record.seq),
                         .package = *package,
                         .result_file = facts ? facts->result_file : std::string{}};
  auto page = parts_.items->read_items(owner, query);
  if (page) return *std::move(page);
  switch (page.error().code) {
    case ErrorCode::not_found:
      if (!is_terminal(record.run.state) && owner.result_file.empty()) return ItemPage{};  // nothing has a result yet
      return items_gone(id, owner.result_file.empty() ? "it ended before it wrote its results"
                                                      : fmt::format("{} is gone", owner.result_file));
    case ErrorCode::corrupt: return items_gone(id, page.error().message);
    default: return std::unexpected(Refusal{page.error()});
  }
}

Served<LogAnswer> Runs::log(const Caller& caller, const std::string& id, const std::optional<std::string>& name_space,
                            const LogQuery& query) {
  const RunRecordRow record = TRY(find(caller, id, name_space));
  LogAnswer answer{.page = {}, .attempt = query.attempt.value_or(record.run.attempt), .offset = query.offset};
  // Between two attempts the newest has ended, also one that could not be launched and has no log.
  const bool is_between = record.run.state == RunState::retrying && answer.attempt == record.run.attempt;
  const bool has_ended = record.outcome == DecisionOutcome::skipped || is_terminal(record.run.state) ||
                         answer.attempt < record.run.attempt || is_between;
  answer.page.is_at_end = has_ended;
  answer.page.next_offset = answer.offset;
  const AttemptKey key{.run = record.seq, .attempt = answer.attempt};
  if (query.tail) {
    const auto whole = parts_.logs.read(record.uid, key, 0, 0);
    if (whole) answer.offset = std::max<std::int64_t>(whole->size - *query.tail, 0);
  }
  auto page = parts_.logs.read(record.uid, key, answer.offset, query.count_max);
  if (!page && page.error().code == ErrorCode::not_found) {
    if (is_log_expired(record, page.error(), parts_.clock.now())) return log_expired(id);
    return answer;  // what has printed nothing has no log
  }
  if (!page) return std::unexpected(Refusal{page.error()});
  answer.page = *std::move(page);
  return answer;
}

std::string Runs::new_job_name() {
  return fmt::format("~{:016x}{:08x}", unique_number(), unique_number() & 0xFFFF'FFFF);
}

Served<RunAnswer> Runs::enqueue(const Caller& caller, const json::value& document, const WriteTerms& terms,
                                const std::optional<std::string>& name_space) {
  if (!document.is_object()) return refuse(Refusal::Kind::invalid, "invalid", "a job must be an object");
  // A job is what a schedule without times of its own would start.
  json::value whole = document;
  json::object& members = whole.get_object();
  TRY(check_members(members, name_space));
  const NamespaceId own = TRY(caller.namespace_of(name_space));
  if (!members.contains("namespace")) members["namespace"] = own.text();
  members["id"] = "job";
  auto schedule = read_schedule(whole, {.default_timezone = parts_.default_timezone});
  if (!schedule) return std::unexpected(Refusal{std::move(schedule).error()});
  if (!caller.knows(schedule->name_space))
    return refuse(Refusal::Kind::not_found, "not_found", "namespace {} not found", quoted(schedule->name_space.text()));
  if (Problems problems = check_new_namespace(schedule->name_space); !problems.empty())
    return std::unexpected(Refusal{std::move(problems)});
  if (!std::holds_alternative<JobAction>(schedule->action))
    return refuse(Refusal::Kind::invalid, "invalid", "only action.job can be queued without a schedule");
  const DefinitionPtr definition = TRY(parts_.definitions.now()->compile_new(*schedule, 1, parts_.clock.now()));
  const AdhocRun job{.name_space = schedule->name_space.text(),
                     .document = json::serialize(json::object{{"action", write_action(schedule->action)},
                                                              {"policies", write_policies(schedule->policies)}}),
                     .name = new_job_name(),
                     .queue = definition->queue,
                     .priority = definition->priority,
                     .rules = definition->rules};
  const CommandMetadata attached = attached_to(caller, "job.create", job.name_space, job.name, terms);
  const auto seqs = TRY(parts_.store.runs.enqueue(std::span{&job, 1}, attached));
  return read(caller, seqs.front());
}

}  // namespace carillon
