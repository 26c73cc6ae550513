#include "base/quoted.hpp"
#include "cli/command_line/command_error.hpp"
#include "cli/command_line/flag_sets.hpp"
#include "cli/command_line/verbs.hpp"
#include "cli/connection/schedule_requests.hpp"
#include "cli/connection/server_connection.hpp"
#include "cli/display/document_output.hpp"
#include "cli/terminal/printable.hpp"

#include <boost/json/object.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

namespace carillon::cli {

namespace {

namespace json = boost::json;

constexpr std::size_t label_count_max = 10'000;  // what a batch takes
constexpr std::size_t shown_count_max = 8;

/// Ids by their namespace; an empty one is that of the command line.
using IdsByNamespace = std::map<std::string, std::vector<std::string>>;

Result<IdsByNamespace> named_ones(Client& client, const std::vector<std::string>& words) {
  IdsByNamespace selected;
  for (const std::string& word : words) {
    std::string id = TRY(find_schedule_id(client, word));
    auto& ids = selected[""];
    if (std::ranges::find(ids, id) == ids.end()) ids.push_back(std::move(id));
  }
  return selected;
}

/// Those that have the labels now: what is counted is what is deleted, whatever comes in between.
Result<IdsByNamespace> labelled_ones(Client& client, const std::vector<std::string>& labels) {
  Query query;
  for (const std::string& label : labels) query.emplace_back("label", label);
  const auto found = TRY(client.list_schedules(query, label_count_max));
  IdsByNamespace selected;
  for (const client::Schedule& schedule : found.items) selected[schedule.name_space].push_back(schedule.id);
  if (!selected.empty()) return selected;
  return std::unexpected(Error{.code = ErrorCode::not_found,
                               .message = fmt::format("no schedule has the label {}", fmt::join(labels, " and ")),
                               .hint = "find labelled schedules: carillon list -l KEY=VALUE",
                               .rule = "not_found",
                               .position = {},
                               .context = {}});
}

std::vector<std::string> all_ids(const IdsByNamespace& selected) {
  std::vector<std::string> ids;
  for (const auto& [name_space, some] : selected) ids.insert(ids.end(), some.begin(), some.end());
  return ids;
}

/// `delete 12 schedules: a, b, …`.
std::string question_about(const std::vector<std::string>& ids) {
  const std::size_t shown = std::min(ids.size(), shown_count_max);
  const auto end = ids.begin() + static_cast<std::ptrdiff_t>(shown);
  return printable(fmt::format("delete {} schedule{}: {}{}", ids.size(), ids.size() == 1 ? "" : "s",
                               fmt::join(ids.begin(), end, ", "), shown < ids.size() ? ", …" : ""),
                   2'000);
}

/// True when all of them were.
Result<bool> delete_all(Client& client, const IdsByNamespace& selected, Session& session) {
  bool is_complete = true;
  for (const auto& [name_space, ids] : selected) {
    json::array list;
    for (const std::string& id : ids) list.emplace_back(id);
    const json::object body{{"operation", "delete"}, {"ids", std::move(list)}};
    for (const client::BatchResult& result : TRY(client.batch(name_space, body)).value.results) {
      const std::string id = printable(result.id);
      if (result.is_done) {
        session.print(fmt::format("{}  deleted\n", id));
      } else {
        is_complete = false;
        session.console.write_error(fmt::format("{}: {}\n", id, printable(result.message)));
      }
    }
  }
  return is_complete;
}

Result<ExitCode> delete_command(const Arguments& arguments, Session& session) {
  const auto& labels = arguments.values("label");
  if (arguments.targets.empty() == labels.empty())
    return std::unexpected(
        usage_error(labels.empty() ? "nothing to delete was given" : "give names or labels, not both",
                    "carillon delete nightly, carillon delete --label team=data"));
  Client client = TRY(connect(arguments, session));
  const IdsByNamespace selected =
      labels.empty() ? TRY(named_ones(client, arguments.targets)) : TRY(labelled_ones(client, labels));
  const auto ids = all_ids(selected);
  if (arguments.has("dry-run")) {
    for (const std::string& id : ids) session.print(fmt::format("{}  would be deleted\n", printable(id)));
    return ExitCode::ok;
  }
  if (!TRY(confirmed(arguments, session, question_about(ids)))) {
    session.console.write_error("nothing was deleted\n");
    return ExitCode::failed;
  }
  return TRY(delete_all(client, selected, session)) ? ExitCode::ok : ExitCode::failed;
}

}  // namespace

const Verb delete_verb{
    .name = "delete",
    .targets = "SCHEDULE…",
    .summary = "Deletes schedules, after confirmation. Their history and logs are kept for the usual time.",
    .examples = {"carillon delete nightly", "carillon delete nightly hourly --yes",
                 "carillon delete --label team=data --dry-run"},
    .group = VerbGroup::schedules,
    .flags =
        [] {
          return joined({{{.names = "-l,--label",
                           .form = "KEY=VALUE",
                           .text = "all schedules with this label; repeatable",
                           .may_repeat = true}},
                         dry_run_flag(),
                         asking_flags(),
                         server_flags()});
        },
    .perform = delete_command,
    .completes = Completes::schedules,
};

}  // namespace carillon::cli
