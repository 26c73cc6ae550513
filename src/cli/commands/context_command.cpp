#include "base/quoted.hpp"
#include "cli/command_line/command_error.hpp"
#include "cli/command_line/flag_sets.hpp"
#include "cli/command_line/verbs.hpp"
#include "cli/connection/server_connection.hpp"
#include "cli/connection/session.hpp"
#include "cli/display/document_output.hpp"
#include "cli/settings/settings.hpp"
#include "cli/settings/settings_file.hpp"
#include "cli/terminal/printable.hpp"
#include "cli/terminal/table.hpp"
#include "document/reader.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

namespace carillon::cli {

namespace {

namespace json = boost::json;

json::value or_null(const std::optional<Setting>& setting) {
  return setting ? json::value(setting->value) : json::value{};
}

json::object document_of(const std::string& name, const SettingsLayer& context, bool is_current,
                         const std::string& file) {
  return {{"name", name},
          {"current", is_current},
          {"server", or_null(context.server)},
          {"tokenFile", or_null(context.token_file)},
          {"caFile", or_null(context.authority_file)},
          {"namespace", or_null(context.name_space)},
          {"timezone", or_null(context.timezone)},
          {"confirm", context.asks_before_writing},
          {"file", file}};
}

/// A context of the files, as it is shown.
struct NamedContext {
  std::string name;
  SettingsLayer values;
  bool is_current = false;
  std::string file;

