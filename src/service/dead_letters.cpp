#include "base/quoted.hpp"
#include "service/runs.hpp"
#include "service/write_terms.hpp"

#include <fmt/format.h>

#include <utility>

namespace carillon {
namespace {

/// So many are looked through for one page, since those of other namespaces and queues are passed over.
constexpr std::size_t dead_letter_scan_max = 5'000;

std::unexpected<Refusal> no_dead_letter(std::string_view id) {
  return std::unexpected(Refusal{Refusal::Kind::not_found, "no_dead_letter",
                                 fmt::format("run {} is not a dead letter", quoted(id)),
                                 "list them: carillon queue dead list"});
}

}  // namespace

Served<RunPage> Runs::list_dead_letters(const Caller& caller, const DeadLetterQuery& query) {
  const auto own = TRY(caller.namespace_to_list(query.name_space));
  const auto seqs = TRY(parts_.store.queries.read_dead_letters(query.before, dead_letter_scan_max));
  std::vector<std::optional<RunRecordRow>> found;
  RunPage page{.items = {}, .next = {}};
  std::optional<Seq> last;
  for (auto& record : TRY(parts_.store.queries.read_run_records(seqs))) {
    if (!record) continue;
    if (found.size() == query.count_max) {
      page.next = last;
      break;
    }
    last = record->seq;
    const bool is_shown = !own || record->name_space == *own;
    if (is_shown && (query.queue.empty() || shown_queue(record->name_space, record->queue) == query.queue))
      found.push_back(std::move(record));
  }
  if (!page.next && seqs.size() == dead_letter_scan_max) page.next = seqs.back();
  page.items = TRY(run_answers(std::move(found), parts_));
  return page;
}

Served<RunRecordRow> Runs::find_dead_letter(const Caller& caller, const std::string& id,
                                            const std::optional<std::string>& name_space) {
  RunRecordRow record = TRY(find(caller, id, name_space));
  if (record.outcome != DecisionOutcome::started || !record.run.is_parked) return no_dead_letter(id);
  return record;
}

Served<RunAnswer> Runs::queue_again(const Caller& caller, const RunRecordRow& record, const WriteTerms& terms) {
  if (record.key)
    return TRY(schedules_.trigger(
                   caller, {.id = record.key->id.text(), .name_space = record.key->name_space.text()},
                   {.nominal = record.nominal, .payload = record.payload, .retry_of = parts_.run_ids.id_of(record.seq)},
                   terms))
        .run;
  const AdhocRun job{.name_space = record.name_space,
                     .document = record.payload.value_or("{}"),
                     .name = new_job_name(),
                     .queue = record.queue,
                     .priority = record.priority,
                     .rules = record.rules.value_or(RunRules{})};
  const CommandMetadata attached = attached_to(caller, "job.create", job.name_space, job.name, terms);
  return read(caller, TRY(parts_.store.runs.enqueue(std::span{&job, 1}, attached)).front());
}

Served<RunAnswer> Runs::retry_dead_letter(const Caller& caller, const std::string& id,
                                          const std::optional<std::string>& name_space, const WriteTerms& terms) {
  const RunRecordRow record = TRY(find_dead_letter(caller, id, name_space));
  WriteTerms retrying = terms;
  retrying.dead_letter = record.seq;
  return queue_again(caller, record, retrying);
}

Served<> Runs::discard_dead_letter(const Caller& caller, const std::string& id,
                                   const std::optional<std::string>& name_space, const WriteTerms& terms) {
  const RunRecordRow record = TRY(find_dead_letter(caller, id, name_space));
  const std::string own_id = parts_.run_ids.id_of(record.seq);
  const CommandMetadata attached = attached_to(caller, "deadLetter.discard", record.name_space, own_id, terms);
  if (!TRY(parts_.store.runs.unpark(record.seq, attached))) return no_dead_letter(id);
  return {};
}

}  // namespace carillon
