#include "fleet.hpp"

#include "engine/step.hpp"
#include "meter.hpp"
#include "scheduling/definition_cache.hpp"

#include <boost/json/serialize.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

namespace carillon::bench {
namespace {

constexpr std::size_t batch_size = 5'000;

Transition creation(DefinitionCache& definitions, const ScheduleDocument& document, Instant now) {
  const DefinitionPtr definition = must(definitions.compile_new(document, 1, now));
  const std::string text = boost::json::serialize(write_schedule(document));
  return must(step(*definition, ScheduleView{}, Created{.by = "bench", .document = text}, now));
}

// A schedule that sleeps when it is created lies where its number says, whenever it is woken later.
void write_asleep_and_wake(ScheduleStore& store, std::vector<Transition>& transitions) {
  std::vector<std::optional<Instant>> wakes;
  for (Transition& transition : transitions) wakes.push_back(std::exchange(transition.next.wake, std::nullopt));
  const CommitResult created = must(store.commit({.writer = {}, .transitions = transitions}));
  std::vector<Transition> awakenings(transitions.size());
  for (std::size_t i = 0; i < transitions.size(); ++i) {
    Transition& awakening = awakenings[i];
    awakening.next = transitions[i].next;
    awakening.next.uid = created.items[i].uid;
    awakening.next.wake = wakes[i];
    ++awakening.next.version;
    awakening.decided_under = 1;
    awakening.decided_at = transitions[i].decided_at;
  }
  must(store.commit({.writer = {}, .transitions = awakenings}));
}

}  // namespace

ScheduleDocument document_of(const std::string& id, Spec spec) {
  CommandAction command;
  command.argv = {"/bin/true"};
  return {.id = ScheduleId::parse(id).value(),
          .name_space = NamespaceId::parse("default").value(),
          .name = "bench",
          .description = "",
          .labels = {},
          .enabled = true,
          .spec = std::move(spec),
          .action = command,
          .policies = {}};
}

Spec daily_from(Instant second) {
  const Duration of_day = second - std::chrono::floor<std::chrono::days>(second);
  Spec spec;
  spec.intervals = {{.every = std::chrono::days{1}, .offset = of_day, .anchor = Anchor::epoch}};
  return spec;
}

void make_fleet(ScheduleStore& store, ZoneSource& zones, const FleetPlan& plan) {
  DefinitionCache definitions{store, zones, ZoneEdition::none};
  for (std::size_t done = 0; done < plan.count; done += batch_size) {
    std::vector<Transition> transitions;
    for (std::size_t i = done; i < std::min(plan.count, done + batch_size); ++i) {
      ScheduleDocument document = document_of(fmt::format("{}{}", plan.prefix, i), plan.spec(i));
      document.policies.overlap = plan.overlap;
      transitions.push_back(creation(definitions, document, plan.created_at));
    }
    if (plan.order == Order::scattered)
      write_asleep_and_wake(store, transitions);
    else
      must(store.commit({.writer = {}, .transitions = transitions}));
  }
}

std::filesystem::path database_file(const Options& options, const std::string& name) {
  std::filesystem::create_directories(options.folder);
  const std::filesystem::path file = options.folder / (name + ".db");
  if (!options.reuse)
    for (const char* ending : {"", "-wal", "-shm"}) std::filesystem::remove(file.native() + ending);
  return file;
}

}  // namespace carillon::bench
