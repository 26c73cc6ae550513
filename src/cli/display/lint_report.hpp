#pragma once

#include "base/error.hpp"
#include "calendar/lint/lint.hpp"
#include "cli/command_line/exit_code.hpp"
#include "cli/terminal/paint.hpp"
#include "document/document.hpp"
#include "document/reader.hpp"

#include <boost/json/array.hpp>

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace carillon::cli {

/// Where something was found: in a file, or in an expression of the command line.
struct LintPlace {
  std::optional<std::string> file;
  std::string text;   // the expression
  Position position;  // line 0: the whole file
};

inline constexpr std::array<std::string_view, 7> lint_members{"file",     "line",    "column", "code",
                                                              "severity", "message", "fix"};

/// What lint found, and in how much.
class LintReport {
 public:
  std::size_t file_count = 0;
  std::size_t expression_count = 0;

  void add(LintPlace place, const Finding& finding);
  /// Something that cannot be read; a position inside an expression moves the column.
  void add(LintPlace place, const Error& error);
  void add(LintPlace place, const Problem& problem);
  /// A text that is no document: the error's position is an offset in it.
  void add_unreadable(LintPlace place, std::string_view text, const Error& error);

  /// A line each, and a summary; `no findings` when there are none.
  [[nodiscard]] std::string text(const Paint& paint) const;
  /// `[{"file", "line", "column", "code", "severity", "message", "fix"}]`; null where there is nothing to say.
  [[nodiscard]] boost::json::array records() const;
  /// Something invalid counts more than findings; what never fires can be read, so it is a finding.
  [[nodiscard]] ExitCode exit_code() const;

 private:
  struct Row {
    LintPlace place;
    std::string code;
    Severity severity;
    std::string message;
    std::string fix;
  };

  std::vector<Row> rows_;
};

}  // namespace carillon::cli
