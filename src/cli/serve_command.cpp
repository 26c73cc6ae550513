#include "base/duration_text.hpp"
#include "base/quoted.hpp"
#include "cli/failure.hpp"
#include "cli/session.hpp"

#include <fmt/format.h>

#include <charconv>

namespace carillon {

namespace {

constexpr std::size_t worker_count_max = 10'000;
constexpr std::size_t metrics_schedule_count_max = 10'000;
constexpr std::string_view default_data = "carillon-data";

Result<std::size_t> worker_count(const std::string& text) {
  std::size_t count = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  if (error != std::errc{} || end != text.data() + text.size() || count == 0 || count > worker_count_max)
    return std::unexpected(usage_error(
        fmt::format("--workers {} is no number from 1 to {}", quoted(text), worker_count_max), "--workers 16"));
  return count;
}

Result<std::size_t> metrics_schedule_count(const std::string& text) {
  std::size_t count = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  if (error != std::errc{} || end != text.data() + text.size() || count > metrics_schedule_count_max)
    return std::unexpected(usage_error(
        fmt::format("--metrics-schedules {} is no number from 0 to {}", quoted(text), metrics_schedule_count_max),
        "--metrics-schedules 200"));
  return count;
}

Result<Duration> stop_timeout(const std::string& text) {
  const auto length = parse_duration(text);
  if (!length)
    return std::unexpected(
        usage_error(fmt::format("--stop-timeout {} is no duration", quoted(text)), "--stop-timeout 30s"));
  return *length;
}

Result<ServeRequest::LogForm> log_form(const std::string& text) {
  if (text == "text") return ServeRequest::LogForm::text;
  if (text == "json") return ServeRequest::LogForm::json;
  return std::unexpected(
      usage_error(fmt::format("--log {} is no form of a log", quoted(text)), "--log text or --log json"));
}

}  // namespace

Result<ExitCode> serve_command(const Arguments& arguments, Session& session) {
  if (!arguments.targets.empty())
    return std::unexpected(
        usage_error(fmt::format("serve takes no words, such as {}", quoted(arguments.targets.front())),
                    "carillon serve --apply schedules/"));
  ServeRequest request{.data = arguments.data.value_or(std::string{default_data}),
                       .applied = arguments.applied,
                       .allowed_egress = arguments.allowed_egress,
                       .certificate_file = arguments.certificate_file.value_or(""),
                       .key_file = arguments.key_file.value_or(""),
                       .is_insecure = arguments.is_insecure,
                       .allowed_hosts = arguments.allowed_hosts,
                       .allowed_origins = arguments.allowed_origins};
  if (arguments.listen) request.listen = *arguments.listen;
  if (arguments.certificate_file.has_value() != arguments.key_file.has_value())
    return std::unexpected(
        usage_error("--tls-cert and --tls-key belong together", "--tls-cert cert.pem --tls-key key.pem"));
  if (arguments.metrics_schedule_count)
    request.metrics_schedule_count = TRY(metrics_schedule_count(*arguments.metrics_schedule_count));
  if (arguments.worker_count) request.worker_count = TRY(worker_count(*arguments.worker_count));
  if (arguments.stop_timeout) request.stop_timeout = TRY(stop_timeout(*arguments.stop_timeout));
  if (arguments.log_form) request.log_form = TRY(log_form(*arguments.log_form));
  return session.server.serve(request, session.console);
}

Result<ExitCode> ledger_command(const Arguments& arguments, Session& session) {
  if (arguments.targets.size() != 1 || arguments.targets.front() != "export")
    return std::unexpected(usage_error("ledger has one thing to do: export", "carillon ledger export"));
  return session.server.export_ledger(arguments.data.value_or(std::string{default_data}), session.console);
}

}  // namespace carillon
