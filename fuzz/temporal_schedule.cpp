// A schedule as a client of Temporal sends it, in any bytes: it becomes a document that can be read, or is refused with
// words. A spec that was compiled is compiled to itself, and what was kept is described again.
#include "api/temporal/payloads.hpp"
#include "api/temporal/schedule_translation.hpp"
#include "api/temporal/spec_translation.hpp"
#include "base/assertion.hpp"
#include "base/utf8.hpp"
#include "document/document.hpp"

#include <cstddef>
#include <cstdint>
#include <string>

namespace {

using namespace carillon;
using namespace carillon::temporal;

const Settings& fuzz_settings() {
  static const Settings settings = [] {
    const auto document = parse_json(
        R"({"searchAttributes": {"Team": "Keyword"}, "workflows": {"*": {"job": {}}, "C": {"command": {"argv": ["x"]}}}})");
    return read_settings(*document).value();
  }();
  return settings;
}

void check_translation(const schedule_pb::Schedule& schedule) {
  const auto made = translate({.schedule = schedule}, fuzz_settings(), "default", nullptr);
  CARILLON_ASSERT(made || !made.error().message.empty());
  if (!made) return;
  boost::json::object document = made->document;
  document["id"] = "x";
  const auto read = read_schedule(document);
  CARILLON_ASSERT(read.has_value());
  const auto described = described_schedule(*read, Instant{});
  const auto again = compile_spec(described.spec());
  CARILLON_ASSERT(again && again->SerializeAsString() == described.spec().SerializeAsString());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  silence_message_library();
  schedule_pb::Schedule schedule;
  if (schedule.ParseFromArray(data, static_cast<int>(size))) check_translation(schedule);
  // And as the texts of a spec, which changes of a message seldom reach.
  schedule_pb::Schedule texts;
  const std::string text{reinterpret_cast<const char*>(data), size};
  if (find_malformed_utf8(text)) return 0;
  texts.mutable_spec()->add_cron_string(text);
  texts.mutable_spec()->add_calendar()->set_day_of_week(text);
  auto& workflow = *texts.mutable_action()->mutable_start_workflow();
  workflow.mutable_workflow_type()->set_name("C");
  workflow.mutable_task_queue()->set_name("q");
  check_translation(texts);
  texts.mutable_spec()->clear_calendar();
  check_translation(texts);
  return 0;
}
