#include "cli/commands/next_batch.hpp"

#include "calendar/spec.hpp"
#include "calendar/spec_document.hpp"
#include "calendar/timetable.hpp"
#include "cli/command_line/argument_values.hpp"
#include "cli/command_line/command_error.hpp"
#include "cli/commands/next_batch_request.hpp"
#include "cli/connection/session.hpp"
#include "cli/terminal/json_text.hpp"
#include "cli/terminal/line_reader.hpp"
#include "document/document.hpp"

#include <boost/json/monotonic_resource.hpp>
#include <fmt/format.h>

#include <iterator>

namespace carillon::cli {

namespace {

namespace json = boost::json;

constexpr std::size_t room_for_tree = 64 * 1024;
constexpr std::size_t output_block = 1024 * 1024;

void append_error(std::string& out, std::string_view code, std::string_view message,
                  std::optional<std::size_t> position) {
  out += R"({"error":{"code":)";
  append_json_text(out, code);
  out += R"(,"message":)";
  append_json_text(out, message);
  out += R"(,"position":)";
  if (position) {
    fmt::format_to(std::back_inserter(out), "{}", *position);
  } else {
    out += "null";
  }
  out += "}}\n";
}

Result<Spec> spec_of(const json::value& value, const std::string& default_timezone) {
  if (value.is_string()) {
    Spec spec;
    spec.crons.emplace_back(value.get_string());
    spec.timezone = default_timezone;
    return spec;
  }
  auto spec = read_spec(value, default_timezone, "/spec");
  if (!spec) return std::unexpected(to_error(spec.error()));
  return *std::move(spec);
}

std::optional<Instant> following(Instant instant, const BatchRequest& request, const Timetable& timetable) {
  if (request.is_backward) {
    const auto found = timetable.previous(instant);
    return found && request.until && *found < *request.until ? std::nullopt : found;
  }
  const auto found = timetable.next(instant);
  return found && request.until && *found >= *request.until ? std::nullopt : found;
}

/// An answer that stops at a limit nobody named would look complete, so it is an error instead.
bool is_cut(const BatchRequest& request, std::size_t length, Instant last, const Timetable& timetable) {
  return !request.has_count && length == batch_count_max && following(last, request, timetable).has_value();
}

Result<void> append_answer(std::string& out, const BatchRequest& request, const Timetable& timetable) {
  out += R"({"next":[)";
  std::size_t length = 0;
  Instant last = request.from;
  for (; length < request.count; ++length) {
    const auto nominal = following(last, request, timetable);
    if (!nominal) break;
    out += length == 0 ? "\"" : ",\"";
    append_text(out, *nominal);
    out += '"';
    last = *nominal;
  }
  out += "]}\n";
  if (!is_cut(request, length, last, timetable)) return {};
  Error error = usage_error(fmt::format("there are more than {} occurrences until then", batch_count_max),
                            "choose an earlier until, or give count");
  error.rule = "too-many";
  return std::unexpected(std::move(error));
}

}  // namespace

BatchAnswerer::BatchAnswerer(ZoneSource& zones, std::string default_timezone, Instant now)
    : zones_{zones}, default_timezone_{std::move(default_timezone)}, now_{now}, room_(room_for_tree) {}

void BatchAnswerer::answer(std::string_view line, std::string& out) {
  const std::size_t length = out.size();
  const auto done = try_answer(line, out);
  if (done) return;
  out.resize(length);
  append_error(out, stable_code(done.error()), done.error().message, done.error().position);
}

void BatchAnswerer::answer_too_long(std::string& out) {
  append_error(out, "line-too-long", fmt::format("the line is longer than {} bytes", batch_line_max), batch_line_max);
}

Result<void> BatchAnswerer::try_answer(std::string_view line, std::string& out) {
  json::monotonic_resource resource{room_.data(), room_.size()};
  const json::value tree = TRY(parse_json(line, &resource));
  const BatchRequest request = TRY(read_batch_request(tree, now_));
  const Spec spec = TRY(spec_of(*request.spec, default_timezone_));
  const Timetable timetable = TRY(Timetable::make(spec, TRY(zone(spec.timezone)), request.created_at));
  return append_answer(out, request, timetable);
}

Result<ZonePtr> BatchAnswerer::zone(const std::string& name) {
  if (last_zone_ == nullptr || last_zone_->name() != name) last_zone_ = TRY(zones_.zone(name));
  return last_zone_;
}

Result<ExitCode> batch_command(const Arguments& arguments, Session& session) {
  if (!arguments.targets.empty() || arguments.value("spec")) {
    return std::unexpected(usage_error("--batch reads its questions from standard input",
                                       "echo '{\"spec\": \"0 9 * * *\", \"count\": 3}' | carillon next --batch"));
  }
  const std::string timezone = arguments.value("tz").value_or("UTC");
  TRY(zone_value("--tz", timezone, session.zones));
  BatchAnswerer answerer{session.zones, timezone, session.now};
  LineReader lines{session.console, batch_line_max};
  std::string out;
  // Whoever waits for an answer before asking on gets it before more is read.
  const auto flush = [&] {
    session.console.write(out);
    out.clear();
  };
  while (session.console.output_state() == Console::OutputState::open) {
    const auto line = TRY(lines.next(flush));
    if (!line) break;
    if (line->is_too_long) {
      BatchAnswerer::answer_too_long(out);
    } else if (line->text.find_first_not_of(" \t") != std::string_view::npos) {
      answerer.answer(line->text, out);
    }
    if (out.size() >= output_block) flush();
  }
  flush();
  return ExitCode::ok;
}

}  // namespace carillon::cli
