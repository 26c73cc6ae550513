#pragma once

#include <cstdint>
#include <string>

namespace carillon {

/// How a folder is kept from the commands of a launcher (docs/decisions: what commands can see of the data folder).
struct Hiding {
  enum class How : std::uint8_t {
    not_asked,  // nothing is hidden
    mount,      // an empty folder lies over it, in a mount namespace of the commands' own
    landlock,   // the kernel refuses them to read and change what is in it
    failed,     // they can read it as far as their user can
  };
  How how = How::not_asked;
  std::string why_not{};  // if it failed
};

}  // namespace carillon
