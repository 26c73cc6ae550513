#include "executors/process/variables.hpp"

#include "base/instant.hpp"
#include "base/quoted.hpp"

#include <fmt/format.h>

#include <array>
#include <cstdlib>
#include <utility>

namespace carillon {
namespace {

constexpr std::array<const char*, 10> inherited_names{"PATH", "HOME",   "USER", "LOGNAME",  "SHELL",
                                                      "LANG", "LC_ALL", "TZ",   "LC_CTYPE", "TMPDIR"};
constexpr std::string_view path_default = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

bool fits(std::string_view name, std::string_view value) {
  return name.size() + 1 + value.size() <= variable_length_max;
}

void put_envelope(TextMap& variables, const Envelope& envelope) {
  const auto put = [&](std::string_view name, std::string value) {
    variables.insert_or_assign(std::string{name}, std::move(value));
  };
  // Half a JSON text would be worse than none.
  const auto put_if_it_fits = [&](std::string_view name, const std::string& value) {
    variables.erase(std::string{name});
    if (fits(name, value)) put(name, value);
  };
  put("CARILLON_NAMESPACE", envelope.name_space);
  put("CARILLON_SCHEDULE_ID", envelope.schedule_id);
  put("CARILLON_SCHEDULE_NAME", envelope.schedule_name);
  put(run_id_variable, envelope.run_id);
  put("CARILLON_RUN_NAME", envelope.run_name);
  put("CARILLON_NOMINAL_TIME", to_text(envelope.nominal));
  put("CARILLON_DUE_TIME", to_text(envelope.due));
  put(attempt_variable, std::to_string(envelope.attempt));
  put("CARILLON_SOURCE", std::string{to_text(envelope.source)});
  put("CARILLON_REPEAT_NUMBER", std::to_string(envelope.repeat_number));
  put("CARILLON_FENCE", std::to_string(envelope.fence));
  put_if_it_fits("CARILLON_PAYLOAD", envelope.payload);
  variables.erase("CARILLON_LAST_RESULT");
  variables.erase("CARILLON_LAST_FAILURE");
  if (envelope.last_failure) put_if_it_fits("CARILLON_LAST_FAILURE", *envelope.last_failure);
  if (envelope.last_result) put_if_it_fits("CARILLON_LAST_RESULT", *envelope.last_result);
}

}  // namespace

TextMap inherited_environment() {
  TextMap variables;
  for (const char* name : inherited_names) {
    if (const char* value = std::getenv(name)) variables.emplace(name, value);
  }
  variables.try_emplace("PATH", path_default);
  return variables;
}

Result<std::vector<std::string>> environment_of(TextMap base, const TextMap& own, const Envelope& envelope,
                                                const SecretResolver& resolve) {
  for (const auto& [name, value] : own) {
    if (name.empty() || name.contains('=') || name.contains('\0'))
      return fail(ErrorCode::invalid_argument, "{} is not a valid variable name", carillon::quoted(name));
    ResolvedText resolved =
        TRY(while_doing(resolve_references(value, resolve), "resolving the value of {}", carillon::quoted(name)));
    base.insert_or_assign(name, std::move(resolved.text));
  }
  put_envelope(base, envelope);

  std::vector<std::string> environment;
  environment.reserve(base.size());
  for (const auto& [name, value] : base) {
    // The value may be a secret: the message has the name only.
    if (value.contains('\0')) {
      return fail(ErrorCode::invalid_argument, "the value of {} has a NUL character", carillon::quoted(name));
    }
    if (!fits(name, value)) {
      return fail(ErrorCode::invalid_argument, "the value of {} has {} bytes; Linux allows {}", carillon::quoted(name),
                  value.size(), variable_length_max - name.size() - 1);
    }
    environment.push_back(fmt::format("{}={}", name, value));
  }
  return environment;
}

}  // namespace carillon
