#include "ports/executor_registry.hpp"

#include "runtime/runtime_fixture.hpp"

#include <gmock/gmock.h>

namespace carillon::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(ExecutorRegistryTest, finds_who_performs_a_kind_of_action) {
  ScriptedExecutor commands;
  ScriptedExecutor jobs;
  const ExecutorRegistry registry{{ActionKind::job, jobs}, {ActionKind::command, commands}};

  EXPECT_EQ(registry.find(ActionKind::command), &commands);
  EXPECT_EQ(registry.find(ActionKind::job), &jobs);
  EXPECT_EQ(registry.find(ActionKind::pipeline), nullptr);
  EXPECT_THAT(registry.kinds(), ElementsAre(ActionKind::command, ActionKind::job));
}

TEST(ExecutorRegistryTest, an_empty_one_performs_nothing) {
  const ExecutorRegistry registry;

  EXPECT_EQ(registry.find(ActionKind::command), nullptr);
  EXPECT_THAT(registry.kinds(), IsEmpty());
}

TEST(ActionKindTest, names_every_alternative_of_an_action) {
  EXPECT_EQ(action_kind_of(CommandAction{}), ActionKind::command);
  EXPECT_EQ(action_kind_of(HttpAction{}), ActionKind::http);
  EXPECT_EQ(action_kind_of(JobAction{}), ActionKind::job);
  EXPECT_EQ(action_kind_of(PipelineAction{}), ActionKind::pipeline);
  EXPECT_EQ(to_text(ActionKind::pipeline), "pipeline");
}

}  // namespace
}  // namespace carillon::testing
