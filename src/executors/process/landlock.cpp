#include "executors/process/landlock.hpp"

#include "executors/process/system_calls.hpp"

#include <sys/syscall.h>
#include <unistd.h>

namespace carillon::landlock {
namespace {

// The same on all architectures.
constexpr long create_ruleset_number = 444;
constexpr long add_rule_number = 445;
constexpr long restrict_self_number = 446;

constexpr std::uint32_t ask_version = 1;
constexpr int path_beneath = 1;

struct RulesetAttributes {
  std::uint64_t handled_files;
  std::uint64_t handled_net;  // version 4
  std::uint64_t scoped;       // version 6
};
struct [[gnu::packed]] PathBeneath {
  std::uint64_t allowed;
  std::int32_t place;
};

/// Kernels refuse what is longer than they know, unless the rest is zero; the oldest know 8 bytes.
std::size_t size_for(std::uint64_t scoped) { return scoped != 0 ? sizeof(RulesetAttributes) : sizeof(std::uint64_t); }

}  // namespace

int version() {
  const long known = ::syscall(create_ruleset_number, nullptr, 0, ask_version);
  return known > 0 ? static_cast<int>(known) : 0;
}

Result<FileDescriptor> make_ruleset(std::uint64_t handled_files, std::uint64_t scoped) {
  const RulesetAttributes attributes{.handled_files = handled_files, .handled_net = 0, .scoped = scoped};
  // Closed at exec by itself.
  FileDescriptor ruleset{static_cast<int>(::syscall(create_ruleset_number, &attributes, size_for(scoped), 0))};
  if (!ruleset.is_open()) return std::unexpected(system_error("cannot make a Landlock ruleset"));
  return ruleset;
}

Result<> allow(const FileDescriptor& ruleset, int place, std::uint64_t rights) {
  const PathBeneath rule{.allowed = rights, .place = place};
  if (::syscall(add_rule_number, ruleset.get(), path_beneath, &rule, 0) != 0)
    return std::unexpected(system_error("cannot add a Landlock rule"));
  return {};
}

bool restrict_self(int ruleset) { return ::syscall(restrict_self_number, ruleset, 0) == 0; }

}  // namespace carillon::landlock
