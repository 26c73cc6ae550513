#include "scheduling/envelope.hpp"

#include "base/instant.hpp"
#include "definitions/words.hpp"
#include "document/document.hpp"

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include <string_view>

namespace carillon {
namespace {

namespace json = boost::json;

json::value text_or_null(const std::string& text) { return text.empty() ? json::value{} : json::value(text); }

std::string json_or_null(const std::string& text) { return text.empty() ? "null" : text; }

Result<> check_json(std::string_view what, std::string_view text) {
  if (const auto parsed = parse_json(text); !parsed)
    return fail(ErrorCode::corrupt, "{} is not JSON: {}", what, parsed.error().message);
  return {};
}

json::object plain_members(const Envelope& envelope) {
  return {{"scheduleId", text_or_null(envelope.schedule_id)},
          {"scheduleName", text_or_null(envelope.schedule_name)},
          {"runId", envelope.run_id},
          {"runName", envelope.run_name},
          {"nominalTime", to_text(envelope.nominal)},
          {"dueTime", to_text(envelope.due)},
          {"attempt", envelope.attempt},
          {"source", to_text(envelope.source)},
          {"repeatNumber", envelope.repeat_number},
          {"fence", envelope.fence}};
}

}  // namespace

Result<std::string> to_json(const Envelope& envelope) {
  const std::string payload = json_or_null(envelope.payload);
  const std::string last_result = json_or_null(envelope.last_result.value_or(""));
  const std::string last_failure = json_or_null(envelope.last_failure.value_or(""));
  TRY(check_json("the payload", payload));
  TRY(check_json("the last result", last_result));
  // Put in as text: reading and writing them again would round large numbers.
  std::string out = json::serialize(plain_members(envelope));
  out.pop_back();
  out.append(R"(,"lastResult":)").append(last_result).append(R"(,"lastFailure":)").append(last_failure);
  out.append(R"(,"payload":)").append(payload).append("}");
  return out;
}

TextMap template_values(const Envelope& envelope) {
  return {{"scheduleId", envelope.schedule_id},
          {"scheduleName", envelope.schedule_name},
          {"runId", envelope.run_id},
          {"runName", envelope.run_name},
          {"nominalTime", to_text(envelope.nominal)},
          {"dueTime", to_text(envelope.due)},
          {"attempt", std::to_string(envelope.attempt)},
          {"source", std::string{to_text(envelope.source)}},
          {"repeatNumber", std::to_string(envelope.repeat_number)},
          {"fence", std::to_string(envelope.fence)},
          {"lastResult", json_or_null(envelope.last_result.value_or(""))},
          {"lastFailure", json_or_null(envelope.last_failure.value_or(""))},
          {"payload", json_or_null(envelope.payload)}};
}

}  // namespace carillon
