#pragma once

#include "base/error.hpp"
#include "base/instant.hpp"
#include "cli/commands/machine_facts.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace carillon::cli {

/// What `doctor` found out about one thing, and the command that repairs it.
struct Diagnosis {
  enum class Level { ok, warning, error };
  std::string_view check;  // stable: `clock`, `store`, `port`
  Level level = Level::ok;
  std::string message{};
  std::string fix{};
};

[[nodiscard]] std::string_view level_name(Diagnosis::Level level);

// Each decides by its arguments alone, so that faults nobody can make on purpose are tested too.

[[nodiscard]] Diagnosis clock_diagnosis(const std::optional<ClockFacts>& facts);
/// A server's clock beside ours.
[[nodiscard]] Diagnosis distance_diagnosis(Instant ours, Instant servers);
/// A clock that shows less than what was already written down goes wrong, or went wrong then.
[[nodiscard]] std::optional<Diagnosis> backwards_diagnosis(Instant now, const std::optional<Instant>& newest);
[[nodiscard]] Diagnosis zones_diagnosis(std::string_view version, std::size_t name_count);
[[nodiscard]] Diagnosis disk_diagnosis(const DiskFacts& facts, const std::string& folder);
/// `is_ours`: whoever listens there is the server that this is about.
[[nodiscard]] Diagnosis port_diagnosis(std::uint16_t port, const std::optional<PortHolder>& holder, bool is_ours);
[[nodiscard]] Diagnosis version_diagnosis(std::string_view ours, std::string_view servers);
/// A folder of data: whether a server could work there.
[[nodiscard]] Diagnosis folder_diagnosis(const std::filesystem::path& folder);
/// One that a running server has lost: what is there now is not what it opened.
[[nodiscard]] Diagnosis lost_folder_diagnosis(const std::filesystem::path& folder, pid_t server);
/// A file that holds a secret.
[[nodiscard]] Diagnosis secret_diagnosis(const std::filesystem::path& file);

/// `1.2 GB`.
[[nodiscard]] std::string size_text(std::uintmax_t bytes);

}  // namespace carillon::cli
