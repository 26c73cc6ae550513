#include "definitions/short_form.hpp"

#include "definitions/member_path.hpp"
#include "definitions/policies.hpp"
#include "document/json_pointer.hpp"

#include <boost/json/array.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <utility>

namespace carillon {
namespace {

namespace json = boost::json;

using Path = MemberPath;

constexpr std::int64_t seconds_max = 36525LL * 86400;  // 100 years, as for every duration
constexpr Duration workflow_timeout = std::chrono::seconds{600};
constexpr std::int64_t workflow_retries = 3;

template <std::size_t N>
using Keys = std::array<std::string_view, N>;

constexpr Keys<2> spec_cron{"spec", "cron"};
constexpr Keys<2> spec_intervals{"spec", "intervals"};
constexpr Keys<2> spec_timezone{"spec", "timezone"};
constexpr Keys<3> job_type{"action", "job", "type"};
constexpr Keys<3> job_payload{"action", "job", "payload"};
constexpr Keys<3> job_priority{"action", "job", "priority"};
constexpr Keys<3> job_queue{"action", "job", "queue"};
constexpr Keys<4> workflow_id{"action", "job", "payload", "workflowId"};
constexpr Keys<4> trigger_node_id{"action", "job", "payload", "triggerNodeId"};
constexpr Keys<4> trigger_payload{"action", "job", "payload", "payload"};
constexpr Keys<2> action_command{"action", "command"};
constexpr Keys<3> http_url{"action", "http", "url"};
constexpr Keys<2> policies_total_repeats{"policies", "totalRepeats"};
constexpr Keys<3> retry_attempts{"policies", "retry", "maxAttempts"};
constexpr Keys<3> retry_initial{"policies", "retry", "initial"};
constexpr Keys<3> retry_factor{"policies", "retry", "factor"};
constexpr Keys<3> retry_delay_max{"policies", "retry", "maxDelay"};
constexpr Keys<2> policies_timeout{"policies", "timeout"};
constexpr Keys<2> policies_failures_max{"policies", "maxConsecutiveFailures"};

constexpr bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }

std::string snake_case(std::string_view camel) {
  std::string snake;
  for (const char c : camel) {
    if (is_upper(c)) snake += '_';
    snake += is_upper(c) ? static_cast<char>(c - 'A' + 'a') : c;
  }
  return snake;
}

json::value seconds_text(std::int64_t seconds) { return json::value(to_text(std::chrono::seconds{seconds})); }

json::array interval_of(json::value every) {
  json::object interval;
  interval["every"] = std::move(every);
  json::array intervals;
  intervals.push_back(std::move(interval));
  return intervals;
}

/// Moves short members one by one. The reader is asked for the short keys only, so it never finishes.
class Rewriting {
 public:
  Rewriting(const json::object& document, std::string_view pointer, Problems& problems)
      : form_{.document = document, .origins = {}, .interval = {}},
        whole_(document),
        reader_{whole_, std::string{pointer}, problems} {}

  LongForm run() {
    move_as_is("cron", spec_cron);
    move_as_is("cronExpr", spec_cron);
    if (const auto every = take("every")) put(*every, spec_intervals, interval_of(every->value), "/0/every");
    move_interval_seconds();
    move_as_is("timezone", spec_timezone);
    move_job();
    move_command();
    move_as_is("url", http_url);
    move_as_is("totalRepeats", policies_total_repeats);
    move_retries();
    move_timeout();
    return std::move(form_);
  }

 private:
  /// A short member, taken out of the document.
  struct Taken {
    std::string key;  // as written
    json::value value;
  };

  /// The member by either of its spellings; null counts as left out.
  std::optional<Taken> take(std::string_view camel) {
    std::optional<Taken> taken;
    take_as(camel, taken);
    if (std::ranges::any_of(camel, is_upper)) take_as(snake_case(camel), taken);
    return taken;
  }

  void take_as(std::string_view key, std::optional<Taken>& taken) {
    json::value* value = form_.document.if_contains(key);
    if (value == nullptr) return;
    if (!value->is_null()) {
      if (taken) note_conflict(key, taken->key);
      taken = Taken{.key = std::string{key}, .value = std::move(*value)};
    }
    form_.document.stable_erase(key);
  }

  void note_conflict(std::string_view key, std::string_view other) {
    reader_.problem(key, "conflict", fmt::format("{} and {} mean the same", key, other), "leave one out");
  }

  /// Puts a value where the canonical form has it; `inside` is where in it the short member's own value stands.
  void put(const Taken& taken, Path path, json::value value, std::string_view inside = {}) {
    const std::string target = pointer_of(path);
    if (find(form_.document, path) != nullptr) return note_conflict(taken.key, written_name(path));
    // What stands in the way is no object, and the reader of the canonical form will say so.
    if (!place(form_.document, path, std::move(value))) return;
    form_.origins[target] = "/" + taken.key;
    if (!inside.empty()) form_.origins[target + std::string{inside}] = "/" + taken.key;
  }

  /// What the user wrote for a canonical member: a short key, or the member itself.
  std::string written_name(Path path) const {
    const auto origin = form_.origins.find(pointer_of(path));
    return origin == form_.origins.end() ? fmt::format("{}", fmt::join(path, ".")) : origin->second.substr(1);
  }

  void move_as_is(std::string_view camel, Path path) {
    if (auto taken = take(camel)) {
      json::value value = std::move(taken->value);
      put(*taken, path, std::move(value));
    }
  }

