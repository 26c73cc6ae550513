#pragma once

#include "base/error.hpp"
#include "cli/settings/settings.hpp"
#include "cli/terminal/console.hpp"

#include <boost/json/object.hpp>

#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace carillon::cli {

/// What a file says, or one context in it.
struct SettingsLayer {
  std::optional<Setting> server{};
  std::optional<Setting> token{};       // never of a file
  std::optional<Setting> token_file{};  // a whole path: what is relative is relative to the file
  std::optional<Setting> authority_file{};
  std::optional<Setting> name_space{};
  std::optional<Setting> timezone{};
  bool asks_before_writing = false;
};

struct SettingsFile {
  enum class Kind { project, user, machine };
  Kind kind = Kind::user;
  std::filesystem::path path{};
  SettingsLayer values{};
  std::optional<Setting> current_context{};
  std::map<std::string, SettingsLayer> contexts{};
};

/// A place where a file may be; nothing needs to be there.
struct SettingsPlace {
  SettingsFile::Kind kind;
  std::filesystem::path path;
};

/// The strongest first. The project's is the nearest `.carillon.yaml` from this folder upwards, left out if there is
/// none; the user's is left out without a home.
[[nodiscard]] std::vector<SettingsPlace> settings_places(const Console& console);

/// Where the user's file is, or an error if there is no home.
[[nodiscard]] Result<std::filesystem::path> user_settings_path(const Console& console);

/// Nothing if there is no file. An unknown key is an error with its line and the nearest known one.
[[nodiscard]] Result<std::optional<SettingsFile>> read_settings_file(const SettingsPlace& place,
                                                                     const Console& console);
/// All that are there, the strongest first.
[[nodiscard]] Result<std::vector<SettingsFile>> read_settings_files(const Console& console);

/// Changes members at the top of a file, which is made if there is none. Lines of other members stay as they are,
/// comments included; the file is replaced in one step. Nothing is written if the outcome would not be readable.
[[nodiscard]] Result<> change_settings_file(const SettingsPlace& place, const Console& console,
                                            const std::function<void(boost::json::object&)>& change);

}  // namespace carillon::cli
