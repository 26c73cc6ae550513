#include "cli/user_definitions/apply_definitions.hpp"

#include "cli/command_line/argument_values.hpp"
#include "cli/command_line/command_error.hpp"
#include "cli/connection/server_connection.hpp"
#include "cli/display/document_output.hpp"
#include "cli/display/schedule_display.hpp"
#include "cli/terminal/printable.hpp"
#include "cli/user_definitions/definition_change.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <set>

namespace carillon::cli {

namespace {

namespace json = boost::json;

constexpr std::size_t pruned_count_max = 100'000;
constexpr std::size_t named_count_max = 8;
constexpr std::array apply_formats{Format::table, Format::wide, Format::json, Format::jsonl, Format::yaml, Format::csv};

enum class Outcome { created, updated, unchanged, deleted, failed };

struct OutcomeStyle {
  std::string_view word;
  std::string_view planned_word;  // of a dry run
  Colour colour;
};

constexpr std::array<OutcomeStyle, 5> outcome_styles{{
    {.word = "created", .planned_word = "would be created", .colour = Colour::green},
    {.word = "updated", .planned_word = "would be updated", .colour = Colour::yellow},
    {.word = "unchanged", .planned_word = "unchanged", .colour = Colour::dim},
    {.word = "deleted", .planned_word = "would be deleted", .colour = Colour::red},
    {.word = "failed", .planned_word = "would fail", .colour = Colour::red},
}};

struct ApplyRow {
  Outcome outcome;
  std::string id;
  std::string name_space;
  std::string text;  // when it runs, or why it failed
};

/// What one apply does: planned from the first file to the last before anything is sent.
class Application {
 public:
  Application(Client& client, Session& session, bool is_dry_run)
      : client_{client}, session_{session}, is_dry_run_{is_dry_run} {}

  /// What the server thinks of all of it. What it refuses is told for each; nothing has been sent then.
  void plan(const std::vector<DefinedSchedule>& schedules) {
    auto changes = planned_changes(client_, schedules);
    for (std::size_t i = 0; i < schedules.size(); ++i) {
      const DefinedSchedule& schedule = schedules[i];
      if (changes[i])
        planned_.push_back({.schedule = &schedule, .change = *std::move(changes[i])});
      else
        note_failure(schedule.id, schedule.name_space, changes[i].error(), schedule.place);
    }
  }

  /// Those with the labels that no file has, in the namespaces the files speak of: others are somebody else's.
  Result<> plan_prune(const std::vector<std::string>& labels) {
    std::set<std::string> name_spaces;
    std::set<std::pair<std::string, std::string>> kept;
    for (const auto& [schedule, change] : planned_) {
      name_spaces.insert(change.name_space);
      kept.emplace(change.name_space, change.after.value.id);
    }
    for (const std::string& name_space : name_spaces) {
      Query query{{"namespace", name_space}};
      for (const std::string& label : labels) query.emplace_back("label", label);
      for (client::Schedule& schedule : TRY(client_.list_schedules(query, pruned_count_max)).items) {
        if (!kept.contains({name_space, schedule.id})) pruned_.push_back(std::move(schedule));
      }
    }
    return {};
  }

  [[nodiscard]] bool has_failed() const { return exit_code_ != ExitCode::ok; }
  [[nodiscard]] const std::vector<client::Schedule>& pruned() const { return pruned_; }
  [[nodiscard]] ExitCode exit_code() const { return exit_code_; }
  [[nodiscard]] const std::vector<ApplyRow>& rows() const { return rows_; }

  void perform() {
    const auto sent = is_dry_run_ ? std::vector<Result<>>(planned_.size()) : send_all(client_, planned_);
    for (std::size_t i = 0; i < planned_.size(); ++i) {
      const auto& [schedule, change] = planned_[i];
      if (!sent[i]) {
        note_failure(change.id, change.name_space, sent[i].error(), schedule->place);
        continue;
      }
      rows_.push_back({.outcome = static_cast<Outcome>(change.kind),
                       .id = change.id,
                       .name_space = change.name_space,
                       .text = when_text(change.after.value, session_)});
    }
    for (const client::Schedule& schedule : pruned_) remove(schedule);
  }

 private:
  void remove(const client::Schedule& schedule) {
    const std::string& id = schedule.id;
    const std::string& name_space = schedule.name_space;
    if (!is_dry_run_) {
      const auto removed = client_.remove_schedule(id, name_space);
      // Whoever deleted it first did what we wanted.
      if (!removed && removed.error().rule != "not_found") return note_failure(id, name_space, removed.error(), "");
    }
    rows_.push_back(
        {.outcome = Outcome::deleted, .id = id, .name_space = name_space, .text = when_text(schedule, session_)});
  }

