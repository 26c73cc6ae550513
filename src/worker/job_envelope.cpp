#include "worker/job_envelope.hpp"

#include "definitions/words.hpp"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include <string>

namespace carillon {
namespace {

namespace json = boost::json;

std::string envelope_text(const json::object& members, std::string_view key) {
  const json::value* member = members.if_contains(key);
  return member != nullptr && member->is_string() ? std::string{member->get_string()} : std::string{};
}

std::int64_t envelope_number(const json::object& members, std::string_view key) {
  const json::value* member = members.if_contains(key);
  return member != nullptr && member->is_int64() ? member->get_int64() : 0;
}

Instant envelope_time(const json::object& members, std::string_view key) {
  return parse_instant(envelope_text(members, key)).value_or(Instant{});
}

}  // namespace

Envelope read_envelope(std::string_view text) {
  Envelope envelope{};
  boost::system::error_code error;
  const json::value document = json::parse(text, error);
  if (error || !document.is_object()) return envelope;
  const json::object& members = document.get_object();
  envelope.schedule_id = envelope_text(members, "scheduleId");
  envelope.schedule_name = envelope_text(members, "scheduleName");
  envelope.run_id = envelope_text(members, "runId");
  envelope.run_name = envelope_text(members, "runName");
  envelope.nominal = envelope_time(members, "nominalTime");
  envelope.due = envelope_time(members, "dueTime");
  envelope.attempt = envelope_number(members, "attempt");
  envelope.source = parse_word<Source>(envelope_text(members, "source")).value_or(Source::adhoc);
  envelope.repeat_number = envelope_number(members, "repeatNumber");
  envelope.fence = envelope_number(members, "fence");
  if (const json::value* result = members.if_contains("lastResult"); result != nullptr && !result->is_null())
    envelope.last_result = json::serialize(*result);
  if (const json::value* payload = members.if_contains("payload")) envelope.payload = json::serialize(*payload);
  return envelope;
}

}  // namespace carillon
