#include "definitions/on_create.hpp"

#include "definitions/members.hpp"

#include <boost/json/array.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <fmt/format.h>

#include <utility>

namespace carillon {
namespace {

namespace json = boost::json;

Instant required_instant(ObjectReader& reader, std::string_view key) {
  const auto instant = reader.instant(key);
  if (!instant && reader.member(key) == nullptr)
    reader.problem(key, "missing", fmt::format("{} is missing", key), "2026-10-01T00:00:00Z");
  return instant.value_or(Instant{});
}

OnCreate::Pause read_first_pause(const json::value& value, std::string pointer, Problems& problems) {
  ObjectReader reader{value, std::move(pointer), problems};
  OnCreate::Pause pause{
      .reason = text_within(reader, "reason", {.length_max = pause_reason_length_max, .with_control_characters = true})
                    .value_or(""),
      .until = reader.instant("until")};
  reader.finish();
  return pause;
}

OnCreate::Trigger read_first_trigger(const json::value& value, std::string pointer, Problems& problems) {
  ObjectReader reader{value, std::move(pointer), problems};
  OnCreate::Trigger trigger;
  trigger.overlap = word_of<OverlapPolicy>(reader, "overlap").value_or(trigger.overlap);
  trigger.nominal = reader.instant("nominal");
  if (const auto payload = json_within(reader, "payload")) trigger.payload = json::serialize(*payload);
  reader.finish();
  return trigger;
}

json::object write_first_pause(const OnCreate::Pause& pause) {
  json::object out{{"reason", pause.reason}};
  if (pause.until) out["until"] = to_text(*pause.until);
  return out;
}

json::object write_first_trigger(const OnCreate::Trigger& trigger) {
  json::object out{{"overlap", to_text(trigger.overlap)}};
  if (trigger.nominal) out["nominal"] = to_text(*trigger.nominal);
  if (trigger.payload) out["payload"] = json::parse(*trigger.payload);
  return out;
}

json::object write_backfill_options(const BackfillOptions& options) {
  json::object out{{"from", to_text(options.from)},      {"to", to_text(options.to)},
                   {"order", to_text(options.order)},    {"reprocess", to_text(options.reprocess)},
                   {"concurrency", options.concurrency}, {"exclusive", options.is_exclusive}};
  if (options.overlap) out["overlap"] = to_text(*options.overlap);
  return out;
}

}  // namespace

BackfillOptions read_backfill_options(const json::value& document, std::string pointer, Problems& problems) {
  ObjectReader reader{document, std::move(pointer), problems};
  BackfillOptions options;
  options.from = required_instant(reader, "from");
  options.to = required_instant(reader, "to");
  options.order = word_of<BackfillOrder>(reader, "order").value_or(options.order);
  options.reprocess = word_of<Reprocess>(reader, "reprocess").value_or(options.reprocess);
  options.overlap = word_of<OverlapPolicy>(reader, "overlap");
  options.concurrency = reader.integer("concurrency").value_or(options.overlap ? backfill_concurrency_max : 1);
  if (options.concurrency < 1 || options.concurrency > backfill_concurrency_max)
    reader.problem("concurrency", "out-of-range", "concurrency is out of range", "write a whole number from 1 to 1000");
  options.is_exclusive = reader.boolean("exclusive").value_or(false);
  if (options.is_exclusive && options.overlap)
    reader.problem("exclusive", "conflict", "a backfill with an overlap policy uses the schedule's slot already",
                   "leave out exclusive or overlap");
  reader.finish();
  return options;
}

OnCreate read_on_create(const json::value& document, std::string pointer, Problems& problems) {
  OnCreate first;
  ObjectReader reader{document, std::move(pointer), problems};
  if (const json::value* pause = reader.member("pause"))
    first.pause = read_first_pause(*pause, reader.pointer("pause"), problems);
  if (const json::value* trigger = reader.member("trigger"))
    first.trigger = read_first_trigger(*trigger, reader.pointer("trigger"), problems);
  if (const json::array* backfills = list_within(reader, "backfills", first_backfills_max)) {
    const std::string list = reader.pointer("backfills");
    for (std::size_t i = 0; i < backfills->size(); ++i)
      first.backfills.push_back(read_backfill_options((*backfills)[i], element_pointer(list, i), problems));
  }
  reader.finish();
  return first;
}

json::object write_on_create(const OnCreate& first) {
  json::object out;
  if (first.pause) out["pause"] = write_first_pause(*first.pause);
  if (first.trigger) out["trigger"] = write_first_trigger(*first.trigger);
  if (first.backfills.empty()) return out;
  json::array backfills;
  for (const BackfillOptions& options : first.backfills) backfills.push_back(write_backfill_options(options));
  out["backfills"] = std::move(backfills);
  return out;
}

}  // namespace carillon
