#pragma once

#include "base/instant.hpp"
#include "service/caller.hpp"
#include "service/parts.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace carillon {

struct WorkerWish {
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

struct WorkerPulse {
  struct StopWish {
    std::string run_id;
    std::int64_t attempt = 0;
    Stop how = Stop::cancel;
  };
  Instant lease_until;
  std::vector<StopWish> stops;
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
/// misses its heartbeats is over, and what it had is lost. Nothing is kept here: the id of a session says what it is,
/// so that it outlives this server.
class Workers {
 public:
  explicit Workers(const ServiceParts& parts);

  [[nodiscard]] Served<WorkerSession> open(const Caller& caller, const WorkerWish& wish);
  [[nodiscard]] Served<std::vector<ClaimedJob>> claim(const Caller& caller, const std::string& session,
                                                      std::size_t count_max);
  [[nodiscard]] Served<WorkerPulse> heartbeat(const Caller& caller, const std::string& session);
  /// Refused as ended if the attempt is no longer this session's.
  [[nodiscard]] Served<> finish(const Caller& caller, const std::string& session, const JobEnd& end);
  [[nodiscard]] Served<> append_log(const Caller& caller, const std::string& session, const std::string& run_id,
                                    std::int64_t attempt, std::string_view bytes);
  [[nodiscard]] Served<> close(const Caller& caller, const std::string& session);

 private:
  struct Session {
    SessionId id{};
    std::vector<std::string> queues;  // as the store calls them
  };
  [[nodiscard]] std::string seal_of(const Caller& caller, SessionId id, std::string_view queues) const;
  [[nodiscard]] Served<Session> find(const Caller& caller, std::string_view session) const;
  [[nodiscard]] Served<QueuedRun> held(const Session& session, const std::string& run_id, std::int64_t attempt);
  [[nodiscard]] Served<ClaimedJob> job_of(const ClaimedRun& claimed);

  const ServiceParts& parts_;
  const std::string key_;  // what ids are sealed with
};

}  // namespace carillon
