#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace carillon {

/// Whom a program runs as.
struct Identity {
  std::string name;
  uid_t user = 0;
  gid_t group = 0;
  std::vector<gid_t> groups;
};

struct ResourceLimit {
  int resource = 0;  // RLIMIT_…
  std::uint64_t value = 0;
};

/// A program with all that it is given: nothing is looked up any more when it is started.
struct Program {
  std::vector<std::string> argv;  // the first is a path, or a name to be found by its own PATH
  std::vector<std::string> environment;
  std::string folder;
  std::optional<Identity> identity;  // none = as the launcher
  std::vector<ResourceLimit> limits;
};

/// The value of a variable; none if it is not there.
[[nodiscard]] std::optional<std::string_view> variable_of(const std::vector<std::string>& environment,
                                                          std::string_view name);

/// What tells an attempt's processes from all others of the machine, as they carry it in their environment.
struct LaunchTag {
  std::string run;
  std::string attempt;
  friend auto operator<=>(const LaunchTag&, const LaunchTag&) = default;
};
[[nodiscard]] LaunchTag launch_tag_of(const Program& program);

}  // namespace carillon
