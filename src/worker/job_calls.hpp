#pragma once

#include "base/error.hpp"
#include "base/instant.hpp"
#include "client/client.hpp"
#include "client/transport.hpp"

#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace carillon {

/// What a worker is to a server.
struct WorkerIntroduction {
  std::string name;
  std::vector<std::string> queues;
  std::vector<std::string> types;
  std::vector<std::string> tags;
  Duration lease = std::chrono::seconds{30};
};

/// An attempt as servers name it to workers.
struct RemoteAttempt {
  std::string run_id;
  std::int64_t attempt = 0;
  friend auto operator<=>(const RemoteAttempt&, const RemoteAttempt&) = default;
};

/// A job that a server has handed out.
struct RemoteJob {
  RemoteAttempt key;
  std::string type;
  std::string queue;
  std::string envelope;  // JSON
  std::optional<Duration> timeout{};
  Duration grace{};
};

struct RemoteStop {
  RemoteAttempt key;
  bool is_by_force = false;
};

/// How an attempt failed.
struct RemoteFailure {
  std::string error;
  bool is_timed_out = false;
  bool is_cancelled = false;
};

/// The requests of a worker to its server (docs/reference/rest.md, Workers). For one thread at a time.
///
/// An error not_found: the session has ended. An error conflict: the attempt is no longer this worker's.
class JobCalls {
 public:
  JobCalls(Transport& transport, Endpoint endpoint);

  /// The session, which is a secret.
  [[nodiscard]] Result<std::string> open(const WorkerIntroduction& introduction);
  /// Waits at most so long for the first job. `holds` is what the worker has.
  [[nodiscard]] Result<std::vector<RemoteJob>> claim(const std::string& session, std::size_t count, Duration wait,
                                                     const std::vector<RemoteAttempt>& holds);
  [[nodiscard]] Result<std::vector<RemoteStop>> heartbeat(const std::string& session,
                                                          const std::vector<RemoteAttempt>& holds);
  [[nodiscard]] Result<> complete(const std::string& session, const RemoteAttempt& attempt);
  [[nodiscard]] Result<> fail(const std::string& session, const RemoteAttempt& attempt, const RemoteFailure& failure);
  [[nodiscard]] Result<> append_log(const std::string& session, const RemoteAttempt& attempt, std::string_view bytes);
  [[nodiscard]] Result<> close(const std::string& session);

 private:
  Transport& transport_;
  Client client_;
};

}  // namespace carillon
