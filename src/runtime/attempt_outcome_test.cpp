#include "runtime/attempt_outcome.hpp"

#include <gtest/gtest.h>

#include <array>

namespace carillon {
namespace {

using Outcome = AttemptOutcome;

struct Row {
  AttemptEnd end;
  bool is_launched;
  Outcome unasked;
  Outcome timed_out;
  Outcome asked;
};

TEST(AttemptOutcomes, follow_their_table_row_by_row) {
  const AttemptEnd released_for_now{.outcome = Outcome::released, .retry_after = Duration{0}};
  const std::array rows{
      Row{{.outcome = Outcome::succeeded}, true, Outcome::succeeded, Outcome::succeeded, Outcome::succeeded},
      Row{{.outcome = Outcome::failed}, true, Outcome::failed, Outcome::timed_out, Outcome::cancelled},
      Row{{.outcome = Outcome::failed}, false, Outcome::failed, Outcome::timed_out, Outcome::cancelled},
      Row{{.outcome = Outcome::cancelled}, true, Outcome::lost, Outcome::timed_out, Outcome::cancelled},
      Row{{.outcome = Outcome::cancelled}, false, Outcome::released, Outcome::timed_out, Outcome::cancelled},
      Row{{.outcome = Outcome::released}, false, Outcome::released, Outcome::released, Outcome::released},
      Row{released_for_now, false, Outcome::released, Outcome::timed_out, Outcome::cancelled},
      Row{{.outcome = Outcome::lost}, true, Outcome::lost, Outcome::lost, Outcome::lost},
      Row{{.outcome = Outcome::lost}, false, Outcome::lost, Outcome::lost, Outcome::lost},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(::testing::Message() << "outcome " << static_cast<int>(row.end.outcome) << ", launched "
                                      << row.is_launched);

    EXPECT_EQ(outcome_of(row.end, StopCause::none, row.is_launched), row.unasked);
    EXPECT_EQ(outcome_of(row.end, StopCause::timeout, row.is_launched), row.timed_out);
    EXPECT_EQ(outcome_of(row.end, StopCause::request, row.is_launched), row.asked);
    EXPECT_EQ(outcome_of(row.end, StopCause::shutdown, row.is_launched), row.asked);
  }
}

}  // namespace
}  // namespace carillon
