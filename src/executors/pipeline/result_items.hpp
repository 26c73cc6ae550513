#pragma once

#include "base/error.hpp"
#include "executors/pipeline/spool.hpp"
#include "ports/item_store.hpp"

#include <filesystem>

namespace carillon::pipeline {

/// How many bytes of a result file are gone through for one page: a page of failed items may be short, or empty,
/// although more follow.
inline constexpr std::int64_t item_scan_size_max = 64 * 1024 * 1024;

/// A page of the results that have come in so far.
[[nodiscard]] Result<ItemPage> items_in(const ResultSpool& results, const ItemQuery& query);

/// A page of a result file, which lies beneath the folder of pipelines. Reads what the page needs, not the whole file.
/// Errors: `not_found` if the file is not there, `corrupt` if it is not as it was written, `invalid_argument` if the
/// cursor is of another file.
[[nodiscard]] Result<ItemPage> items_in(const std::filesystem::path& folder, const std::filesystem::path& file,
                                        const ItemQuery& query);

}  // namespace carillon::pipeline
