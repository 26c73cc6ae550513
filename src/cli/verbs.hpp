#pragma once

#include "cli/arguments.hpp"

namespace carillon {

// Each is defined beside the function that performs it.

// Time: no server is needed.
extern const Verb next_verb;
extern const Verb describe_verb;
extern const Verb lint_verb;
extern const Verb zones_verb;

// Schedules of a server.
extern const Verb list_verb;

// The server.
extern const Verb serve_verb;
extern const Verb ledger_verb;

// The command line itself.
extern const Verb version_verb;
extern const Verb completion_verb;
extern const Verb help_verb;

}  // namespace carillon
