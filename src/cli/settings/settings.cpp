#include "cli/settings/settings.hpp"

#include "base/quoted.hpp"
#include "cli/command_line/command_error.hpp"
#include "cli/settings/settings_file.hpp"
#include "document/reader.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <string_view>
#include <vector>

namespace carillon::cli {

namespace {

namespace fs = std::filesystem;

std::optional<Setting> from_flag(const Arguments& arguments, std::string_view flag) {
  if (!arguments.knows(flag) || !arguments.has(flag)) return std::nullopt;
  return Setting{.value = *arguments.value(flag), .origin = "--" + std::string{flag}};
}

std::optional<Setting> from_environment(const Console& console, const std::string& name) {
  const auto value = console.environment(name);
  if (!value || value->empty()) return std::nullopt;
  return Setting{.value = *value, .origin = name};
}

/// One source of settings among others, the strongest first.
struct Layer {
  SettingsLayer values{};
  bool is_of_project = false;
  bool is_of_file = false;  // only there does a server bind the token beside it
};

struct Picked {
  std::optional<Setting> setting{};
  bool is_of_project = false;
};

Picked first_of(const std::vector<Layer>& layers, std::optional<Setting> SettingsLayer::* member) {
  for (const Layer& layer : layers) {
    if (layer.values.*member) return {.setting = layer.values.*member, .is_of_project = layer.is_of_project};
  }
  return {};
}

/// Those that may prove to this server who somebody is: what stands in a file beside a server is for that server.
std::vector<Layer> layers_for(const std::optional<Setting>& server, const std::vector<Layer>& layers) {
  std::vector<Layer> fitting;
  for (const Layer& layer : layers) {
    const bool is_bound = layer.is_of_file && layer.values.server;
    if (!is_bound || (server && server->value == layer.values.server->value)) fitting.push_back(layer);
  }
  return fitting;
}

/// The token or the token file of the first layer that has one.
void pick_token(Settings& settings, const std::vector<Layer>& layers) {
  for (const Layer& layer : layers) {
    if (!layer.values.token && !layer.values.token_file) continue;
    settings.token = layer.values.token;
    if (!settings.token) settings.token_file = layer.values.token_file;
    settings.is_token_of_project = layer.is_of_project;
    return;
  }
}

Layer flag_layer(const Arguments& arguments) {
  return {.values = {.server = from_flag(arguments, "server"),
                     .token_file = from_flag(arguments, "token-file"),
                     .name_space = from_flag(arguments, "namespace"),
                     .timezone = from_flag(arguments, "display-tz")}};
}

Layer environment_layer(const Console& console) {
  return {.values = {.server = from_environment(console, "CARILLON_SERVER"),
                     .token = from_environment(console, "CARILLON_TOKEN"),
                     .token_file = from_environment(console, "CARILLON_TOKEN_FILE"),
                     .authority_file = from_environment(console, "CARILLON_CA_FILE"),
                     .name_space = from_environment(console, "CARILLON_NAMESPACE"),
                     .timezone = from_environment(console, "CARILLON_TZ")}};
}

std::optional<Setting> chosen_context(const Arguments& arguments, const Console& console,
                                      const std::vector<SettingsFile>& files) {
  if (auto flag = from_flag(arguments, "context")) return flag;
  if (auto variable = from_environment(console, "CARILLON_CONTEXT")) return variable;
  for (const SettingsFile& file : files) {
    if (file.current_context) return file.current_context;
  }
  return std::nullopt;
}

Result<Layer> context_layer(const Setting& context, const std::vector<SettingsFile>& files) {
  std::vector<std::string_view> names;
  for (const SettingsFile& file : files) {
    const auto found = file.contexts.find(context.value);
    if (found != file.contexts.end())
      return Layer{
          .values = found->second, .is_of_project = file.kind == SettingsFile::Kind::project, .is_of_file = true};
    for (const auto& [name, values] : file.contexts) names.push_back(name);
  }
  const std::string_view nearest = nearest_word(context.value, names);
  return std::unexpected(Error{.code = ErrorCode::not_found,
                               .message = fmt::format("context {} not found", carillon::quoted(context.value)),
                               .hint = !nearest.empty()
                                           ? fmt::format("did you mean {}?", nearest)
                                           : fmt::format("carillon context add {} --server URL", context.value),
                               .rule = "not_found",
                               .position = {},
                               .context = {"named by " + context.origin}});
}

/// A project is often somebody else's: its file must not make us read, and send, any file it likes.
Result<> check_token_of_project(const Setting& token_file) {
  std::error_code unknown;
  const fs::path file = token_file.origin.substr(0, token_file.origin.rfind(':'));
  const fs::path folder = fs::weakly_canonical(file.parent_path(), unknown);
  const fs::path token = fs::weakly_canonical(token_file.value, unknown);
  if (!token.lexically_relative(folder).string().starts_with("..")) return {};
  return std::unexpected(
      Error{.code = ErrorCode::invalid_argument,
            .message = fmt::format("a project's settings file may only name a token file in its own folder, not {}",
                                   carillon::quoted(token_file.value)),
            .hint = "carillon context add NAME --server URL --token-file FILE",
            .rule = "foreign-token-file",
            .position = {},
            .context = {"in " + token_file.origin}});
}

}  // namespace

Result<Settings> load_settings(const Arguments& arguments, const Console& console) {
  const std::vector<SettingsFile> files = TRY(read_settings_files(console));
  Settings settings;
  settings.context = chosen_context(arguments, console, files);
  std::vector<Layer> layers{flag_layer(arguments), environment_layer(console)};
  bool asks = false;
  if (settings.context) {
    Layer context = TRY(context_layer(*settings.context, files));
    asks = context.values.asks_before_writing;
    layers.insert(settings.context->origin == "--context" ? layers.begin() + 1 : layers.end(), std::move(context));
  }
  for (const SettingsFile& file : files)
    layers.push_back(
        {.values = file.values, .is_of_project = file.kind == SettingsFile::Kind::project, .is_of_file = true});

  Picked server = first_of(layers, &SettingsLayer::server);
  if (server.setting) server.setting->value = TRY(server_url(server.setting->value));
  settings.server = server.setting;
  settings.is_server_of_project = server.is_of_project;
  const std::vector<Layer> fitting = layers_for(settings.server, layers);
  pick_token(settings, fitting);
  if (settings.is_token_of_project) TRY(check_token_of_project(*settings.token_file));
  settings.authority_file = first_of(fitting, &SettingsLayer::authority_file).setting;
  settings.name_space = first_of(layers, &SettingsLayer::name_space).setting;
  settings.timezone = first_of(layers, &SettingsLayer::timezone).setting;
  // A question is about the server of the context; whoever names another one has said so.
  settings.asks_before_writing =
      asks &&
      (!settings.server || (settings.server->origin != "--server" && settings.server->origin != "CARILLON_SERVER"));
  return settings;
}

Result<> check_token_may_go(const Settings& settings) {
  const Setting* token = settings.token ? &*settings.token : settings.token_file ? &*settings.token_file : nullptr;
  if (!settings.is_server_of_project || token == nullptr) return {};
  if (settings.is_token_of_project || token->origin == "--token-file") return {};
  return std::unexpected(
      Error{.code = ErrorCode::invalid_argument,
            .message = fmt::format("the token of {} is not sent to {}, which only a project's settings file names",
                                   token->origin, settings.server->value),
            .hint = fmt::format("if you trust it: --server {}, or carillon context add", settings.server->value),
            .rule = "untrusted-server",
            .position = {},
            .context = {"in " + settings.server->origin}});
}

Result<std::string> server_url(std::string_view given) {
  std::string text{given};
  if (!text.contains("://")) text = "http://" + text;
  while (text.ends_with('/')) text.pop_back();
  const std::string_view rest = std::string_view{text}.substr(std::min(text.size(), text.find("://") + 3));
  if ((text.starts_with("http://") || text.starts_with("https://")) && !rest.empty()) return text;
  return std::unexpected(usage_error(fmt::format("{} is not a server address", carillon::quoted(given)),
                                     "--server http://127.0.0.1:7070"));
}

std::string local_zone_name(const Console& console) {
  if (const auto name = console.environment("TZ"); name && !name->empty())
    return name->starts_with(':') ? name->substr(1) : *name;
  std::error_code unknown;
  const std::string target = fs::read_symlink("/etc/localtime", unknown).string();
  constexpr std::string_view folder = "zoneinfo/";
  const std::size_t place = target.rfind(folder);
  if (unknown || place == std::string::npos) return "UTC";
  return target.substr(place + folder.size());
}

}  // namespace carillon::cli