  /// A conflict counts more than other failures: sending it again may help.
  void note_failure(const std::string& id, const std::string& name_space, const Error& error,
                    const std::string& place) {
    std::string text = error.message;
    for (const std::string& fault : error.context) text += "; " + fault;
    if (!place.empty()) text += fmt::format(" ({})", place);
    rows_.push_back({.outcome = Outcome::failed, .id = id, .name_space = name_space, .text = std::move(text)});
    const ExitCode code = exit_code_of(error);
    if (exit_code_ == ExitCode::ok || code == ExitCode::conflict) exit_code_ = code;
  }

  Client& client_;
  Session& session_;
  bool is_dry_run_;
  std::vector<PlannedSchedule> planned_;
  std::vector<client::Schedule> pruned_;
  std::vector<ApplyRow> rows_;
  ExitCode exit_code_ = ExitCode::ok;
};

std::string summary_of(const std::vector<ApplyRow>& rows, bool is_dry_run) {
  std::string text = fmt::format("{} schedule{}", rows.size(), rows.size() == 1 ? "" : "s");
  for (std::size_t i = 0; i < outcome_styles.size(); ++i) {
    const auto count = std::ranges::count(rows, static_cast<Outcome>(i), &ApplyRow::outcome);
    const OutcomeStyle& style = outcome_styles[i];
    if (count > 0) text += fmt::format(" · {} {}", count, is_dry_run ? style.planned_word : style.word);
  }
  return text + '\n';
}

Result<> print(const std::vector<ApplyRow>& rows, bool is_dry_run, const Arguments& arguments, Session& session) {
  json::array records;
  Table table;
  for (const ApplyRow& row : rows) {
    const OutcomeStyle& style = outcome_styles[static_cast<std::size_t>(row.outcome)];
    const bool is_failure = row.outcome == Outcome::failed;
    records.push_back(json::object{{"id", row.id},
                                   {"namespace", row.name_space},
                                   {"result", style.word},
                                   {"dryRun", is_dry_run},
                                   {"error", is_failure ? json::value(row.text) : json::value{}}});
    table.add({{.text = std::string{is_dry_run ? style.planned_word : style.word}, .colour = style.colour},
               {.text = printable(row.id)},
               {.text = printable(row.text), .colour = is_failure ? Colour::red : Colour::none}});
  }
  if (TRY(print_documents(arguments, session, records))) return {};
  session.print(table.text(session.paint, "", "  "));
  session.print(summary_of(rows, is_dry_run));
  return {};
}

std::string names_of(const std::vector<client::Schedule>& schedules) {
  std::vector<std::string> names;
  for (const client::Schedule& schedule : schedules) {
    if (names.size() < named_count_max) names.push_back(printable(schedule.id));
  }
  return fmt::format("{}{}", fmt::join(names, ", "), names.size() < schedules.size() ? ", …" : "");
}

Result<bool> may_prune(const Arguments& arguments, Session& session, const std::vector<client::Schedule>& pruned) {
  if (pruned.empty() || arguments.has("dry-run")) return true;
  return confirmed(arguments, session,
                   fmt::format("delete {} schedule{} found in no file ({})?", pruned.size(),
                               pruned.size() == 1 ? "" : "s", names_of(pruned)));
}

}  // namespace

Result<ExitCode> apply_definitions(const std::vector<DefinedSchedule>& schedules,
                                   const std::vector<std::string>& prune_labels, const Arguments& arguments,
                                   Session& session) {
  const bool is_dry_run = arguments.has("dry-run");
  TRY(output_format(arguments.value("output"), apply_formats));
  Client client = TRY(connect(arguments, session));
  // A server that is not there, or a token that may not, is one failure and not one for each schedule.
  TRY(client.get("/schedules", {{"limit", "1"}}));
  Application application{client, session, is_dry_run};
  application.plan(schedules);
  if (!application.has_failed() && !prune_labels.empty()) TRY(application.plan_prune(prune_labels));
  if (application.has_failed()) {
    TRY(print(application.rows(), is_dry_run, arguments, session));
    session.console.write_error("nothing was sent\n");
    return application.exit_code();
  }
  if (!TRY(may_prune(arguments, session, application.pruned()))) {
    session.console.write_error("nothing was sent\n");
    return ExitCode::failed;
  }
  application.perform();
  TRY(print(application.rows(), is_dry_run, arguments, session));
  return application.exit_code();
}

}  // namespace carillon::cli
