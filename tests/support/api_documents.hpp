#pragma once

#include "support/command_line_fixture.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include <string>
#include <utility>
#include <vector>

namespace carillon {

/// A schedule as the server shows it: active, idle, without a run.
inline boost::json::object schedule_document(std::string_view id, std::string_view cron, std::string_view zone) {
  auto document = boost::json::parse(R"({
    "id": "", "namespace": "default", "name": "", "description": "", "labels": {}, "enabled": true,
    "spec": {"cron": [], "calendars": [], "intervals": [], "times": [], "exclude": [], "timezone": "",
             "startAt": null, "endAt": null, "jitter": "0s", "dst": "cron"},
    "action": {"job": {"type": "report", "payload": {}, "priority": "normal", "queue": "default"}},
    "policies": {"overlap": "skip", "bufferLimit": 1000,
                 "catchup": {"policy": "latest", "window": "30m", "grace": "1m", "maxRuns": 1000},
                 "retry": {"maxAttempts": 3, "backoff": "exponential", "initial": "1m", "factor": 2, "maxDelay": null,
                           "jitter": 0, "onLost": null},
                 "timeout": "10m", "grace": "10s", "startDeadline": null, "totalRepeats": 0,
                 "maxConsecutiveFailures": 0, "pauseOnFailure": false, "pause": {"missed": "skip"},
                 "keep": {"runs": 50, "days": 30}},
    "status": "active", "activity": "idle", "pause": null, "nextRunAt": null, "nextDueAt": null, "lastRunAt": null,
    "lastSuccessAt": null, "lastError": null, "running": 0, "waiting": 0, "runCount": 0, "successCount": 0,
    "errorCount": 0, "currentRepeat": 0, "currentRetry": 0, "skipped": {},
    "stats": {"totalRuns": 0, "successfulRuns": 0, "failedRuns": 0, "lastFailure": null, "averageDurationMs": null},
    "managedBy": null, "owner": "ops", "revision": 1, "createdAt": "2026-10-01T08:00:00Z",
    "updatedAt": "2026-10-01T08:00:00Z", "warnings": [], "recentRuns": [], "upcoming": []})")
                      .as_object();
  document["id"] = id;
  document["name"] = id;
  document["spec"].as_object()["cron"] = boost::json::array{cron};
  document["spec"].as_object()["timezone"] = zone;
  return document;
}

/// A run of an occurrence; times that are empty have not come.
inline boost::json::object run_document(std::string_view id, std::string_view state, std::string_view nominal,
                                        std::string_view started = "", std::string_view ended = "") {
  auto run = boost::json::parse(R"({
    "id": "", "name": "", "schedule": "daily-report", "namespace": "default", "nominal": "", "due": "",
    "source": "schedule", "revision": 1, "state": "", "reason": null, "attempt": 1, "attempts": [], "queuedAt": null,
    "startedAt": null, "endedAt": null, "lateMs": null, "durationMs": null, "result": null, "error": null,
    "itemsProcessed": null, "resultFile": null, "logBytes": null, "why": ""})")
                 .as_object();
  run["id"] = id;
  run["state"] = state;
  run["nominal"] = nominal;
  run["due"] = nominal;
  run["name"] = "daily-report@" + std::string{nominal};
  const auto milliseconds = [](std::string_view from, std::string_view to) {
    return std::chrono::duration_cast<std::chrono::milliseconds>(parse_instant(to).value() -
                                                                 parse_instant(from).value())
        .count();
  };
  if (!started.empty()) {
    run["startedAt"] = started;
    run["lateMs"] = milliseconds(nominal, started);
  } else {
    run["attempt"] = 0;
  }
  if (!ended.empty()) {
    run["endedAt"] = ended;
    run["durationMs"] = milliseconds(started, ended);
  }
  return run;
}

/// Members in place of those of the document.
inline boost::json::object with(boost::json::object document, std::string_view members) {
  const boost::json::value replaced = boost::json::parse(members);
  for (const auto& member : replaced.as_object()) document[member.key()] = member.value();
  return document;
}

/// One page of a list.
inline std::string page_of(const std::vector<boost::json::object>& items) {
  boost::json::array list;
  for (const auto& item : items) list.push_back(item);
  return boost::json::serialize(
      boost::json::object{{"items", list}, {"total", list.size()}, {"nextPageToken", nullptr}});
}

/// A user in New York, on a machine without servers and files of their own, who calls one at 127.0.0.1:7070.
inline ScriptedConsole a_user_in_new_york() {
  ScriptedConsole console;
  console.variables["TZ"] = "America/New_York";
  console.variables["HOME"] = "/nonexistent";
  console.variables["CARILLON_SERVER"] = "http://127.0.0.1:7070";
  return console;
}

}  // namespace carillon
