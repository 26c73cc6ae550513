#pragma once

#include "cli/terminal/paint.hpp"
#include "client/types/run_types.hpp"

#include <boost/json/value.hpp>

#include <string>

namespace carillon::cli {

/// How runs that go through items look: lists, and while they run.

/// `42`, `40/42` while some have no result or have failed; empty: it goes through none.
[[nodiscard]] std::string items_text(const client::Run& run);

/// `$`-less, since nobody knows the currency: `1.84`, `0.0023`; empty: there is none.
[[nodiscard]] std::string cost_text(const boost::json::value& cost);

enum class Bar { none, shown };

/// `████████░░░░░░░░░░░░  42%  17/40 items  1 failed  eta 2m40s  cost 1.84`; empty: it goes through no items.
[[nodiscard]] std::string item_progress_text(const client::Run& run, const Paint& paint, Bar bar);

}  // namespace carillon::cli
