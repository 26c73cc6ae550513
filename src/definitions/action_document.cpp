#include "definitions/action_document.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <utility>
#include <vector>

namespace carillon {
namespace {

namespace json = boost::json;

constexpr std::string_view example =
    "write command: {argv: […]}, http: {url: …}, job: {type: …}, pipeline: {path: …} or workflow: {type: …, taskQueue: "
    "…}";

using ReadAction = Action (*)(const json::value& document, std::string pointer, Problems& problems);

struct ActionReader {
  std::string_view key;
  ReadAction read;
};

constexpr std::array<ActionReader, 5> readers{
    {{"command",
      [](const json::value& d, std::string p, Problems& f) -> Action { return read_command(d, std::move(p), f); }},
     {"http", [](const json::value& d, std::string p, Problems& f) -> Action { return read_http(d, std::move(p), f); }},
     {"job", [](const json::value& d, std::string p, Problems& f) -> Action { return read_job(d, std::move(p), f); }},
     {"pipeline",
      [](const json::value& d, std::string p, Problems& f) -> Action { return read_pipeline(d, std::move(p), f); }},
     {"workflow",
      [](const json::value& d, std::string p, Problems& f) -> Action { return read_workflow(d, std::move(p), f); }}}};

void note(Problems& problems, const std::string& pointer, std::string_view code, std::string message) {
  problems.push_back(
      {.pointer = pointer, .code = code, .message = std::move(message), .hint = std::string{example}, .position = {}});
}

}  // namespace

std::optional<Action> read_action(const json::value& document, std::string pointer, Problems& problems) {
  std::optional<Action> action;
  std::vector<std::string_view> found;
  const std::size_t problems_before = problems.size();
  ObjectReader reader{document, pointer, problems};
  for (const ActionReader& kind : readers) {
    const json::value* member = reader.member(kind.key);
    if (member == nullptr) continue;
    found.push_back(kind.key);
    action = kind.read(*member, reader.pointer(kind.key), problems);
  }
  reader.finish();
  // A misspelled key is told already; that there is no action would only repeat it.
  if (found.empty() && problems.size() == problems_before) note(problems, pointer, "missing", "the action is empty");
  if (found.size() > 1)
    note(problems, pointer, "too-many", fmt::format("a schedule has one action, not {}", fmt::join(found, " and ")));
  return action;
}

json::object write_action(const Action& action) {
  json::object members;
  members[kind_of(action)] = std::visit([](const auto& kind) { return write(kind); }, action);
  return members;
}

}  // namespace carillon
