#include "api/rest/event_stream.hpp"

#include "api/rest/documents.hpp"
#include "base/quoted.hpp"

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <fmt/format.h>

#include <charconv>
#include <limits>
#include <variant>

namespace carillon::rest {
namespace {

namespace json = boost::json;

json::object document_of(const RunEvent& event) {
  json::object document = run_document(event.run);
  // What it was at that moment, not what has become of it since.
  if (event.state) document["state"] = to_text(*event.state);
  return document;
}

json::object document_of(const ProgressEvent& event) { return progress_document(event); }

json::object document_of(const ScheduleEvent& event) {
  json::object document{{"id", event.key.id.text()},
                        {"namespace", event.key.name_space.text()},
                        {"status", nullptr},
                        {"revision", nullptr},
                        {"at", to_text(event.at)}};
  if (event.status) document["status"] = to_text(*event.status);
  if (event.revision) document["revision"] = *event.revision;
  if (event.change) document["change"] = to_text(*event.change);
  return document;
}

json::object document_of(const BackfillEvent& event) { return backfill_document(event.backfill); }
json::object document_of(ServerStatus status) { return {{"status", to_text(status)}}; }
json::object document_of(ResyncReason reason) { return {{"reason", to_text(reason)}}; }

// A position that is none of ours is as old as can be: what is missing is told by a resync.
std::int64_t position_in(std::string_view header) {
  std::int64_t position = 0;
  const auto [stop, error] = std::from_chars(header.data(), header.data() + header.size(), position);
  return error == std::errc{} && stop == header.data() + header.size() ? position : 0;
}

}  // namespace

std::string EventStreamFormat::text_of(const EventMessage& message) const {
  const json::object document = std::visit([](const auto& value) { return document_of(value); }, message.value);
  return fmt::format("id: {}\nevent: {}\ndata: {}\n\n", message.position, to_text(message.kind),
                     json::serialize(document));
}

Served<SubscriptionFilter> event_filter_in(Call& call) {
  SubscriptionFilter filter{.caller = call.caller};
  auto name_space = call.caller.namespace_to_list(call.parameters.text("namespace"));
  filter.schedule = call.parameters.text("schedule");
  for (const std::string& word : call.parameters.texts("topics")) {
    if (const auto topic = parse_event_topic(word))
      filter.topics.push_back(*topic);
    else
      call.parameters.fault("topics", fmt::format("unknown topic {}", quoted(word)),
                            "use any of run, occurrence, schedule, backfill, server");
  }
  filter.after = call.parameters.integer("lastEventId", 0, std::numeric_limits<std::int64_t>::max());
  if (const auto seen = call.request.headers.find("Last-Event-ID")) filter.after = position_in(*seen);
  TRY(call.parameters.finish());
  filter.name_space = TRY(std::move(name_space));
  return filter;
}

}  // namespace carillon::rest
