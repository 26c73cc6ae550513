#pragma once

#include "base/error.hpp"
#include "pipeline/pattern.hpp"
#include "pipeline/pipeline.hpp"

#include <optional>
#include <string_view>
#include <vector>

namespace carillon::pipeline {

/// The rules of a filter, ready to be applied to many items. Values are compared as JavaScript compares them: `equals`
/// and `in` convert nothing, `contains` looks at texts without regard to case, the others compare numbers.
class CompiledRules {
 public:
  /// The error of a pattern that is none.
  [[nodiscard]] static Result<CompiledRules> compile(const RuleFilter& filter);

  /// Whether the rules keep an item. The error of a pattern that takes too long ends the run.
  [[nodiscard]] Result<bool> keep(const Item& item) const;

 private:
  struct Rule {
    FilterRule rule;
    std::optional<Pattern> pattern;
  };
  [[nodiscard]] static Result<bool> holds(const Rule& rule, const Item& item);

  bool is_any_ = false;
  std::vector<Rule> rules_;
};

/// The same for one item.
[[nodiscard]] Result<bool> keeps(const RuleFilter& filter, const Item& item);

/// Whether an answer to an AI filter keeps an item. With fields it must be bare JSON with a boolean `include`. Without,
/// it must say yes, true, include or pass as a word: at its beginning, or anywhere if it negates nothing, so that "Do
/// not include" keeps nothing. With `is_lenient` the word alone counts.
[[nodiscard]] bool is_kept_by(const AiFilter& filter, std::string_view answer, bool is_lenient = false);

}  // namespace carillon::pipeline
