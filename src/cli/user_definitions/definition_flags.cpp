#include "cli/user_definitions/definition_flags.hpp"

#include "base/duration_text.hpp"
#include "base/quoted.hpp"
#include "cli/command_line/argument_values.hpp"
#include "cli/command_line/command_error.hpp"
#include "cli/command_line/time_value.hpp"
#include "document/document.hpp"

#include <boost/json/array.hpp>
#include <fmt/format.h>

#include <algorithm>

namespace carillon::cli {

namespace {

namespace json = boost::json;

constexpr std::size_t attempt_count_max = 1'000;

Result<json::object> spec_from(const Arguments& arguments, DefinitionUse use, const std::string& zone,
                               Session& session) {
  json::object spec;
  const bool has_times = arguments.has("cron") || arguments.has("every") || arguments.has("at");
  if (has_times && use == DefinitionUse::edit) {
    // Otherwise the old times would go on beside the new ones.
    for (const std::string_view source : {"cron", "calendars", "intervals", "times"}) spec[source] = json::array{};
  }
  if (arguments.has("cron"))
    spec["cron"] = json::array(arguments.values("cron").begin(), arguments.values("cron").end());
  if (const auto every = arguments.value("every")) spec["intervals"] = json::array{json::object{{"every", *every}}};
  if (arguments.has("at")) {
    const ZonePtr known = TRY(zone_value("--tz", zone, session.zones));
    json::array times;
    for (const std::string& text : arguments.values("at"))
      times.push_back(json::value(to_text(TRY(time_value("--at", text, *known, TimeSide::future, session.now)))));
    spec["times"] = std::move(times);
  }
  if (const auto timezone = arguments.value("tz")) spec["timezone"] = *timezone;
  if (const auto jitter = arguments.value("jitter")) spec["jitter"] = *jitter;
  return spec;
}

Result<json::value> payload_from(const Arguments& arguments) {
  const std::string text = *arguments.value("payload");
  auto payload = parse_json(text);
  if (payload) return *std::move(payload);
  Error error = usage_error("--payload is not JSON: " + payload.error().message, R"(--payload '{"format": "pdf"}')");
  error.position = payload.error().position;
  return std::unexpected(shown_in(std::move(error), text));
}

/// What a command finds when it starts: variables and a folder.
Result<json::object> surroundings_from(const Arguments& arguments) {
  json::object command;
  if (const auto folder = arguments.value("cwd")) command["cwd"] = *folder;
  json::object variables;
  for (const std::string& text : arguments.values("env")) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0)
      return std::unexpected(
          usage_error(fmt::format("{} is not a variable", carillon::quoted(text)), "--env NAME=value"));
    variables[text.substr(0, equals)] = text.substr(equals + 1);
  }
  if (!variables.empty()) command["env"] = std::move(variables);
  return command;
}

/// Nothing when no flag speaks of what is started.
Result<json::object> action_from(const Arguments& arguments, std::span<const std::string> command) {
  const int kind_count = int{!command.empty()} + int{arguments.has("url")} + int{arguments.has("job")};
  if (kind_count > 1)
    return std::unexpected(
        usage_error("more than one action given", "give a command after --, --url URL or --job TYPE"));
  if (!command.empty()) {
    if (arguments.has("payload"))
      return std::unexpected(usage_error("a command takes no payload", "give it arguments, or use --url or --job"));
    json::object action = TRY(surroundings_from(arguments));
    action["argv"] = json::array(command.begin(), command.end());
    action["shell"] = false;
    return json::object{{"command", std::move(action)}};
  }
  const json::object surroundings = TRY(surroundings_from(arguments));
  if (!surroundings.empty() && kind_count > 0)
    return std::unexpected(usage_error("--env and --cwd need a command", "give a command after --"));
  if (!surroundings.empty()) return json::object{{"command", surroundings}};
  if (const auto url = arguments.value("url")) {
    json::object http{{"url", *url}};
    if (arguments.has("payload")) http["body"] = TRY(payload_from(arguments));
    return json::object{{"http", std::move(http)}};
  }
  json::object job;
  if (const auto type = arguments.value("job")) job["type"] = *type;
  if (arguments.has("payload")) job["payload"] = TRY(payload_from(arguments));
  return job.empty() ? job : json::object{{"job", std::move(job)}};
}

json::value text_or_none(const std::string& text) { return text == "none" ? json::value{} : json::value(text); }

Result<json::object> policies_from(const Arguments& arguments) {
  json::object policies;
  if (const auto overlap = arguments.value("overlap")) policies["overlap"] = *overlap;
  if (const auto catchup = arguments.value("catchup")) policies["catchup"] = json::object{{"policy", *catchup}};
  if (arguments.has("attempts") && arguments.has("retries"))
    return std::unexpected(
        usage_error("--attempts and --retries set the same thing", "--attempts 3 equals --retries 2"));
  if (const auto attempts = arguments.value("attempts"))
    policies["retry"] = json::object{{"maxAttempts", TRY(count_value("--attempts", *attempts, attempt_count_max))}};
  if (const auto retries = arguments.value("retries")) {
    const std::size_t count = *retries == "0" ? 0 : TRY(count_value("--retries", *retries, attempt_count_max - 1));
    policies["retry"] = json::object{{"maxAttempts", count + 1}};
  }
  if (const auto timeout = arguments.value("timeout")) policies["timeout"] = text_or_none(*timeout);
  return policies;
}

