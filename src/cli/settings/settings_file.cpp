#include "cli/settings/settings_file.hpp"

#include "base/quoted.hpp"
#include "document/document.hpp"
#include "document/reader.hpp"
#include "files/private_file.hpp"

#include <fmt/format.h>

#include <utility>

namespace carillon::cli {

namespace {

namespace fs = std::filesystem;
namespace json = boost::json;

constexpr std::string_view machine_path = "/etc/carillon/config.yaml";
constexpr std::string_view project_name = ".carillon.yaml";
constexpr std::size_t settings_size_max = std::size_t{1} << 20;

/// A file that is being read: where its values stand, and what its relative paths mean.
struct Source {
  const fs::path& path;
  const Document& document;
  const Console& console;

  [[nodiscard]] std::string place(std::string_view pointer) const {
    const Position position = document.position(pointer);
    return position.line == 0 ? path.string() : fmt::format("{}:{}", path.string(), position.line);
  }
  [[nodiscard]] std::string whole_path(std::string_view text) const {
    if (text.starts_with("~/")) {
      if (const auto home = console.environment("HOME")) return (fs::path{*home} / text.substr(2)).string();
    }
    return (path.parent_path() / text).lexically_normal().string();
  }
};

std::optional<Setting> text_setting(ObjectReader& reader, std::string_view key, const Source& source) {
  const auto text = reader.text(key);
  if (!text) return std::nullopt;
  if (text->empty()) reader.problem(key, "empty-text", fmt::format("{} is empty", key), "leave the key out");
  return Setting{.value = std::string{*text}, .origin = source.place(reader.pointer(key))};
}

std::optional<Setting> path_setting(ObjectReader& reader, std::string_view key, const Source& source) {
  auto setting = text_setting(reader, key, source);
  if (setting) setting->value = source.whole_path(setting->value);
  return setting;
}

SettingsLayer read_layer(ObjectReader& reader, const Source& source) {
  SettingsLayer layer{.server = text_setting(reader, "server", source),
                      .token_file = path_setting(reader, "tokenFile", source),
                      .authority_file = path_setting(reader, "caFile", source),
                      .name_space = text_setting(reader, "namespace", source),
                      .timezone = text_setting(reader, "timezone", source)};
  if (layer.server) {
    auto url = server_url(layer.server->value);
    if (url)
      layer.server->value = *std::move(url);
    else
      reader.problem("server", url.error());
  }
  return layer;
}

std::map<std::string, SettingsLayer> read_contexts(ObjectReader& reader, const Source& source, Problems& problems) {
  std::map<std::string, SettingsLayer> contexts;
  const json::value* all = reader.member("contexts");
  if (all == nullptr) return contexts;
  if (!all->is_object()) {
    reader.problem("contexts", "wrong-type", "contexts is not an object", "contexts: {prod: {server: https://…}}");
    return contexts;
  }
  for (const auto& [name, value] : all->get_object()) {
    ObjectReader context{value, reader.pointer("contexts") + "/" + std::string{name}, problems};
    SettingsLayer layer = read_layer(context, source);
    layer.asks_before_writing = context.boolean("confirm").value_or(false);
    context.finish();
    contexts.emplace(name, std::move(layer));
  }
  return contexts;
}

/// Whoever wrote it: what the file may say is decided by where it stands. A FIFO is refused, not waited for.
Result<std::optional<std::string>> text_of(const fs::path& path) {
  const auto file = open_regular_file(path);
  if (!file && file.error().code == ErrorCode::not_found) return std::optional<std::string>{};
  if (!file) return std::unexpected(file.error());
  return std::optional{TRY(read_open_file(file->get(), path, settings_size_max))};
}

Error at_place(Error error, const std::string& place) {
  error.context.push_back("in " + place);
  return error;
}

Result<SettingsFile> parse(const SettingsPlace& place, const Console& console, std::string_view text) {
  auto document = parse_yaml(text);
  if (!document) {
    const auto offset = document.error().position;
    return std::unexpected(at_place(
        std::move(document).error(),
        offset ? fmt::format("{}:{}", place.path.string(), position_of(text, *offset).line) : place.path.string()));
  }
  SettingsFile file{.kind = place.kind, .path = place.path};
  if (document->root.is_null()) return file;
  const Source source{.path = place.path, .document = *document, .console = console};
  Problems problems;
  ObjectReader reader{document->root, "", problems};
  file.values = read_layer(reader, source);
  file.current_context = text_setting(reader, "currentContext", source);
  file.contexts = read_contexts(reader, source, problems);
  reader.finish();
  if (problems.empty()) return file;
  return std::unexpected(at_place(to_error(problems), source.place(problems.front().pointer)));
}

}  // namespace

Result<fs::path> user_settings_path(const Console& console) {
  const auto config = console.environment("XDG_CONFIG_HOME");
  if (config && config->starts_with('/')) return fs::path{*config} / "carillon" / "config.yaml";
  const auto home = console.environment("HOME");
  if (home && home->starts_with('/')) return fs::path{*home} / ".config" / "carillon" / "config.yaml";
  return fail(ErrorCode::not_found, "no folder for settings: HOME is not set");
}

std::vector<SettingsPlace> settings_places(const Console& console) {
  std::vector<SettingsPlace> places;
  std::error_code unknown;
  for (fs::path folder = fs::current_path(unknown); !unknown; folder = folder.parent_path()) {
    if (fs::exists(folder / project_name, unknown)) {
      places.push_back({.kind = SettingsFile::Kind::project, .path = folder / project_name});
      break;
    }
    if (!folder.has_relative_path()) break;
  }
  if (auto path = user_settings_path(console)) places.push_back({.kind = SettingsFile::Kind::user, .path = *path});
  places.push_back({.kind = SettingsFile::Kind::machine, .path = fs::path{machine_path}});
  return places;
}

Result<std::optional<SettingsFile>> read_settings_file(const SettingsPlace& place, const Console& console) {
  const auto text = TRY(text_of(place.path));
  if (!text) return std::optional<SettingsFile>{};
  return std::optional{TRY(parse(place, console, *text))};
}

Result<std::vector<SettingsFile>> read_settings_files(const Console& console) {
  std::vector<SettingsFile> files;
  for (const SettingsPlace& place : settings_places(console)) {
    if (auto file = TRY(read_settings_file(place, console))) files.push_back(*std::move(file));
  }
  return files;
}

}  // namespace carillon::cli
