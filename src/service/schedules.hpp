#pragma once

#include "base/ids.hpp"
#include "definitions/schedule_document.hpp"
#include "engine/run_name.hpp"
#include "scheduling/prepared_definition.hpp"
#include "service/caller.hpp"
#include "service/parts.hpp"
#include "service/schedule_answer.hpp"
#include "service/write_terms.hpp"

#include <boost/json/value.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace carillon {

/// How a request names a schedule.
struct ScheduleName {
  std::string id;
  std::optional<std::string> name_space{};
};

struct SchedulePage {
  std::vector<ScheduleAnswer> items;
  std::int64_t total = 0;
  std::optional<ScheduleKey> next{};  // where the next page goes on
  /// What is wrong with files of the watched folder that define no schedule in force; on the first page of a list
  /// without filters, for whoever knows the namespace of packages.
  std::vector<std::string> broken_files{};
};

struct ScheduleNamePage {
  std::vector<ScheduleKey> items;
  std::optional<ScheduleKey> next{};  // where the next page goes on
};

/// What a trigger may say beside whom it starts.
struct TriggerRequest {
  std::optional<OverlapPolicy> overlap{};
  std::optional<Instant> nominal{};
  std::optional<std::string> payload{};  // JSON
  std::string retry_of{};                // id of the run that is started again; empty: none
  Retry retry = Retry::whole;            // how much of it
};

struct PauseRequest {
  std::string reason{};
  std::optional<Instant> until{};
};

struct ResumeRequest {
  std::string reason{};
};

/// What is decided about a trigger.
struct TriggerDecision {
  DecisionOutcome outcome = DecisionOutcome::started;
  std::optional<SkipReason> reason{};  // of a skip
};

struct TriggerAnswer {
  RunAnswer run;
};

/// What users do with schedules. Every call checks that the caller knows the namespace; that its role allows the
/// operation has been checked before (Admission). Every change is written with its audit entry.
class Schedules {
 public:
  explicit Schedules(const ServiceParts& parts) : parts_{parts}, answers_{parts} {}

  [[nodiscard]] Served<ScheduleAnswer> get(const Caller& caller, const ScheduleName& name);
  /// Each with its newest runs.
  [[nodiscard]] Served<SchedulePage> list(const Caller& caller, ScheduleListRequest request);
  /// The names alone: no definition is read by its meaning.
  [[nodiscard]] Served<ScheduleNamePage> list_names(const Caller& caller, ScheduleListRequest request);

  /// Creates a schedule from a document in canonical or short form. Without an id it gets the slug of its name,
  /// numbered if that is taken. `name_space` is the one of the address, if it names one; the document must not name
  /// another.
  [[nodiscard]] Served<ScheduleAnswer> create(const Caller& caller, const boost::json::value& document,
                                              const WriteTerms& terms,
                                              const std::optional<std::string>& name_space = {});
  struct Put {
    ScheduleAnswer answer;
    bool is_new = false;
  };
  /// Creates the schedule, or replaces its definition. What it says of `temporal` stays if the document has no such
  /// member.
  [[nodiscard]] Served<Put> put(const Caller& caller, const ScheduleName& name, const boost::json::value& document,
                                const WriteTerms& terms);
  /// Merges a patch (RFC 7396), canonical or short, into the definition.
  [[nodiscard]] Served<ScheduleAnswer> patch(const Caller& caller, const ScheduleName& name,
                                             const boost::json::value& patch, const WriteTerms& terms);
  /// Writes over what is noted at the schedule. It changes nothing of what the schedule does, and so needs no right to
  /// define it.
  [[nodiscard]] Served<ScheduleAnswer> note(const Caller& caller, const ScheduleName& name, const std::string& notes,
                                            const WriteTerms& terms);
  [[nodiscard]] Served<> remove(const Caller& caller, const ScheduleName& name, const WriteTerms& terms);

