#pragma once

#include "base/instant.hpp"
#include "service/caller.hpp"
#include "service/handed_out.hpp"
#include "service/parts.hpp"

#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace carillon {

struct OpenWorkerRequest {
  std::string name;
  std::vector<std::string> queues;
  Duration lease = std::chrono::seconds{30};
};

struct WorkerSession {
  std::string id;  // `w-…`: cannot be made up, and is of use to the caller alone who opened it
  Instant lease_until;
};

/// A run as a worker far away gets it.
struct ClaimedJob {
  std::string run_id;
  std::int64_t attempt = 0;
  std::string type;
  std::string queue;
  std::string envelope;  // JSON
  Instant lease_until;
  std::optional<Duration> timeout{};
  Duration grace{};
};

/// An attempt that a worker says it has.
struct HeldAttempt {
  std::string run_id;
  std::int64_t attempt = 0;
};

/// What became of the answer to a claim.
enum class Delivery {
  whole,   // all of it was handed over to the client's connection
  broken,  // the client had gone, or the connection ended before all of it was sent
};

struct WorkerPulse {
  struct StopOrder {
    std::string run_id;
    std::int64_t attempt = 0;
    Stop how = Stop::cancel;
  };
  Instant lease_until;
  std::vector<StopOrder> stops;
};

/// How an attempt ended, as a worker far away tells it.
struct JobEnd {
  std::string run_id;
  std::int64_t attempt = 0;
  AttemptOutcome outcome = AttemptOutcome::succeeded;
  std::string error{};
  std::optional<std::string> result{};  // JSON
  std::optional<Duration> retry_after{};
};

/// Workers in other processes, in any language: they claim jobs of their queues and tell how they went. A session that
/// misses its heartbeats is over, and what it had is lost. Nothing that matters is kept here: the id of a session says
/// what it is, so that it outlives this server.
///
/// An answer to a claim may be lost. So what is claimed counts as launched only when its answer has been delivered, or,
/// for a worker that lists what it holds, when it lists it. What a worker does not know of for `unknown_grace` is given
/// up: `released` if the worker lists what it holds and has never listed it, else `lost`.
class Workers {
 public:
  explicit Workers(const ServiceParts& parts);

  [[nodiscard]] Served<WorkerSession> open(const Caller& caller, const OpenWorkerRequest& request);
  /// `delivered` must follow when the answer has been sent, or could not be. With `holds` the worker says what it has:
  /// then it confirms what it gets here by listing it later.
  [[nodiscard]] Served<std::vector<ClaimedJob>> claim(const Caller& caller, const std::string& session,
                                                      std::size_t count_max,
                                                      const std::optional<std::vector<HeldAttempt>>& holds = {});
  /// Jobs whose answer was broken are given back at once, without using up an attempt.
  [[nodiscard]] Served<> delivered(const Caller& caller, const std::string& session, std::span<const ClaimedJob> jobs,
                                   Delivery delivery, bool is_listing);
  /// With `holds`, what the worker does not list is given up after `unknown_grace`, and what it lists without having it
  /// any more is told to stop.
  [[nodiscard]] Served<WorkerPulse> heartbeat(const Caller& caller, const std::string& session,
                                              const std::optional<std::vector<HeldAttempt>>& holds = {});
  /// Refused as ended if the attempt is no longer this session's.
  [[nodiscard]] Served<> finish(const Caller& caller, const std::string& session, const JobEnd& end);
  [[nodiscard]] Served<> append_log(const Caller& caller, const std::string& session, const std::string& run_id,
                                    std::int64_t attempt, std::string_view bytes);
  [[nodiscard]] Served<> close(const Caller& caller, const std::string& session);

  /// The queues of a session, as the store calls them. Reads nothing.
  [[nodiscard]] Served<std::vector<std::string>> queues_of(const Caller& caller, const std::string& session) const;
  /// Renews the lease of a session that waits for work; tells how long it lasts.
  [[nodiscard]] Served<Duration> renew(const Caller& caller, const std::string& session);

 private:
  struct Session {
    SessionId id{};
    std::vector<std::string> queues;  // as the store calls them
  };
  [[nodiscard]] std::string seal_of(const Caller& caller, SessionId id, std::string_view queues) const;
  [[nodiscard]] Served<Session> find(const Caller& caller, std::string_view session) const;
  [[nodiscard]] Served<QueuedRun> held(const Session& session, const std::string& run_id, std::int64_t attempt);
  [[nodiscard]] Served<ClaimedJob> job_of(const ClaimedRun& claimed);

  // worker_holdings.cpp: what workers have, and what they know of
  enum class Missing { given_up, left };
  [[nodiscard]] std::set<AttemptKey> keys_of(const std::vector<HeldAttempt>& holds) const;
  [[nodiscard]] Served<Pulse> beat(const Session& session, const std::optional<std::vector<HeldAttempt>>& holds,
                                   Missing missing);
  [[nodiscard]] Served<> give_up(std::span<const ClaimedRun> runs, bool is_listing);

  const ServiceParts& parts_;
  const std::string key_;  // what ids are sealed with
  HandedOut handed_out_;
};

}  // namespace carillon
