#pragma once

#include "cli/connection/poll_backoff.hpp"
#include "cli/connection/session.hpp"
#include "client/client.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace carillon::cli {

struct LogQuery {
  std::optional<std::size_t> attempt{};     // left out: the newest, and with `is_followed` those after it
  std::optional<std::size_t> line_count{};  // only so many at the end
  bool is_followed = false;
};

/// Writes a log to standard output as it comes: its very bytes, but on a terminal whole lines, in which what could
/// command the terminal is written as escapes.
class LogPrinter {
 public:
  explicit LogPrinter(Console& console) : console_{console}, is_terminal_{console.is_terminal(Stream::output)} {}

  /// False when nobody reads any more.
  [[nodiscard]] bool take(std::string_view piece);
  /// What is left of a line without an end.
  void finish();

 private:
  Console& console_;
  bool is_terminal_;
  std::string rest_;
};

/// Prints the log of a run. When it is followed: until the run has ended, through all its further attempts; a stream
/// that breaks is gone on with at the byte it had come to. Of a log that is empty, standard error says why.
[[nodiscard]] Result<> print_log(Client& client, const client::Run& run, const LogQuery& query, Session& session,
                                 PollBackoff& backoff);

}  // namespace carillon::cli