  /// A whole number of a short member, or nothing after the fault is noted.
  std::optional<std::int64_t> whole_number(const Taken& taken, std::int64_t min, std::int64_t max) {
    const auto number = reader_.integer(taken.key);
    if (!number || (*number >= min && *number <= max)) return number;
    reader_.problem(taken.key, "out-of-range", fmt::format("{} {} is out of range", taken.key, *number),
                    fmt::format("write a whole number from {} to {}", min, max));
    return std::nullopt;
  }

  void move_interval_seconds() {
    const auto taken = take("intervalSeconds");
    const auto seconds = taken ? whole_number(*taken, 1, seconds_max) : std::nullopt;
    if (!seconds) return;
    form_.interval = std::chrono::seconds{*seconds};
    put(*taken, spec_intervals, interval_of(seconds_text(*seconds)), "/0/every");
  }

  void move_job() {
    move_as_is("jobType", job_type);
    move_as_is("jobPayload", job_payload);
    move_as_is("payload", job_payload);
    move_as_is("jobPriority", job_priority);
    move_as_is("queue", job_queue);
    bool is_workflow = move_workflow_part("workflowId", workflow_id);
    is_workflow = move_workflow_part("triggerNodeId", trigger_node_id) || is_workflow;
    is_workflow = move_workflow_part("triggerPayload", trigger_payload) || is_workflow;
    if (is_workflow) place(form_.document, job_type, json::value("workflow"));
    point_job_to_short_keys();
  }

  /// What is wrong with a job that was put together here belongs to a short key, even if nobody wrote that one.
  void point_job_to_short_keys() {
    const auto is_short = [this](Path path) { return form_.origins.contains(pointer_of(path)); };
    if (is_short(job_payload) || is_short(job_priority) || is_short(job_queue))
      form_.origins.try_emplace(pointer_of(job_type), "/jobType");
    if (is_short(trigger_payload))
      form_.origins.try_emplace(pointer_of(job_payload), form_.origins.at(pointer_of(trigger_payload)));
  }

  /// Whether the member was there. A job of another type has no room for it.
  bool move_workflow_part(std::string_view camel, Path path) {
    auto taken = take(camel);
    if (!taken) return false;
    const json::value* type = find(form_.document, job_type);
    if (type != nullptr && *type != json::value("workflow")) {
      note_conflict(taken->key, "a job of another type");
      return false;
    }
    if (form_.origins.contains(pointer_of(job_payload))) {
      note_conflict(taken->key, written_name(job_payload));
      return false;
    }
    json::value value = std::move(taken->value);
    put(*taken, path, std::move(value));
    return true;
  }

  void move_command() {
    auto taken = take("command");
    if (!taken) return;
    const bool is_text = taken->value.is_string();
    json::object command;
    if (is_text) {
      json::array argv;
      argv.push_back(std::move(taken->value));
      command["argv"] = std::move(argv);
      command["shell"] = true;
    } else {
      command["argv"] = std::move(taken->value);
    }
    put(*taken, action_command, std::move(command), "/argv");
    if (is_text) form_.origins[pointer_of(action_command) + "/argv/0"] = "/" + taken->key;
  }

  void move_retries() {
    const auto taken = take("maxRetries");
    const auto retries = taken ? whole_number(*taken, 0, attempts_max - 1) : std::nullopt;
    if (retries) put(*taken, retry_attempts, *retries + 1);
  }

  void move_timeout() {
    const auto taken = take("timeoutSeconds");
    const auto seconds = taken ? whole_number(*taken, 1, seconds_max) : std::nullopt;
    if (seconds) put(*taken, policies_timeout, seconds_text(*seconds));
  }

  LongForm form_;
  json::value whole_;
  ObjectReader reader_;
};

}  // namespace

std::string LongForm::as_written(std::string_view pointer) const {
  for (std::string_view prefix = pointer; !prefix.empty(); prefix = parent_pointer(prefix)) {
    const auto origin = origins.find(prefix);
    if (origin != origins.end()) return origin->second + std::string{pointer.substr(prefix.size())};
  }
  return std::string{pointer};
}

LongForm to_long_form(const json::object& document, std::string_view pointer, Problems& problems) {
  return Rewriting{document, pointer, problems}.run();
}

bool is_schedule(const json::object& document) {
  static constexpr std::array<std::string_view, 9> own{"id",      "namespace", "name",   "description", "labels",
                                                       "enabled", "spec",      "action", "policies"};
  // These two are keys of a spec as well.
  const auto is_short = [&](std::string_view key) {
    return key != "cron" && key != "timezone" && (document.contains(key) || document.contains(snake_case(key)));
  };
  return std::ranges::any_of(own, [&](std::string_view key) { return document.contains(key); }) ||
         std::ranges::any_of(short_keys, is_short);
}

void fill_short_form_defaults(LongForm& form) {
  json::object& document = form.document;
  const bool is_workflow = form.origins.contains(pointer_of(workflow_id)) ||
                           form.origins.contains(pointer_of(trigger_node_id)) ||
                           form.origins.contains(pointer_of(trigger_payload));
  if (is_workflow) {
    place(document, workflow_id, nullptr);
    place(document, trigger_node_id, nullptr);
    place(document, trigger_payload, json::object{});
  }
  if (!form.interval) return;
  place(document, retry_attempts, workflow_retries + 1);
  place(document, policies_timeout, json::value(to_text(workflow_timeout)));
  place(document, policies_failures_max, 1);
  if (find(document, retry_initial) != nullptr) return;
  // The longest delay belongs to the first one: beside an initial of the user's it might be shorter than that.
  place(document, retry_initial, json::value(to_text(*form.interval)));
  place(document, retry_factor, 2);
  const Duration delay_max = std::min<Duration>(10 * *form.interval, std::chrono::seconds{seconds_max});
  place(document, retry_delay_max, json::value(to_text(delay_max)));
}

}  // namespace carillon
