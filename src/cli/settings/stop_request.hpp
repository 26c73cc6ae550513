#pragma once

namespace carillon::cli {

/// How `carillon stop` asks a server of this machine to end: by SIGTERM with one of these as the signal's value. A
/// plain SIGTERM has the value 0; the second plain one, or a second Ctrl-C, cancels what still runs.
enum class StopRequest : int {
  wait_for_runs = 1,  // however often it is asked: running work is waited for
  cancel_runs = 2,    // running work is cancelled at once
};

}  // namespace carillon::cli
