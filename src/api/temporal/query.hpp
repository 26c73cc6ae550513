#pragma once

#include "api/temporal/errors.hpp"
#include "api/temporal/settings.hpp"

#include <boost/json/value.hpp>

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>

namespace carillon::temporal {

/// What a list filter can ask of one schedule, by name; what is not there is null.
using QueryRow = std::map<std::string, boost::json::value, std::less<>>;

/// A list filter in the words of Temporal: comparisons of ScheduleId, TemporalSchedulePaused and declared search
/// attributes by `=, !=, <, <=, >, >=, [NOT] IN, [NOT] BETWEEN, [NOT] STARTS_WITH, IS [NOT] NULL`, joined by AND, OR,
/// NOT and brackets. A comparison with what is not there is neither true nor false, as in SQL.
class Query {
 public:
  /// An empty text is true of all. Texts and nesting have bounds.
  [[nodiscard]] static Outcome<Query> parse(std::string_view text, const Settings& settings);
  Query(Query&&) noexcept;
  Query& operator=(Query&&) noexcept;
  ~Query();

  [[nodiscard]] bool matches(const QueryRow& row) const;
  /// True of everything.
  [[nodiscard]] bool is_empty() const { return root_ == nullptr; }

  struct Node;

 private:
  explicit Query(std::unique_ptr<Node> root);
  std::unique_ptr<Node> root_;
};

inline constexpr std::size_t query_size_max = 10'000;

}  // namespace carillon::temporal
