#include "soak/users.hpp"

#include "support/schedule_builder.hpp"

#include <fmt/format.h>

#include <array>

namespace carillon::testing {
namespace {

using namespace std::chrono_literals;

constexpr std::array overlaps{OverlapPolicy::allow_all, OverlapPolicy::skip, OverlapPolicy::buffer_all,
                              OverlapPolicy::buffer_latest};

std::string id_of(std::size_t number) { return fmt::format("bell-{}", number); }

void retry_soon(Policies& policies) {
  policies.retry.initial = 1s;
  policies.retry.backoff = Backoff::fixed;
}

ScheduleDocument beacon() {
  return a_schedule().id(beacon_id).every(1s).overlap(OverlapPolicy::allow_all).with(retry_soon).document();
}

ScheduleDocument by_hand() {
  return a_schedule().id("by-hand").by_hand().overlap(OverlapPolicy::allow_all).with(retry_soon).document();
}

ScheduleDocument bell(std::size_t number, std::string description = "") {
  auto document = a_schedule().id(id_of(number)).every(10s).overlap(overlaps[number % 4]).with(retry_soon).document();
  document.spec.intervals.front().offset = (number % 10) * 1s;
  document.description = std::move(description);
  return document;
}

ScheduleDocument of_a_zone(std::string id) {
  auto document = a_schedule().id(id).cron("*/5 * * * *").with(retry_soon).document();
  document.spec.timezone = "Europe/Berlin";
  return document;
}

}  // namespace

Result<> Users::note(const std::string& what, const Result<CommandResult>& answer) {
  if (!answer && answer.error().code == ErrorCode::unavailable) return std::unexpected(answer.error());
  ++(answer ? granted_ : refused_)[what];
  return {};
}

Result<> Users::change(ScheduleCommands& commands, const std::string& what, const std::string& schedule,
                       const Event& event) {
  const ScheduleKey key{.name_space = TRY(NamespaceId::parse("default")), .id = TRY(ScheduleId::parse(schedule))};
  return note(what, commands.change(key, event));
}

Result<> Users::create_all(ScheduleCommands& commands) {
  for (std::size_t number = 0; number < schedule_count_; ++number)
    TRY(note("create", commands.create(bell(number), "anna")));
  for (const ScheduleDocument& document : {beacon(), by_hand(), of_a_zone("zone"), of_a_zone("comes-and-goes")})
    TRY(note("create", commands.create(document, "anna")));
  return {};
}

Result<> Users::act(ScheduleCommands& commands, std::int64_t second, Instant now) {
  const auto number = static_cast<std::size_t>(second) % schedule_count_;
  const bool has_changes = edit_period_ != 0;
  if (has_changes && second % 7 == 0)
    TRY(change(commands, "pause", id_of(number), Paused{.by = "anna", .reason = "a service"}));
  // It may have been paused five seconds ago.
  if (has_changes && second % 7 == 5 && number >= 5)
    TRY(change(commands, "resume", id_of(number - 5), Resumed{.by = "anna"}));
  if (has_changes && second % edit_period_ == 0)
    TRY(note("edit", commands.edit(bell(number, fmt::format("as of {}", second)), "anna")));
  if (second % 60 == 30)
    TRY(change(
        commands, "backfill", id_of(number),
        BackfillRequested{
            .by = "anna",
            .backfill = {.id = fmt::format("b{}", second), .from = now - 2h, .to = now - 2h + 1min, .cursor = {}}}));
  if (second % 300 == 100) TRY(change(commands, "delete", "comes-and-goes", Deleted{.by = "anna"}));
  if (second % 300 == 200) TRY(note("create", commands.create(of_a_zone("comes-and-goes"), "anna")));
  return change(commands, "trigger", "by-hand", Triggered{.by = "anna", .id = fmt::format("t{}", second)});
}

}  // namespace carillon::testing
