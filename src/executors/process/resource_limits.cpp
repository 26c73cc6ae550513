#include "executors/process/resource_limits.hpp"

#include "base/quoted.hpp"

#include <sys/resource.h>

#include <algorithm>
#include <array>

namespace carillon {
namespace {

struct NamedLimit {
  std::string_view name;
  int resource;
};

constexpr std::array<NamedLimit, 10> named_limits{{
    {"as", RLIMIT_AS},
    {"core", RLIMIT_CORE},
    {"cpu", RLIMIT_CPU},
    {"data", RLIMIT_DATA},
    {"fsize", RLIMIT_FSIZE},
    {"memlock", RLIMIT_MEMLOCK},
    {"nofile", RLIMIT_NOFILE},
    {"nproc", RLIMIT_NPROC},
    {"rss", RLIMIT_RSS},
    {"stack", RLIMIT_STACK},
}};

}  // namespace

Result<std::vector<ResourceLimit>> resource_limits(const std::map<std::string, std::int64_t, std::less<>>& limits) {
  std::vector<ResourceLimit> result;
  result.reserve(limits.size());
  for (const auto& [name, value] : limits) {
    const auto* const found = std::ranges::find(named_limits, std::string_view{name}, &NamedLimit::name);
    if (found == named_limits.end() || value < 0)
      return fail(ErrorCode::invalid_argument, "there is no limit {} of {}", carillon::quoted(name), value);
    result.push_back({.resource = found->resource, .value = static_cast<std::uint64_t>(value)});
  }
  return result;
}

std::string_view name_of_limit(int resource) {
  const auto* const found = std::ranges::find(named_limits, resource, &NamedLimit::resource);
  return found == named_limits.end() ? "?" : found->name;
}

}  // namespace carillon
