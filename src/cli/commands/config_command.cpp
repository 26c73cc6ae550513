#include "base/quoted.hpp"
#include "cli/command_line/argument_values.hpp"
#include "cli/command_line/command_error.hpp"
#include "cli/command_line/flag_sets.hpp"
#include "cli/command_line/verbs.hpp"
#include "cli/connection/session.hpp"
#include "cli/display/record_output.hpp"
#include "cli/settings/settings.hpp"
#include "cli/settings/settings_file.hpp"
#include "cli/terminal/printable.hpp"
#include "cli/terminal/table.hpp"
#include "document/document.hpp"
#include "document/reader.hpp"

#include <boost/json/object.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>

namespace carillon::cli {

namespace {

namespace fs = std::filesystem;
namespace json = boost::json;

constexpr std::array config_formats{Format::table, Format::json, Format::yaml};

/// In the order in which they are shown; `token` is none of a file.
constexpr std::array<std::string_view, 6> file_keys{"server",    "tokenFile", "caFile",
                                                    "namespace", "timezone",  "currentContext"};

struct Shown {
  std::string_view key;
  std::optional<Setting> setting;
  std::string_view otherwise;  // what holds if it is not set
};

std::vector<Shown> all_of(const Settings& settings) {
  std::optional<Setting> token = settings.token;
  if (token) token->value = "********";
  return {{.key = "server", .setting = settings.server, .otherwise = "the one on this machine"},
          {.key = "token", .setting = std::move(token), .otherwise = ""},
          {.key = "tokenFile", .setting = settings.token_file, .otherwise = ""},
          {.key = "caFile", .setting = settings.authority_file, .otherwise = ""},
          {.key = "namespace", .setting = settings.name_space, .otherwise = "that of the token"},
          {.key = "timezone", .setting = settings.timezone, .otherwise = "local"},
          {.key = "currentContext", .setting = settings.context, .otherwise = ""}};
}

json::object document_of(const std::vector<Shown>& all) {
  json::object document;
  for (const Shown& shown : all) {
    if (shown.setting)
      document.emplace(shown.key, json::object{{"value", shown.setting->value}, {"origin", shown.setting->origin}});
    else
      document.emplace(shown.key, nullptr);
  }
  return document;
}

Result<ExitCode> config_show_command(const Arguments& arguments, Session& session) {
  const Format format = TRY(output_format(arguments.value("output"), config_formats));
  const std::vector<Shown> all = all_of(TRY(load_settings(arguments, session.console)));
  if (format == Format::json || format == Format::yaml) {
    const json::object document = document_of(all);
    session.console.write(format == Format::json ? pretty_json(document) : to_yaml(document));
    return ExitCode::ok;
  }
  Table table;
  for (const Shown& shown : all) {
    if (!shown.setting && shown.otherwise.empty()) continue;
    const std::string origin = shown.setting ? shown.setting->origin : "default";
    table.add({{.text = std::string{shown.key}},
               {.text = shown.setting ? printable(shown.setting->value) : std::string{shown.otherwise},
                .colour = shown.setting ? Colour::none : Colour::dim},
               {.text = arguments.has("origin") ? printable(origin) : "", .colour = Colour::dim}});
  }
  session.print(table.text(session.paint, "", "  "));
  return ExitCode::ok;
}

Result<std::string_view> known_key(const Arguments& arguments, std::size_t word_count, std::string_view example) {
  if (arguments.targets.size() != word_count)
    return std::unexpected(
        usage_error(word_count == 2 ? "a key and a value are needed" : "one key is needed", std::string{example}));
  const std::string& word = arguments.targets.front();
  const auto found = std::ranges::find(file_keys, word);
  if (found != file_keys.end()) return *found;
  const std::string_view nearest = nearest_word(word, file_keys);
  return std::unexpected(usage_error(fmt::format("unknown setting {}", carillon::quoted(word)),
                                     nearest.empty() ? fmt::format("one of: {}", fmt::join(file_keys, ", "))
                                                     : fmt::format("did you mean {}?", nearest)));
}

/// The user's file, or with --project the one of this folder or above.
Result<SettingsPlace> chosen_place(const Arguments& arguments, const Console& console) {
  if (!arguments.has("project"))
    return SettingsPlace{.kind = SettingsFile::Kind::user, .path = TRY(user_settings_path(console))};
  for (const SettingsPlace& place : settings_places(console)) {
    if (place.kind == SettingsFile::Kind::project) return place;
  }
  std::error_code unknown;
  return SettingsPlace{.kind = SettingsFile::Kind::project, .path = fs::current_path(unknown) / ".carillon.yaml"};
}

/// The value as it is to stand in the file.
Result<std::string> value_for(std::string_view key, const std::string& text, Session& session) {
  if (text.empty())
    return std::unexpected(
        usage_error(fmt::format("{} cannot be empty", key), fmt::format("carillon config unset {}", key)));
  if (key == "server") return server_url(text);
  if (key == "timezone" && text != "utc" && text != "local" && text != "schedule")
    TRY(zone_value("timezone", text, session.zones));
  // What is relative on a command line is relative to where we stand, not to the file of settings.
  if ((key == "tokenFile" || key == "caFile") && !text.starts_with("~/")) {
    std::error_code unknown;
    return fs::absolute(text, unknown).lexically_normal().string();
  }
  return text;
}

Result<ExitCode> config_get_command(const Arguments& arguments, Session& session) {
  const std::string_view key = TRY(known_key(arguments, 1, "carillon config get server"));
  const std::vector<Shown> all = all_of(TRY(load_settings(arguments, session.console)));
  const auto found = std::ranges::find(all, key, &Shown::key);
  if (found == all.end() || !found->setting) {
    auto error = fail(ErrorCode::not_found, "{} is not set", key);
    error.error().hint = fmt::format("carillon config set {} VALUE", key);
    return error;
  }
  session.console.write(printable(found->setting->value) + '\n');
  return ExitCode::ok;
}

Result<ExitCode> config_set_command(const Arguments& arguments, Session& session) {
  const std::string_view key = TRY(known_key(arguments, 2, "carillon config set timezone Europe/Berlin"));
  const std::string value = TRY(value_for(key, arguments.targets[1], session));
  const SettingsPlace place = TRY(chosen_place(arguments, session.console));
  TRY(change_settings_file(place, session.console, [&](json::object& settings) { settings[key] = value; }));
  session.console.write_error(fmt::format("{}: {} in {}\n", key, printable(value), printable(place.path.string())));
  return ExitCode::ok;
}

Result<ExitCode> config_unset_command(const Arguments& arguments, Session& session) {
  const std::string_view key = TRY(known_key(arguments, 1, "carillon config unset timezone"));
  const SettingsPlace place = TRY(chosen_place(arguments, session.console));
  TRY(change_settings_file(place, session.console, [&](json::object& settings) { settings.erase(key); }));
  session.console.write_error(fmt::format("{} is not set in {}\n", key, printable(place.path.string())));
  return ExitCode::ok;
}

Result<ExitCode> config_path_command(const Arguments& arguments, Session& session) {
  if (!arguments.has("all")) {
    session.console.write(TRY(chosen_place(arguments, session.console)).path.string() + '\n');
    return ExitCode::ok;
  }
  std::error_code unknown;
  for (const SettingsPlace& place : settings_places(session.console)) {
    session.console.write(
        fmt::format("{}{}\n", place.path.string(), fs::exists(place.path, unknown) ? "" : "  (not there)"));
  }
  return ExitCode::ok;
}

FlagSpecs project_flag() {
  return {{.names = "--project", .form = {}, .text = "use this folder's .carillon.yaml instead of your own file"}};
}

}  // namespace

const Verb config_show_verb{
    .name = "config show",
    .targets = "",
    .summary =
        "Shows the settings in force: server, token file, namespace, time zone. --origin adds where each comes from.",
    .examples = {"carillon config show", "carillon config show --origin", "carillon config show -o json"},
    .group = VerbGroup::yourself,
    .flags =
        [] {
          return joined({{{.names = "--origin",
                           .form = {},
                           .text = "also show the flag, variable or file line each value comes from"}},
                         output_flags("text|json|yaml"),
                         server_flags()});
        },
    .perform = config_show_command,
};

const Verb config_get_verb{
    .name = "config get",
    .targets = "KEY",
    .summary = "Prints one setting.",
    .examples = {"carillon config get server", "carillon config get timezone", "carillon config get currentContext"},
    .group = VerbGroup::yourself,
    .flags = server_flags,
    .perform = config_get_command,
};

const Verb config_set_verb{
    .name = "config set",
    .targets = "KEY VALUE",
    .summary = "Saves a setting in your settings file: server, tokenFile, caFile, namespace, timezone, currentContext.",
    .examples = {"carillon config set server https://bell.example:7070", "carillon config set timezone utc",
                 "carillon config set --project namespace billing"},
    .group = VerbGroup::yourself,
    .flags = project_flag,
    .perform = config_set_command,
};

const Verb config_unset_verb{
    .name = "config unset",
    .targets = "KEY",
    .summary = "Removes a setting from your settings file.",
    .examples = {"carillon config unset server", "carillon config unset --project namespace",
                 "carillon config unset timezone"},
    .group = VerbGroup::yourself,
    .flags = project_flag,
    .perform = config_unset_command,
};

const Verb config_path_verb{
    .name = "config path",
    .targets = "",
    .summary = "Prints the path of your settings file, or with --all of every settings file that is read.",
    .examples = {"$EDITOR \"$(carillon config path)\"", "carillon config path --all", "carillon config path --project"},
    .group = VerbGroup::yourself,
    .flags =
        [] {
          return joined(
              {{{.names = "--all", .form = {}, .text = "every file, highest precedence first"}}, project_flag()});
        },
    .perform = config_path_command,
};

}  // namespace carillon::cli
