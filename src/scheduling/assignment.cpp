#include "scheduling/assignment.hpp"

#include "engine/run_name.hpp"

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include <utility>

namespace carillon {
namespace {

std::string payload_of(const QueuedRun& row, const Definition& definition) {
  // That of a job without a schedule is in its definition: what the row has is the whole document.
  if (row.payload && row.uid != Uid{}) return *row.payload;
  const auto* job = std::get_if<JobAction>(&definition.action);
  return job == nullptr ? "{}" : boost::json::serialize(job->payload);
}

std::optional<std::string> failure_text(const std::optional<PastFailure>& failure) {
  if (!failure) return std::nullopt;
  const auto& [state, ended_at, exit_code, error] = *failure;
  return boost::json::serialize(boost::json::object{
      {"state", to_text(state)},
      {"error", error},
      {"exitCode", exit_code ? boost::json::value(*exit_code) : boost::json::value(nullptr)},
      {"endedAt", ended_at ? boost::json::value(to_text(*ended_at)) : boost::json::value(nullptr)}});
}

}  // namespace

Envelope envelope_of(const ClaimedRun& claimed, const Definition& definition, std::string run_id) {
  const QueuedRun& row = claimed.row;
  const bool is_adhoc = row.uid == Uid{};
  return {.name_space = definition.key.name_space.text(),
          .schedule_id = is_adhoc ? std::string{} : definition.key.id.text(),
          .schedule_name = is_adhoc ? std::string{} : definition.name,
          .run_id = std::move(run_id),
          .run_name = is_adhoc ? row.trigger : run_name(definition.key.id, row.nominal, row.source, row.trigger),
          .nominal = row.nominal,
          .due = row.due,
          .attempt = row.run.attempt,
          .source = row.source,
          .repeat_number = row.repeat_number,
          .fence = claimed.fence,
          .last_result = claimed.last_result,
          .last_failure = failure_text(claimed.last_failure),
          .payload = payload_of(row, definition),
          .answers_of = row.source == Source::trigger ? std::string{answers_reused_by(row.trigger)} : std::string{}};
}

}  // namespace carillon
