#pragma once

#include <string>
#include <string_view>

namespace carillon {

/// What a command line is about, to name a schedule after: its program without folder and ending, or the script an
/// interpreter is given. Guards (`test -x … &&`, `cd … &&`), assignments and wrappers (`nice`, `flock …`) are passed
/// over. A guess for people; may be empty.
[[nodiscard]] std::string program_name(std::string_view command);

}  // namespace carillon
