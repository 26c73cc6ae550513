#pragma once

namespace carillon::cli {

/// How a command ended, for scripts. The numbers are a promise to users.
enum class ExitCode {
  ok = 0,
  failed = 1,
  invalid = 2,
  not_found = 3,
  not_allowed = 4,
  conflict = 5,
  unreachable = 6,
  findings = 7,
  pending = 8,
  run_failed = 10,
  interrupted = 130,
};

}  // namespace carillon::cli
