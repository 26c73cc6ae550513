#include "executors/pipeline/command_provider.hpp"

#include "base/duration_text.hpp"

#include <fmt/format.h>
#include <sysexits.h>

#include <string_view>

namespace carillon::pipeline {
namespace {

ProviderResult failed_program(FailureClass kind, std::string message) {
  return std::unexpected(ProviderFailure{.kind = kind, .message = std::move(message)});
}

std::string with_last_words(std::string message, std::string_view error) {
  while (!error.empty() && (error.back() == '\n' || error.back() == '\r')) error.remove_suffix(1);
  if (!error.empty()) message += fmt::format(": {}", error);
  return message;
}

}  // namespace

Result<ProgramRequest> CommandProvider::request_for(const Question& question, Duration timeout) const {
  ProgramRequest request{
      .command = {}, .timeout = timeout, .grace = options_.grace, .output_size_max = options_.answer_size_max};
  request.command.argv = options_.argv;
  request.command.standard_input = question.prompt;
  // The references stay in the command, so that what they stand for is known as secret to all who see its output.
  const SecretResolver remember = [&](std::string_view reference) -> Result<std::string> {
    std::string secret = TRY(options_.secrets(reference));
    request.secrets.insert_or_assign(std::string{reference}, secret);
    return secret;
  };
  for (const auto& [name, value] : options_.environment) TRY(resolve_references(value, remember));
  request.command.env = options_.environment;
  request.command.env.insert_or_assign("CARILLON_MODEL", question.model);
  return request;
}

ProviderResult CommandProvider::result_of(ProgramEnd end, Duration timeout) const {
  switch (end.how) {
    case ProgramEnd::How::exited:
      if (end.code == 0) return ProviderAnswer{.text = std::move(end.output)};
      return failed_program(
          end.code == EX_TEMPFAIL ? FailureClass::transient : FailureClass::permanent,
          with_last_words(fmt::format("the program ended with exit code {}", end.code), end.error_output));
    case ProgramEnd::How::signalled:
      return failed_program(
          FailureClass::transient,
          with_last_words(fmt::format("the program was ended by signal {}", end.code), end.error_output));
    case ProgramEnd::How::not_started: return failed_program(FailureClass::hopeless, std::move(end.error));
    case ProgramEnd::How::lost: return failed_program(FailureClass::transient, std::move(end.error));
    case ProgramEnd::How::wrote_too_much:
      return failed_program(FailureClass::answer,
                            fmt::format("the answer has more than {} bytes", options_.answer_size_max));
    case ProgramEnd::How::cancelled:
      return std::unexpected(ProviderFailure{.message = "cancelled", .is_cancelled = true});
    case ProgramEnd::How::timed_out: break;
  }
  return std::unexpected(
      ProviderFailure{.message = fmt::format("no answer within {}", carillon::to_text(timeout)), .is_timeout = true});
}

ProviderResult CommandProvider::ask(const Question& question, Duration timeout, const std::stop_token& stop) {
  if (!options_.programs) return failed_program(FailureClass::hopeless, "programs cannot be started here");
  const auto request = request_for(question, timeout);
  if (!request) return failed_program(FailureClass::hopeless, request.error().message);
  return result_of(options_.programs->run(*request, stop), timeout);
}

}  // namespace carillon::pipeline
