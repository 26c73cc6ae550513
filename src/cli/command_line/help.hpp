#pragma once

#include <string>
#include <string_view>

namespace carillon::cli {

/// What `carillon` alone says: what it is, three things to try, where help is.
[[nodiscard]] std::string welcome_text();

/// The commands that begin with this word, which is none by itself: `config`. Empty if there are none.
[[nodiscard]] std::string group_text(std::string_view first_word);

/// All commands and topics.
[[nodiscard]] std::string overview_text();

}  // namespace carillon::cli
