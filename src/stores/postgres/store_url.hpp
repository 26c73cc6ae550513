#pragma once

#include "base/error.hpp"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace carillon::postgres {

/// Where the database is and who we are to it: `postgres://user@host:5432/name?schema=carillon&sslmode=verify-full`.
/// All that libpq understands may stand in it. A password rather comes from PGPASSFILE, `passfile`, or PGPASSWORD.
struct StoreUrl {
  std::vector<std::pair<std::string, std::string>> options;  // as libpq names them; may have a password
  std::string schema{"carillon"};
  std::string description;  // for messages and logs: without password
  bool has_password = false;
};

[[nodiscard]] bool is_postgres_url(std::string_view text);
/// An error invalid_argument says what is wrong with it, without repeating a password.
[[nodiscard]] Result<StoreUrl> parse_store_url(const std::string& text);

}  // namespace carillon::postgres
