#pragma once

#include "base/error.hpp"
#include "pipeline/pipeline.hpp"

#include <string_view>

namespace carillon::pipeline {

/// Whether rules keep an item. The error of a pattern that is none, or that takes too long, ends the run.
[[nodiscard]] Result<bool> keeps(const RuleFilter& filter, const Item& item);

/// Whether an answer to an AI filter keeps an item. With fields it must be bare JSON with a boolean `include`; without,
/// it must be a plain yes (yes, true, include, pass).
[[nodiscard]] bool is_kept_by(const AiFilter& filter, std::string_view answer);

}  // namespace carillon::pipeline
