#include "executors/process/program.hpp"

#include "executors/process/variables.hpp"

namespace carillon {

std::optional<std::string_view> variable_of(const std::vector<std::string>& environment, std::string_view name) {
  for (const std::string_view entry : environment) {
    if (entry.size() > name.size() && entry.starts_with(name) && entry[name.size()] == '=')
      return entry.substr(name.size() + 1);
  }
  return std::nullopt;
}

LaunchTag launch_tag_of(const Program& program) {
  return {.run = std::string{variable_of(program.environment, run_id_variable).value_or("")},
          .attempt = std::string{variable_of(program.environment, attempt_variable).value_or("")}};
}

}  // namespace carillon
