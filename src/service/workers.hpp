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
  std::vector<std::string> types{};  // of jobs that it has a handler for; empty: any
  std::vector<std::string> tags{};   // that it has
};

struct WorkerSession {
  std::string id;  // `w-…`: cannot be guessed, and works only for the caller that opened the session
  Instant lease_until;
};

/// A claimed run as a remote worker receives it.
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

/// Whether the answer to a claim has reached the worker.
enum class Delivery {
  whole,   // all of it was handed over to the client's connection
  broken,  // the connection ended before all of it was sent
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

/// Use cases of workers in other processes: they claim jobs of their queues and report how the jobs ended. A session
/// that misses its heartbeats ends, and its runs are lost. A session's id contains all that must be known of it, so
/// that a session outlives this server. May be called from several threads.
///
/// The answer to a claim may be lost. So a claimed attempt counts as launched only when its answer was delivered or,
/// for a worker that lists what it holds, when the worker lists it. An attempt that the worker does not list for
/// `unknown_grace` is given up: as `released` if the worker lists what it holds and has never listed this one, else as
/// `lost`.
class Workers {
 public:
  explicit Workers(const ServiceParts& parts);

  [[nodiscard]] Served<WorkerSession> open(const Caller& caller, const OpenWorkerRequest& request);
  /// Claims jobs, at most `count_max`. The caller must call `delivered` when the answer was sent, or could not be. With
  /// `holds` the worker lists what it has, and confirms what it gets here by listing it later.
  [[nodiscard]] Served<std::vector<ClaimedJob>> claim(const Caller& caller, const std::string& session,
                                                      std::size_t count_max,
                                                      const std::optional<std::vector<HeldAttempt>>& holds = {});
  /// Records whether the answer to a claim was delivered. Jobs of a broken answer go back to the queue at once and use
  /// up no attempt.
  [[nodiscard]] Served<> delivered(const Caller& caller, const std::string& session, std::span<const ClaimedJob> jobs,
                                   Delivery delivery, bool is_listing);
  /// Renews the lease. With `holds`, an attempt that the worker does not list is given up after `unknown_grace`, and
  /// one that it lists but no longer has is to be stopped.
  [[nodiscard]] Served<WorkerPulse> heartbeat(const Caller& caller, const std::string& session,
                                              const std::optional<std::vector<HeldAttempt>>& holds = {});
  /// Refused as ended if the attempt is no longer this session's.
  [[nodiscard]] Served<> finish(const Caller& caller, const std::string& session, const HeldAttempt& attempt,
                                AttemptEnd end);
  [[nodiscard]] Served<> append_log(const Caller& caller, const std::string& session, const std::string& run_id,
                                    std::int64_t attempt, std::string_view bytes);
  [[nodiscard]] Served<> close(const Caller& caller, const std::string& session);

  struct Wanted {
    std::vector<std::string> queues;  // as the store calls them
    WorkerSkills skills;
  };
  /// What a session takes. Reads nothing.
  [[nodiscard]] Served<Wanted> wanted_by(const Caller& caller, const std::string& session) const;
  /// Renews the lease of a session that waits for work; returns how long it lasts.
  [[nodiscard]] Served<Duration> renew(const Caller& caller, const std::string& session);

 private:
  struct Session {
    SessionId id{};
    std::vector<std::string> queues;  // as the store calls them
    WorkerSkills skills{};
  };
  [[nodiscard]] std::string seal_of(const Caller& caller, SessionId id, std::string_view queues) const;
  [[nodiscard]] Served<Session> find(const Caller& caller, std::string_view session) const;
  [[nodiscard]] Served<QueuedRun> held(const Session& session, const std::string& run_id, std::int64_t attempt);
  void note_presence(const Session& session, Duration lease) const {
    if (parts_.presence != nullptr) parts_.presence->note(session.queues, lease);
  }
  [[nodiscard]] Served<ClaimedJob> job_of(const ClaimedRun& claimed);

  // worker_holdings.cpp: what workers have, and what they list
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
