#include "cli/connection/token_source.hpp"

#include "base/quoted.hpp"
#include "base/token_text.hpp"
#include "files/private_file.hpp"
#include "files/trusted_owner.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

namespace carillon::cli {

namespace {

constexpr std::size_t token_size_max = 4'096;

std::string trimmed(std::string text) {
  constexpr std::string_view blanks = " \t\r\n";
  text.erase(text.find_last_not_of(blanks) + 1);
  text.erase(0, std::min(text.size(), text.find_first_not_of(blanks)));
  return text;
}

std::unexpected<Error> no_token(std::string message, std::string hint, std::string_view rule) {
  return std::unexpected(Error{.code = ErrorCode::not_found,
                               .message = std::move(message),
                               .hint = std::move(hint),
                               .rule = rule,
                               .position = {},
                               .context = {}});
}

Result<std::string> checked(std::string text, std::string_view where) {
  std::string token = trimmed(std::move(text));
  if (split_token(token)) return token;
  return no_token(fmt::format("{} does not contain a carillon token", where),
                  "a token starts with carillon_ and has 58 characters; create one: carillon token create", "no-token");
}

/// What cannot be opened, said for people who named a token file.
Error about_file(const Error& error, const std::string& file) {
  if (error.rule == "untrusted-file" || error.rule == "too-large") return error;
  const bool is_there = error.code != ErrorCode::not_found;
  return no_token(fmt::format("the token file {} {}", carillon::quoted(file),
                              is_there ? "cannot be read" : "does not exist"),
                  is_there ? "run this as a user who may read it, or ask its owner for your own token"
                           : "--token-file FILE, or CARILLON_TOKEN in the environment",
                  is_there ? "forbidden" : "not_found")
      .error();
}

/// A pipe that the shell made: `--token-file <(pass carillon)`.
bool is_pipe_of_shell(std::string_view file) {
  return file.starts_with("/dev/fd/") || file.starts_with("/proc/self/fd/") || file == "/dev/stdin";
}

Result<FileDescriptor> open_token_file(const std::string& file, Session& session) {
  if (is_pipe_of_shell(file)) {
    FileDescriptor pipe{::open(file.c_str(), O_RDONLY | O_CLOEXEC)};
    if (pipe.is_open()) return pipe;
  }
  FileDescriptor opened = TRY(open_regular_file(file));
  struct stat facts{};
  if (::fstat(opened.get(), &facts) != 0) return fail(ErrorCode::unavailable, "cannot look at {}", file);
  TRY(check_ownership(facts, file, "token file"));
  if ((facts.st_mode & S_IROTH) != 0 || (facts.st_uid != 0 && (facts.st_mode & S_IRGRP) != 0))
    session.warn(fmt::format("other users can read the token file {}; fix: chmod 600 {}", file, file));
  return opened;
}

Result<std::string> token_in(const std::string& file, Session& session) {
  const auto opened = open_token_file(file, session);
  if (!opened) return std::unexpected(about_file(opened.error(), file));
  auto text = read_open_file(opened->get(), file, token_size_max);
  if (!text) return std::unexpected(about_file(text.error(), file));
  return checked(*std::move(text), fmt::format("the token file {}", carillon::quoted(file)));
}

Result<std::string> token_beside(const RunningServer& server) {
  const std::string file = server.token_file().string();
  auto text = read_private_file(file, {.size_max = token_size_max, .other_owner = server.other_owner});
  if (!text) return std::unexpected(about_file(text.error(), file));
  if (*text) return checked(**std::move(text), fmt::format("the token file {}", carillon::quoted(file)));
  std::error_code unknown;
  if (std::filesystem::exists(server.data, unknown) || unknown)
    return no_token(fmt::format("the token file {} does not exist", carillon::quoted(file)),
                    "restart the server to create a new one: carillon stop, carillon serve", "not_found");
  return no_token(fmt::format("the data folder {} of the running server (pid {}) is gone",
                              carillon::quoted(server.data.string()), server.pid),
                  "put it back from a backup, then start the server again: carillon stop, carillon serve", "not_found");
}

}  // namespace

Result<std::string> find_token(const Settings& settings, const RunningServer* beside, Session& session) {
  if (settings.token) return checked(settings.token->value, settings.token->origin);
  if (settings.token_file) return token_in(settings.token_file->value, session);
  if (beside != nullptr) return token_beside(*beside);
  return std::string{};
}

}  // namespace carillon::cli
