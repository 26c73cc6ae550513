#include "runtime/attempt_outcome.hpp"

#include <gtest/gtest.h>

#include <array>

namespace carillon {
namespace {

using Kind = AttemptEnd::Kind;
using Outcome = AttemptOutcome;

struct Row {
  Kind kind;
  bool is_launched;
  Outcome unasked;
  Outcome timed_out;
  Outcome asked;
};

TEST(AttemptOutcomes, follow_their_table_row_by_row) {
  constexpr std::array rows{
      Row{Kind::succeeded, true, Outcome::succeeded, Outcome::succeeded, Outcome::succeeded},
      Row{Kind::failed, true, Outcome::failed, Outcome::timed_out, Outcome::cancelled},
      Row{Kind::failed, false, Outcome::failed, Outcome::timed_out, Outcome::cancelled},
      Row{Kind::stopped, true, Outcome::lost, Outcome::timed_out, Outcome::cancelled},
      Row{Kind::stopped, false, Outcome::released, Outcome::timed_out, Outcome::cancelled},
      Row{Kind::not_launched, false, Outcome::failed, Outcome::timed_out, Outcome::cancelled},
      Row{Kind::too_late, false, Outcome::released, Outcome::released, Outcome::released},
      Row{Kind::lost, true, Outcome::lost, Outcome::lost, Outcome::lost},
      Row{Kind::lost, false, Outcome::lost, Outcome::lost, Outcome::lost},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(::testing::Message() << "kind " << static_cast<int>(row.kind) << ", launched " << row.is_launched);

    EXPECT_EQ(outcome_of(row.kind, StopCause::none, row.is_launched), row.unasked);
    EXPECT_EQ(outcome_of(row.kind, StopCause::timeout, row.is_launched), row.timed_out);
    EXPECT_EQ(outcome_of(row.kind, StopCause::user, row.is_launched), row.asked);
    EXPECT_EQ(outcome_of(row.kind, StopCause::shutdown, row.is_launched), row.asked);
  }
}

}  // namespace
}  // namespace carillon