  [[nodiscard]] Served<ScheduleAnswer> pause(const Caller& caller, const ScheduleName& name,
                                             const PauseRequest& request, const WriteTerms& terms);
  [[nodiscard]] Served<ScheduleAnswer> resume(const Caller& caller, const ScheduleName& name, const WriteTerms& terms);
  [[nodiscard]] Served<ScheduleAnswer> resume(const Caller& caller, const ScheduleName& name,
                                              const ResumeRequest& request, const WriteTerms& terms);
  [[nodiscard]] Served<ScheduleAnswer> enable(const Caller& caller, const ScheduleName& name, const WriteTerms& terms);
  [[nodiscard]] Served<ScheduleAnswer> disable(const Caller& caller, const ScheduleName& name, const WriteTerms& terms);
  [[nodiscard]] Served<ScheduleAnswer> reset(const Caller& caller, const ScheduleName& name, const WriteTerms& terms);

  [[nodiscard]] Served<TriggerAnswer> trigger(const Caller& caller, const ScheduleName& name,
                                              const TriggerRequest& request, const WriteTerms& terms);
  /// What would be decided about a trigger now; nothing is written.
  [[nodiscard]] Served<TriggerDecision> try_trigger(const Caller& caller, const ScheduleName& name,
                                                    const TriggerRequest& request, const WriteTerms& terms);
  /// Cancels every run of the schedule that has not ended; returns how many. A dry run only counts them.
  [[nodiscard]] Served<std::int64_t> cancel(const Caller& caller, const ScheduleName& name,
                                            const WriteTerms& terms = {});

  /// The record of a schedule. Refused with not_found if there is none, or the caller does not know its namespace.
  [[nodiscard]] Served<ScheduleRecord> find(const Caller& caller, const ScheduleName& name);
  [[nodiscard]] Served<ScheduleAnswer> answer(ScheduleRecord record);
  /// The answer to a repeated request whose first answer was not kept: the schedule as it is now.
  [[nodiscard]] Served<ScheduleAnswer> get(const Caller& caller, Uid uid);

 private:
  [[nodiscard]] Served<ScheduleAnswer> as_written(const Caller& caller, const CommandResult& changed);
  [[nodiscard]] static Served<ScheduleKey> key_of(const Caller& caller, const ScheduleName& name);
  [[nodiscard]] Served<ScheduleAnswer> change(const Caller& caller, const ScheduleName& name, const char* operation,
                                              const Event& event, const WriteTerms& terms);
  /// Refuses unless what the caller expects of the schedule holds; what must hold when the change is written.
  [[nodiscard]] Served<std::optional<KnownRevision>> expect(const Caller& caller, const ScheduleName& name,
                                                            const WriteTerms& terms);
  /// As it would stand in the store. `definition` is null if it stays as it is, `before` if it is new.
  [[nodiscard]] Served<ScheduleAnswer> answer_tried(const DryRunOutcome& tried, const PreparedDefinition* definition,
                                                    const ScheduleRecord* before);

  // schedule_definitions.cpp: how definitions are written
  /// Refused if a file defines it, or would be said to, unless the caller keeps it as the file says.
  [[nodiscard]] Served<> expect_definable(const Caller& caller, const ScheduleKey& key, std::string_view before,
                                          std::string_view after);
  [[nodiscard]] Served<ScheduleAnswer> new_answer(const Caller& caller, const PreparedDefinition& definition,
                                                  const CommandResult& created);
  /// What the address says: the document must say the same, or nothing. `before` is what it replaces, if anything.
  struct Address {
    std::optional<std::string> id{};
    std::optional<std::string> name_space{};
    const ScheduleRecord* before = nullptr;
  };
  [[nodiscard]] Served<PreparedDefinition> read(const Caller& caller, const boost::json::value& document,
                                                const Address& address);
  [[nodiscard]] Served<ScheduleAnswer> replace(const Caller& caller, const ScheduleRecord& before,
                                               const PreparedDefinition& definition, const char* operation,
                                               const WriteTerms& terms);

  const ServiceParts& parts_;
  ScheduleAnswers answers_;
};

}  // namespace carillon