  [[nodiscard]] json::object document() const { return document_of(name, values, is_current, file); }
};

/// Every context, of each name the strongest; the chosen one may not exist.
struct Contexts {
  std::map<std::string, NamedContext> by_name;
  std::optional<Setting> current;
};

Result<Contexts> all_contexts(const Console& console) {
  const std::vector<SettingsFile> files = TRY(read_settings_files(console));
  Contexts all;
  if (const auto named = console.environment("CARILLON_CONTEXT"); named && !named->empty())
    all.current = Setting{.value = *named, .origin = "CARILLON_CONTEXT"};
  for (const SettingsFile& file : files) {
    if (!all.current) all.current = file.current_context;
  }
  for (const SettingsFile& file : files) {
    for (const auto& [name, context] : file.contexts)
      all.by_name.try_emplace(name, NamedContext{.name = name,
                                                 .values = context,
                                                 .is_current = all.current && all.current->value == name,
                                                 .file = file.path});
  }
  return all;
}

std::unexpected<Error> no_context(const std::string& name, const Contexts& all) {
  std::vector<std::string_view> names;
  for (const auto& [each, context] : all.by_name) names.push_back(each);
  const std::string_view nearest = nearest_word(name, names);
  auto error = fail(ErrorCode::not_found, "context {} not found", carillon::quoted(name));
  error.error().hint = nearest.empty() ? fmt::format("carillon context add {} --server URL", name)
                                       : fmt::format("did you mean {}?", nearest);
  return error;
}

const NamedContext* found_in(const Contexts& all, const std::string& name) {
  const auto found = all.by_name.find(name);
  return found == all.by_name.end() ? nullptr : &found->second;
}

/// The text of a setting; empty when it is not set.
std::string text_of(const std::optional<Setting>& setting) { return setting ? setting->value : std::string{}; }

Result<SettingsPlace> user_place(const Console& console) {
  return SettingsPlace{.kind = SettingsFile::Kind::user, .path = TRY(user_settings_path(console))};
}

Result<ExitCode> context_list_command(const Arguments& arguments, Session& session) {
  const Contexts all = TRY(all_contexts(session.console));
  json::array documents;
  for (const auto& [name, context] : all.by_name) documents.push_back(context.document());
  if (TRY(print_documents(arguments, session, documents, "name"))) return ExitCode::ok;
  if (all.by_name.empty()) {
    session.console.write_error("no contexts; add one: carillon context add prod --server https://bell.example:7070\n");
    return ExitCode::ok;
  }
  Table table;
  table.add({{.text = ""},
             {.text = "NAME", .colour = Colour::bold},
             {.text = "SERVER", .colour = Colour::bold},
             {.text = "NAMESPACE", .colour = Colour::bold},
             {.text = "WRITES", .colour = Colour::bold}});
  for (const auto& [name, context] : all.by_name) {
    const bool asks = context.values.asks_before_writing;
    table.add({{.text = context.is_current ? "●" : ""},
               {.text = printable(name), .colour = asks ? Colour::red : Colour::none},
               {.text = printable(text_of(context.values.server))},
               {.text = printable(text_of(context.values.name_space))},
               {.text = asks ? "asks" : ""}});
  }
  session.print(table.text(session.paint, "", "  "));
  return ExitCode::ok;
}

Result<ExitCode> context_show_command(const Arguments& arguments, Session& session) {
  const Contexts all = TRY(all_contexts(session.console));
  if (arguments.targets.empty() && !all.current) {
    session.console.write_error("no context is in use; choose one: carillon context use NAME\n");
    return ExitCode::ok;
  }
  const std::string name = arguments.targets.empty() ? all.current->value : arguments.targets.front();
  const NamedContext* found = found_in(all, name);
  if (found == nullptr) return no_context(name, all);
  const json::object document = found->document();
  if (TRY(print_document(arguments, session, document))) return ExitCode::ok;
  Table table;
  for (const auto& [key, value] : document) {
    if (value.is_null()) continue;
    table.add(
        {{.text = key}, {.text = value.is_bool() ? (value.get_bool() ? "yes" : "no") : printable(value.get_string())}});
  }
  session.print(table.text(session.paint, "", "  "));
  return ExitCode::ok;
}

Result<ExitCode> context_use_command(const Arguments& arguments, Session& session) {
  const std::string name = TRY(one_target(arguments, "a context", "carillon context use prod"));
  const Contexts all = TRY(all_contexts(session.console));
  const NamedContext* found = found_in(all, name);
  if (found == nullptr) return no_context(name, all);
  const SettingsPlace place = TRY(user_place(session.console));
  TRY(change_settings_file(place, session.console, [&](json::object& file) { file["currentContext"] = name; }));
  const Paint paint = Paint::of(session.console, Stream::error, ColourChoice::automatic);
  const bool asks = found->values.asks_before_writing;
  session.console.write_error(fmt::format("now using {}{}\n", paint(asks ? Colour::red : Colour::bold, printable(name)),
                                          asks ? "; changes need confirmation" : ""));
  const Contexts now = TRY(all_contexts(session.console));
  if (now.current && now.current->value != name)
    session.console.write_error(
        fmt::format("but {} selects {} here\n", printable(now.current->origin), printable(now.current->value)));
  return ExitCode::ok;
}

Result<json::object> new_context(const Arguments& arguments) {
  if (!arguments.value("server"))
    return std::unexpected(
        usage_error("no server given for the context", "carillon context add prod --server https://bell.example:7070"));
  json::object context{{"server", TRY(server_url(*arguments.value("server")))}};
  std::error_code unknown;
  for (const auto& [flag, key] : {std::pair{"token-file", "tokenFile"}, std::pair{"ca-file", "caFile"}}) {
    if (const auto file = arguments.value(flag))
      context[key] = std::filesystem::absolute(*file, unknown).lexically_normal().string();
  }
  if (const auto name_space = arguments.value("namespace")) context["namespace"] = *name_space;
  if (arguments.has("confirm")) context["confirm"] = true;
  return context;
}

Result<ExitCode> context_add_command(const Arguments& arguments, Session& session) {
  const std::string name = TRY(one_target(arguments, "a context", "carillon context add prod --server URL"));
  const json::object context = TRY(new_context(arguments));
  const SettingsPlace place = TRY(user_place(session.console));
  const auto file = TRY(read_settings_file(place, session.console));
  if (file && file->contexts.contains(name)) {
    auto error = fail(ErrorCode::conflict, "context {} already exists", carillon::quoted(name));
    error.error().hint = fmt::format("remove it first: carillon context remove {}", name);
    return error;
  }
  TRY(change_settings_file(place, session.console, [&](json::object& settings) {
    json::value& contexts = settings["contexts"];
    if (!contexts.is_object()) contexts.emplace_object();
    contexts.get_object()[name] = context;
  }));
  session.console.write_error(
      fmt::format("context {} added; use it: carillon context use {}\n", printable(name), printable(name)));
  return ExitCode::ok;
}

Result<ExitCode> context_remove_command(const Arguments& arguments, Session& session) {
  const std::string name = TRY(one_target(arguments, "a context", "carillon context remove prod"));
  const SettingsPlace place = TRY(user_place(session.console));
  const auto file = TRY(read_settings_file(place, session.console));
  if (!file || !file->contexts.contains(name)) return no_context(name, TRY(all_contexts(session.console)));
  TRY(change_settings_file(place, session.console, [&](json::object& settings) {
    json::object& contexts = settings["contexts"].get_object();
    contexts.erase(name);
    if (contexts.empty()) settings.erase("contexts");
    // One that is gone would make every command fail.
    if (file->current_context && file->current_context->value == name) settings.erase("currentContext");
  }));
  session.console.write_error(fmt::format("context {} removed\n", printable(name)));
  return ExitCode::ok;
}

}  // namespace

const Verb context_list_verb{
    .name = "context list",
    .targets = "",
    .summary = "Lists contexts: servers you have named.",
    .examples = {"carillon context list", "carillon context list -q", "carillon context list -o json"},
    .group = VerbGroup::yourself,
    .flags =
        [] {
          return joined(
              {{{.names = "-q,--quiet", .form = {}, .text = "print names only"}}, output_flags(list_formats)});
        },
    .perform = context_list_command,
};

const Verb context_show_verb{
    .name = "context show",
    .targets = "[NAME]",
    .summary = "Shows the context in use, or the one named.",
    .examples = {"carillon context show", "carillon context show prod", "carillon context show -o json"},
    .group = VerbGroup::yourself,
    .flags = [] { return output_flags(document_formats); },
    .perform = context_show_command,
};

const Verb context_use_verb{
    .name = "context use",
    .targets = "NAME",
    .summary = "Chooses the context that commands use from now on.",
    .examples = {"carillon context use prod", "carillon list --context prod", "CARILLON_CONTEXT=prod carillon list"},
    .group = VerbGroup::yourself,
    .perform = context_use_command,
};

const Verb context_add_verb{
    .name = "context add",
    .targets = "NAME --server URL",
    .summary = "Adds a context: a named server with its token, its namespace and whether changes need confirmation.",
    .examples = {"carillon context add prod --server https://bell.example:7070 --token-file prod.token --confirm",
                 "carillon context add test --server 127.0.0.1:7071",
                 "carillon context add billing --server https://bell.example:7070 --namespace billing"},
    .group = VerbGroup::yourself,
    .flags =
        [] {
          return FlagSpecs{{.names = "--server", .form = "URL", .text = "address of the server"},
                           {.names = "--token-file", .form = "FILE", .text = "file with the token"},
                           {.names = "--ca-file", .form = "FILE", .text = "CA certificate of the server, PEM"},
                           {.names = "--namespace", .form = "NAME", .text = "namespace of schedules and queues"},
                           {.names = "--confirm", .form = {}, .text = "ask for confirmation before every change"}};
        },
    .perform = context_add_command,
};

const Verb context_remove_verb{
    .name = "context remove",
    .targets = "NAME",
    .summary = "Removes a context. The server itself is not affected.",
    .examples = {"carillon context remove test", "carillon context remove prod", "carillon context list"},
    .group = VerbGroup::yourself,
    .perform = context_remove_command,
};

}  // namespace carillon::cli
