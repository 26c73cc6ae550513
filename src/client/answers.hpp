#pragma once

#include "client/types/backfill_types.hpp"
#include "client/types/occurrence_types.hpp"
#include "client/types/run_types.hpp"
#include "client/types/schedule_types.hpp"
#include "client/types/server_types.hpp"

#include <boost/json/array.hpp>
#include <boost/json/value.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace carillon::client {

/// What a server answered: the value, and the document it was read from as the server wrote it.
template <typename T>
struct Answer {
  T value{};
  boost::json::value document{};
  std::string etag{};  // empty: it has none
};

/// The items of a list; `documents` are the same in the same order.
template <typename T>
struct ListAnswer {
  std::vector<T> items{};
  boost::json::array documents{};
  std::optional<std::size_t> total{};  // if the list tells it
  bool has_more = false;
  std::vector<std::string> broken_files{};  // of schedules: files of the watched folder that define none, and why
};

}  // namespace carillon::client
