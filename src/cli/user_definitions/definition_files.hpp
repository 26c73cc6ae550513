#pragma once

#include "cli/connection/session.hpp"
#include "cli/display/lint_report.hpp"

#include <boost/json/object.hpp>

#include <string>
#include <vector>

namespace carillon::cli {

/// A schedule that stands in a file.
struct DefinedSchedule {
  std::string id;
  std::string name_space;    // empty: the file says nothing, and so it is the caller's
  boost::json::object body;  // as written: what it leaves out is for the server to fill in
  std::string place;         // `nightly.yaml:4:9`
};

/// What files define, and everything that is wrong with them.
struct DefinitionFiles {
  std::vector<DefinedSchedule> schedules;
  LintReport faults;

  [[nodiscard]] bool is_sound() const { return faults.exit_code() == ExitCode::ok; }
};

/// Reads files, folders of them (`.yaml`, `.yml`, `.json`, in the order of their names) and standard input (`-`). A
/// schedule that stands there twice is a fault of the later place. An error only where nothing was asked for.
[[nodiscard]] Result<DefinitionFiles> read_definitions(const std::vector<std::string>& targets, Session& session);

/// The same for one text.
[[nodiscard]] DefinitionFiles read_definition_text(const std::string& name, std::string_view text, Session& session);

/// The faults, each with its place, to standard error.
void print_faults(const DefinitionFiles& files, Session& session);

}  // namespace carillon::cli