Result<json::object> labels_from(const Arguments& arguments, DefinitionUse use) {
  json::object labels;
  for (const std::string& text : arguments.values("label")) {
    const std::size_t equals = text.find('=');
    if (equals != std::string::npos && equals > 0) {
      labels[text.substr(0, equals)] = text.substr(equals + 1);
    } else if (use == DefinitionUse::edit && text.size() > 1 && text.ends_with('-')) {
      labels[text.substr(0, text.size() - 1)] = nullptr;
    } else {
      return std::unexpected(
          usage_error(fmt::format("{} is not a label", carillon::quoted(text)), "--label team=data"));
    }
  }
  return labels;
}

struct MemberOfFlag {
  std::string_view pointer;
  std::string_view flag;
};

constexpr MemberOfFlag members_of_flags[] = {{"/spec/cron", "cron"},
                                             {"/spec/intervals", "every"},
                                             {"/spec/times", "at"},
                                             {"/spec/timezone", "tz"},
                                             {"/spec/jitter", "jitter"},
                                             {"/action/command/env", "env"},
                                             {"/action/command/cwd", "cwd"},
                                             {"/action/http/url", "url"},
                                             {"/action/http/body", "payload"},
                                             {"/action/job/type", "job"},
                                             {"/action/job/payload", "payload"},
                                             {"/policies/overlap", "overlap"},
                                             {"/policies/catchup", "catchup"},
                                             {"/policies/retry", "attempts"},
                                             {"/policies/timeout", "timeout"},
                                             {"/description", "description"},
                                             {"/labels", "label"}};

/// `/spec/intervals/0/every: …` becomes `--every: …` when that flag was given.
void name_flag(std::string& fault, const Arguments& arguments) {
  const std::size_t colon = fault.find(": ");
  if (colon == std::string::npos) return;
  for (const auto& [pointer, flag] : members_of_flags) {
    if (!fault.starts_with(pointer) || !arguments.has(flag)) continue;
    fault.replace(0, colon, fmt::format("--{}", flag));
    return;
  }
}

}  // namespace

FlagSpecs definition_flags() {
  return {{.names = "--cron", .form = "EXPR", .text = "when: a cron expression; repeatable", .may_repeat = true},
          {.names = "--every", .form = "DURATION", .text = "when: at this interval, such as 15m or 2d"},
          {.names = "--at",
           .form = "TIME",
           .text = "when: once, at this time: +5m, 18:00, 2027-03-14 02:30; repeatable",
           .may_repeat = true},
          {.names = "--jitter", .form = "DURATION", .text = "delay each start by a random time up to this"},
          {.names = "--tz", .form = "ZONE", .text = "time zone of the schedule; default: the server's"},
          {.names = "--env",
           .form = "NAME=VALUE",
           .text = "environment variable of the command; repeatable",
           .may_repeat = true},
          {.names = "--cwd", .form = "DIR", .text = "working folder of the command"},
          {.names = "--url", .form = "URL", .text = "what: a POST to this address"},
          {.names = "--job", .form = "TYPE", .text = "what: a job of this type for a worker"},
          {.names = "--payload", .form = "JSON", .text = "payload of the job, or body of the request"},
          {.names = "--overlap",
           .form = "WORD",
           .text = "what to do while a run is active: skip, buffer_one, buffer_latest, buffer_all, cancel_other, "
                   "terminate_other, allow_all"},
          {.names = "--catchup", .form = "WORD", .text = "which missed times to catch up: latest, all, none"},
          {.names = "--attempts", .form = "N", .text = "how many attempts a run gets"},
          {.names = "--retries", .form = "N", .text = "how often a failed attempt is repeated: --attempts less one"},
          {.names = "--timeout", .form = "DURATION", .text = "how long one attempt may take; none: no limit"},
          {.names = "--description", .form = "TEXT", .text = "description of the schedule"},
          {.names = "-l,--label",
           .form = "KEY=VALUE",
           .text = "set a label; repeatable; edit: KEY- removes one",
           .may_repeat = true}};
}

Result<json::object> definition_from(const Arguments& arguments, std::span<const std::string> command,
                                     DefinitionUse use, const std::string& zone, Session& session) {
  json::object definition;
  const auto put = [&](std::string_view key, json::object part) {
    if (!part.empty()) definition[key] = std::move(part);
  };
  if (const auto description = arguments.value("description")) definition["description"] = *description;
  put("labels", TRY(labels_from(arguments, use)));
  put("spec", TRY(spec_from(arguments, use, zone, session)));
  put("action", TRY(action_from(arguments, command)));
  put("policies", TRY(policies_from(arguments)));
  return definition;
}

Error in_words_of_flags(Error error, const Arguments& arguments) {
  name_flag(error.message, arguments);
  for (std::string& fault : error.context) name_flag(fault, arguments);
  return error;
}

}  // namespace carillon::cli
