#pragma once

#include "client/client.hpp"

#include <string_view>

namespace carillon::cli {

/// The run that a word means: its id, its name (`nightly@2026-11-20T03:00:00Z`), or the beginning of exactly one of
/// either among the newest. An error that lists the candidates.
[[nodiscard]] Result<client::Answer<client::Run>> find_run(Client& client, std::string_view word);

}  // namespace carillon::cli
