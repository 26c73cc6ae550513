#pragma once

#include "base/instant.hpp"
#include "definitions/policies.hpp"
#include "definitions/words.hpp"
#include "definitions/workflow_action.hpp"

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace carillon {

using TextMap = std::map<std::string, std::string, std::less<>>;

/// A program of this machine. With `shell`, argv is one text that a shell reads.
struct CommandAction {
  std::vector<std::string> argv;
  bool shell = false;
  std::optional<std::string> cwd;
  TextMap env;
  std::optional<std::string> standard_input;
  std::optional<std::string> user;
  std::map<std::string, std::int64_t, std::less<>> limits;  // by the names of resource_limit_names
  OnOwnerLoss on_owner_loss = OnOwnerLoss::kill;
  friend bool operator==(const CommandAction&, const CommandAction&) = default;
};

/// HTTP status codes from first through last.
struct StatusRange {
  std::int64_t first;
  std::int64_t last;
  friend bool operator==(const StatusRange&, const StatusRange&) = default;
};

/// A request to a URL. A text as body is sent as it is, anything else as JSON; null sends the envelope.
struct HttpAction {
  std::string url;
  std::string method{"POST"};
  TextMap headers;
  boost::json::value body;
  std::vector<StatusRange> success_codes{{200, 299}};
  std::optional<std::string> signing_secret;  // a reference, never the secret: `${env:NAME}`
  friend bool operator==(const HttpAction&, const HttpAction&) = default;
};

// Priorities are -100 to 100, higher first; these have words.
inline constexpr std::int64_t priority_low = -50;
inline constexpr std::int64_t priority_normal = 0;
inline constexpr std::int64_t priority_high = 50;

/// Work for a worker that has a handler for the type.
struct JobAction {
  std::string type;
  boost::json::value payload = boost::json::object{};
  std::int64_t priority = priority_normal;
  std::string queue{"default"};
  friend bool operator==(const JobAction&, const JobAction&) = default;
};

/// A pipeline package below the folder of pipelines.
struct PipelineAction {
  std::string path;
  friend bool operator==(const PipelineAction&, const PipelineAction&) = default;
};

/// What a run does.
using Action = std::variant<CommandAction, HttpAction, JobAction, PipelineAction, WorkflowAction>;

/// Names the alternatives of `Action`, in their order.
enum class ActionKind { command, http, job, pipeline, workflow };
[[nodiscard]] ActionKind action_kind_of(const Action& action);
[[nodiscard]] std::string_view to_text(ActionKind kind);

/// `command`, `http`, `job`, `pipeline` or `workflow`: the key of the action in a document.
[[nodiscard]] std::string_view kind_of(const Action& action);

/// Whether an attempt whose fate is unknown is tried again: as the policies say, else no for what may not be repeated
/// (command, pipeline, workflow) and yes for what carries an idempotency key (http, job).
[[nodiscard]] bool retries_when_lost(const Policies& policies, const Action& action);

/// How long a run may stay queued, none = for ever: as the policies say, else a day for jobs.
[[nodiscard]] std::optional<Duration> start_deadline_of(const Policies& policies, const Action& action);

}  // namespace carillon
