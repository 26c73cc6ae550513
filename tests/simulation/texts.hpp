#pragma once

#include "base/duration_text.hpp"
#include "base/instant.hpp"
#include "definitions/words.hpp"

namespace carillon::simulation {

// The names of this folder have texts of their own, which would hide those of times.
using carillon::to_text;

}  // namespace carillon::simulation
