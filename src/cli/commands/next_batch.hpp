#pragma once

#include "base/instant.hpp"
#include "cli/connection/session.hpp"
#include "ports/zone_source.hpp"

#include <cstddef>
#include <string>
#include <string_view>

namespace carillon::cli {

/// Most occurrences in the answer to one line.
inline constexpr std::size_t batch_count_max = 1'000'000;
/// Longest line that is looked at.
inline constexpr std::size_t batch_line_max = 1024 * 1024;

/// Answers questions about time, each a line of JSON:
/// `{"spec", "after" | "before", "count" | "until"}` → `{"next": [nominal, …]}`, or `{"error": {"code", "message",
/// "position"}}`. A spec that is a text is a cron expression in `default_timezone`. Equal lines give equal answers.
class BatchAnswerer {
 public:
  BatchAnswerer(ZoneSource& zones, std::string default_timezone, Instant now);
  BatchAnswerer(const BatchAnswerer&) = delete;
  BatchAnswerer& operator=(const BatchAnswerer&) = delete;

  /// Appends the answer to one line, with its line end.
  void answer(std::string_view line, std::string& out);
  /// Appends the answer to a line beyond batch_line_max.
  static void answer_too_long(std::string& out);

 private:
  [[nodiscard]] Result<void> try_answer(std::string_view line, std::string& out);
  [[nodiscard]] Result<ZonePtr> zone(const std::string& name);

  ZoneSource& zones_;
  std::string default_timezone_;
  Instant now_;
  ZonePtr last_zone_;                // lines in a row mostly name the same
  std::vector<unsigned char> room_;  // for the tree of one line
};

/// `next --batch`.
[[nodiscard]] Result<ExitCode> batch_command(const Arguments& arguments, Session& session);

}  // namespace carillon::cli
