#include "cli/connection/confirming_transport.hpp"

#include "cli/command_line/command_error.hpp"
#include "cli/terminal/paint.hpp"
#include "cli/terminal/printable.hpp"

#include <fmt/format.h>

#include <array>

namespace carillon::cli {

namespace {

bool changes_something(const ServerRequest& request) {
  if (request.method == "GET" || request.method == "HEAD") return false;
  const std::string_view url = request.url;
  const std::string_view path = url.substr(0, url.find('?'));
  return !path.ends_with("/preview") && !url.substr(path.size()).contains("dryRun=true");
}

}  // namespace

Result<> ConfirmingTransport::ask(const ServerRequest& request) {
  if (consent_.is_given || !changes_something(request)) return {};
  if (!may_ask_)
    return std::unexpected(
        usage_error(fmt::format("context {} requires confirmation for changes", context_),
                    fmt::format("pass --yes if the command has it, or name the context: --context {}", context_)));
  const std::size_t path = request.url.find('/', request.url.find("://") + 3);
  const Paint paint = Paint::of(console_, Stream::error, ColourChoice::automatic);
  console_.write_error(
      fmt::format("{} {} at {}? [y/N] ", paint(Colour::red, printable(context_) + ":"),
                  printable(request.method + ' ' + request.url.substr(std::min(path, request.url.size()))),
                  printable(request.url.substr(0, path))));
  std::array<char, 64> answer{};
  const std::size_t length = TRY(console_.read(answer));
  consent_.is_given = length > 0 && (answer.front() == 'y' || answer.front() == 'Y');
  if (consent_.is_given) return {};
  return std::unexpected(Error{.code = ErrorCode::unavailable,
                               .message = "nothing was changed",
                               .hint = {},
                               .rule = "declined",
                               .position = {},
                               .context = {}});
}

Result<ServerAnswer> ConfirmingTransport::perform(const ServerRequest& request) {
  TRY(ask(request));
  return transport_.perform(request);
}

std::vector<Result<ServerAnswer>> ConfirmingTransport::perform_all(std::span<const ServerRequest> requests) {
  for (const ServerRequest& request : requests)
    if (auto asked = ask(request); !asked) return {requests.size(), std::unexpected(std::move(asked).error())};
  return transport_.perform_all(requests);
}

Result<ServerAnswer> ConfirmingTransport::stream(const ServerRequest& request, const Sink& sink) {
  TRY(ask(request));
  return transport_.stream(request, sink);
}

}  // namespace carillon::cli
