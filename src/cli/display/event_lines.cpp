#include "cli/display/event_lines.hpp"

#include "cli/terminal/printable.hpp"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <fmt/format.h>

namespace carillon::cli {

namespace {

/// `{"event": "run.finished", "id": "33", "data": {…}}` on one line.
std::string line_of(const ServerEvent& event) {
  boost::system::error_code unreadable;
  boost::json::value data = boost::json::parse(event.data, unreadable);
  if (unreadable) data = event.data;
  return printable_json(boost::json::serialize(
             boost::json::object{{"event", event.name}, {"id", event.id}, {"data", std::move(data)}})) +
         '\n';
}

}  // namespace

Result<ExitCode> print_events(Client& client, EventFilter filter, std::optional<std::size_t> count_max,
                              Session& session) {
  PollBackoff backoff;
  TRY(follow_events(
      client, std::move(filter),
      [&](const ServerEvent& event) {
        session.console.write(line_of(event));
        if (count_max) --*count_max;
        return count_max != std::size_t{0} && session.console.output_state() == Console::OutputState::open;
      },
      [&](const Error& error) { session.console.write_error(fmt::format("{}; retrying\n", printable(error.message))); },
      backoff));
  return ExitCode::ok;
}

}  // namespace carillon::cli
