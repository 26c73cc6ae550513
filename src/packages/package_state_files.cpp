#include "packages/package_state_files.hpp"

#include "files/beneath.hpp"
#include "files/private_file.hpp"
#include "files/private_folder.hpp"
#include "packages/folder_scope.hpp"

#include <fmt/format.h>

#include <chrono>
#include <system_error>

namespace carillon::packages {
namespace {

namespace fs = std::filesystem;

/// How many files that cannot be understood are kept beside each other.
constexpr int set_aside_count_max = 100;

}  // namespace

fs::path PackageStateFiles::file_of(const std::string& package) const {
  return watched_ / joined_path(package, state_file_name);
}

Result<std::optional<PackageState>> PackageStateFiles::read(const std::string& package) const {
  const FileDescriptor top = TRY(open_folder(watched_));
  const auto text = read_file_beneath(top.get(), joined_path(package, state_file_name), state_file_size_max);
  if (!text && text.error().code == ErrorCode::not_found) return std::optional<PackageState>{};
  if (!text && text.error().code == ErrorCode::unavailable) return std::unexpected(text.error());
  if (!text) return fail(ErrorCode::corrupt, "{}", text.error().message);
  auto state = read_package_state(*text);
  if (!state) return fail(ErrorCode::corrupt, "{}", state.error().message);
  return std::optional{*std::move(state)};
}

std::optional<Instant> PackageStateFiles::written_at(const std::string& package) const {
  std::error_code unknown;
  const fs::file_time_type time = fs::last_write_time(file_of(package), unknown);
  if (unknown) return std::nullopt;
  return std::chrono::floor<Duration>(std::chrono::file_clock::to_sys(time));
}

Result<std::string> PackageStateFiles::set_aside(const std::string& package) const {
  for (int i = 1; i <= set_aside_count_max; ++i) {
    const std::string name = fmt::format("{}.unreadable{}", state_file_name, i == 1 ? "" : fmt::format("-{}", i));
    const fs::path target = watched_ / joined_path(package, name);
    std::error_code error;
    if (fs::exists(fs::symlink_status(target, error))) continue;
    fs::rename(file_of(package), target, error);
    if (!error) return name;
    return fail(ErrorCode::unavailable, "cannot rename {}: {}", file_of(package).string(), error.message());
  }
  return fail(ErrorCode::unavailable, "there are {} files {}.unreadable already", set_aside_count_max, state_file_name);
}

Result<> PackageStateFiles::write(const std::string& package, const PackageState& state) const {
  const std::string text = write_package_state(state);
  const FileDescriptor top = TRY(open_folder(watched_));
  const auto folder = open_folder_beneath(top.get(), package);
  if (!folder && folder.error().code == ErrorCode::not_found) return {};
  if (!folder) return std::unexpected(folder.error());
  const auto before = read_file_beneath(top.get(), joined_path(package, state_file_name), state_file_size_max);
  if (before && *before == text) return {};
  return replace_file(file_of(package), text);
}

Result<> PackageStateFiles::keep_earlier(const PackageState& state) const {
  const fs::path folder = TRY(make_private_folder(earlier_));
  return write_private_file(folder / (state.schedule_id + ".json"), write_package_state(state));
}

std::optional<PackageState> PackageStateFiles::earlier(const std::string& schedule_id) const {
  const auto text = read_private_file(earlier_ / (schedule_id + ".json"), {.size_max = state_file_size_max});
  if (!text || !*text) return std::nullopt;
  auto state = read_package_state(**text);
  return state ? std::optional{*std::move(state)} : std::nullopt;
}

}  // namespace carillon::packages
