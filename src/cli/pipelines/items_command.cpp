#include "base/quoted.hpp"
#include "cli/command_line/argument_values.hpp"
#include "cli/command_line/command_error.hpp"
#include "cli/command_line/flag_sets.hpp"
#include "cli/command_line/verbs.hpp"
#include "cli/connection/run_lookup.hpp"
#include "cli/connection/server_connection.hpp"
#include "cli/display/document_output.hpp"
#include "cli/display/item_display.hpp"
#include "cli/terminal/formatting.hpp"
#include "cli/terminal/printable.hpp"

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <fmt/format.h>

#include <algorithm>

namespace carillon::cli {

namespace {

namespace json = boost::json;

constexpr std::string_view no_value = "–";
constexpr std::size_t answer_column = 5;
constexpr std::size_t input_column = 4;

std::string text_of_value(const json::value& value) {
  return value.is_string() ? std::string{value.get_string()} : json::serialize(value);
}

/// `title=Crash on start, reporter=ann`
std::string fields_text(const json::value& fields) {
  const json::object* members = fields.if_object();
  if (members == nullptr) return text_of_value(fields);
  std::string text;
  for (const auto& [name, value] : *members)
    text += fmt::format("{}{}={}", text.empty() ? "" : ", ", std::string_view{name}, text_of_value(value));
  return text;
}

std::string answer_text(const client::Item& item) {
  if (!item.error.empty()) return item.error;
  return item.raw_text.empty() ? fields_text(item.output) : item.raw_text;
}

std::string tokens_text(const client::Item& item) {
  if (!item.usage || (!item.usage->input_tokens && !item.usage->output_tokens)) return std::string{no_value};
  return fmt::format("{}+{}", item.usage->input_tokens.value_or(0), item.usage->output_tokens.value_or(0));
}

std::string item_cost(const client::Item& item) {
  const std::string text = item.usage ? cost_text(item.usage->cost) : std::string{};
  return text.empty() ? std::string{no_value} : text;
}

std::string table_of(const std::vector<client::Item>& items, Session& session) {
  Table table;
  std::vector<Cell> heading;
  for (const std::string_view title : {"ITEM", "STATE", "TOKENS", "COST", "INPUT", "ANSWER"})
    heading.push_back({.text = std::string{title}, .colour = Colour::bold});
  table.add(std::move(heading));
  for (const client::Item& item : items)
    table.add({{.text = fmt::format("{}", item.index + 1), .align = Align::right},
               state_words(item.state),
               {.text = tokens_text(item)},
               {.text = item_cost(item)},
               {.text = printable(fields_text(item.input))},
               {.text = printable(answer_text(item))}});
  // For people alone: what is piped on is never cut.
  if (const auto width = width_max(session.console)) {
    table.narrow(answer_column, std::max<std::size_t>(*width, 60), session.paint, "  ");
    table.narrow(input_column, std::max<std::size_t>(*width, 60), session.paint, "  ");
  }
  return table.text(session.paint, "", "  ");
}

Result<ExitCode> pipeline_items_command(const Arguments& arguments, Session& session) {
  const std::string word = TRY(one_target(arguments, "a run", "carillon pipeline items r-7f3a91"));
  const std::size_t limit = TRY(limit_of(arguments, session));
  Client client = TRY(connect(arguments, session));
  const auto run = TRY(find_run(client, word));
  const auto found = TRY(client.list_items(run.value, {{"state", arguments.has("failed") ? "failed" : ""}}, limit));
  note_left_out(arguments, session, {.what = "items", .shown = found.items.size(), .has_more = found.has_more});
  if (TRY(print_documents(arguments, session, found.documents))) return ExitCode::ok;
  if (found.items.empty()) {
    session.console.write_error(arguments.has("failed") ? "no item has failed\n" : "no item has a result yet\n");
    return ExitCode::ok;
  }
  session.print(table_of(found.items, session));
  const std::string progress = item_progress_text(run.value, session.paint, Bar::none);
  if (!progress.empty()) session.print(progress + '\n');
  if (run.value.items_failed.value_or(0) > 0 && client::has_ended(run.value))
    session.print(
        fmt::format("ask only for those again: carillon run retry --failed-items {}\n", printable(run.value.id)));
  return ExitCode::ok;
}

}  // namespace

const Verb pipeline_items_verb{
    .name = "pipeline items",
    .targets = "RUN",
    .summary = "Lists the items of a pipeline's run with their answers, tokens and cost; also while it runs.",
    .examples = {"carillon pipeline items r-7f3a91", "carillon pipeline items r-7f3a91 --failed",
                 "carillon pipeline items r-7f3a91 -o json"},
    .group = VerbGroup::runs,
    .flags =
        [] {
          return joined({{{.names = "--failed", .form = {}, .text = "only items that have failed"}},
                         list_flags(),
                         output_flags(list_formats),
                         fields_flag("JSON with only these fields, comma-separated: index, state, input, output, "
                                     "rawText, error, usage"),
                         server_flags()});
        },
    .perform = pipeline_items_command,
    .completes = Completes::runs,
};

}  // namespace carillon::cli
