#include "conformance/random_world.hpp"
#include "conformance/store_test.hpp"

#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <sstream>

namespace carillon::conformance {
namespace {

CARILLON_CONFORMANCE_SUITE(RandomCommands);

constexpr int command_count_max = 200;  // a hundred on average

rc::Gen<Command> commands() {
  using Kind = Command::Kind;
  const auto choice = rc::gen::inRange<std::uint32_t>(0, 1U << 16);
  return rc::gen::resize(
      rc::kNominalSize, rc::gen::build<Command>(
                            rc::gen::set(&Command::kind, rc::gen::weightedElement<Kind>({{8, Kind::create},
                                                                                         {24, Kind::decide},
                                                                                         {6, Kind::decide_two},
                                                                                         {2, Kind::delete_schedule},
                                                                                         {3, Kind::quarantine},
                                                                                         {2, Kind::adopt_zone_edition},
                                                                                         {4, Kind::enqueue},
                                                                                         {3, Kind::pause_queue},
                                                                                         {5, Kind::open_session},
                                                                                         {2, Kind::close_session},
                                                                                         {8, Kind::heartbeat},
                                                                                         {18, Kind::claim},
                                                                                         {16, Kind::write},
                                                                                         {6, Kind::write_wrongly},
                                                                                         {4, Kind::expire},
                                                                                         {12, Kind::advance}})),
                            rc::gen::set(&Command::choices, rc::gen::container<std::array<std::uint32_t, 4>>(choice))));
}

/// RC_PARAMS counts if it is set: for long checks, or to repeat one.
rc::detail::TestParams parameters_for(const StoreKind& kind) {
  rc::detail::TestParams parameters = rc::detail::configuration().testParams;
  if (std::getenv("RC_PARAMS") == nullptr) parameters.maxSuccess = kind.repetition_count;
  return parameters;
}

void add(RandomWorld::Tally& sum, const RandomWorld::Tally& tally) {
  sum.written += tally.written;
  sum.refused += tally.refused;
  sum.claimed += tally.claimed;
  sum.runs_written += tally.runs_written;
  sum.runs_refused += tally.runs_refused;
  sum.woken_by_finish += tally.woken_by_finish;
  sum.woken_by_watch += tally.woken_by_watch;
  sum.lost += tally.lost;
}

TEST_P(RandomCommands, leave_the_store_as_a_naive_model_of_it) {
  RandomWorld::Tally sum;
  const auto property = [&] {
    const auto sequence = *rc::gen::resize(command_count_max, rc::gen::container<std::vector<Command>>(commands()));
    RandomWorld world{GetParam().make()};
    for (const Command& command : sequence) world.perform(command);
    add(sum, world.tally());
  };

  const auto result = rc::detail::checkTestable(property, rc::detail::TestMetadata{}, parameters_for(GetParam()));

  std::ostringstream message;
  rc::detail::printResultMessage(result, message);
  ASSERT_TRUE(result.template is<rc::detail::SuccessResult>()) << message.str();
  // What never happened was not tested.
  EXPECT_GT(sum.written, 0);
  EXPECT_GT(sum.refused, 0);
  EXPECT_GT(sum.claimed, 0);
  EXPECT_GT(sum.runs_written, 0);
  EXPECT_GT(sum.runs_refused, 0);
  EXPECT_GT(sum.woken_by_finish, 0);
  EXPECT_GT(sum.woken_by_watch, 0);
  EXPECT_GT(sum.lost, 0);
}

}  // namespace
}  // namespace carillon::conformance
