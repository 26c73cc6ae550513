#include "cli/pipelines/overrides.hpp"

#include "base/quoted.hpp"
#include "cli/command_line/argument_values.hpp"
#include "cli/command_line/command_error.hpp"

#include <fmt/format.h>

namespace carillon::cli {

namespace {

constexpr std::size_t item_limit_max = 1'000'000'000;

}  // namespace

Result<pipeline::Overrides> pipeline_overrides(const Arguments& arguments) {
  pipeline::Overrides overrides;
  for (const std::string& text : arguments.values("param")) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0)
      return std::unexpected(
          usage_error(fmt::format("--param: {} is not NAME=VALUE", carillon::quoted(text)), "--param region=EU"));
    overrides.parameters.push_back(
        {.name = text.substr(0, equals), .value = boost::json::string{text.substr(equals + 1)}});
  }
  if (const auto limit = arguments.value("limit"))
    overrides.limit = static_cast<std::int64_t>(TRY(count_value("--limit", *limit, item_limit_max)));
  return overrides;
}

}  // namespace carillon::cli
