// check_documents words: the enums of documents and the ledger as one JSON object, name → words.
// check_documents read: one JSON document per line of standard input; answers each with one line, its canonical form
// or the pointers of its problems.
// check_documents ledger: lines of the ledger export, each kind with as few and as many members as it can have.

#include "definitions/schedule_document.hpp"
#include "definitions/words.hpp"
#include "document/document.hpp"
#include "engine/ledger_record.hpp"
#include "engine/run_name.hpp"

#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>

#include <iostream>
#include <string>
#include <vector>

namespace {

namespace json = boost::json;
using namespace carillon;

json::object words() {
  json::object enums;
  for (const WordList& list : all_words()) {
    json::array words;
    for (const std::string_view word : list.words) words.push_back(json::value(word));
    enums[list.name] = std::move(words);
  }
  return enums;
}

json::object answer(std::string_view line) {
  const auto schedule = read_schedule(parse_json(line).value(), {.default_timezone = "UTC", .ignore_read_only = true});
  json::object out;
  if (schedule) {
    out["canonical"] = write_schedule(*schedule);
    return out;
  }
  json::array problems;
  for (const Problem& problem : schedule.error()) problems.push_back(json::value(problem.pointer));
  out["problems"] = std::move(problems);
  return out;
}

std::vector<LedgerRecord> ledger() {
  const LineHead head{.seq = Seq{1},
                      .at = instant_max,
                      .name_space = NamespaceId::parse("default").value(),
                      .schedule = ScheduleId::parse("nightly-etl").value(),
                      .incarnation = 1};
  const Instant then = instant_max - std::chrono::microseconds{1};
  const DecisionLine skipped{.head = head,
                             .server = {},
                             .revision = 1,
                             .nominal = then,
                             .due = then,
                             .outcome = DecisionOutcome::skipped,
                             .reason = SkipReason::overlap,
                             .run = {},
                             .waited_from = {},
                             .ended_at = {}};
  DecisionLine started = skipped;
  started.server = "1";
  started.version = 1;
  started.outcome = DecisionOutcome::started;
  started.reason = {};
  started.run = run_name(head.schedule, then, Source::trigger, "t1");
  started.waited_from = started.ended_at = then;
  const AttemptLine claimed{.head = head,
                            .run = *started.run,
                            .attempt = 1,
                            .worker = {},
                            .claimed_at = then,
                            .launched_at = {},
                            .ended_at = {},
                            .exit_code = {},
                            .reason = {},
                            .claimable_from = {}};
  AttemptLine failed = claimed;
  failed.worker = "w1";
  failed.state = AttemptState::failed;
  failed.launched_at = failed.ended_at = failed.claimable_from = then;
  failed.exit_code = 1;
  failed.reason = "exit code 1";
  return {skipped,
          started,
          RangeLine{.head = head, .revision = 1, .from = then, .to = then, .count = 1},
          claimed,
          failed,
          ChangeLine{.head = head, .revision = 1, .kind = ChangeKind::paused, .by = {}, .document = {}},
          ChangeLine{.head = head, .revision = 1, .by = "ann", .document = R"({"id":"nightly-etl"})"},
          BackfillLine{.head = head, .id = "b1", .from = then, .to = then},
          VoidLine{.head = head, .from = then, .to = then},
          OutageLine{.head = {.seq = Seq{1}, .at = instant_max}, .from = then, .to = instant_max}};
}

}  // namespace

int main(int count, char** arguments) {
  const std::string_view verb = count == 2 ? arguments[1] : "";
  if (verb == "words") {
    std::cout << json::serialize(words()) << "\n";
    return 0;
  }
  if (verb == "ledger") {
    for (const LedgerRecord& record : ledger()) std::cout << to_json(record) << "\n";
    return 0;
  }
  if (verb != "read") return 2;
  for (std::string line; std::getline(std::cin, line);) std::cout << json::serialize(answer(line)) << "\n";
}
