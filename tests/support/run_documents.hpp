#pragma once

#include "support/scripted_console.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace carillon {

/// Runs as a server answers them, around Thursday, 29 October 2026, 14:22:05 UTC.

inline constexpr std::string_view attempt_that_timed_out =
    R"({"attempt":1,"worker":"vm-6143","claimedAt":"2026-10-23T13:00:00.05Z","launchedAt":"2026-10-23T13:00:00.1Z",)"
    R"("endedAt":"2026-10-23T13:10:00.1Z","state":"timed_out","exitCode":null,"signal":9,"error":"timed out after 10m",)"
    R"("rusage":null})";
inline constexpr std::string_view attempt_that_failed =
    R"({"attempt":2,"worker":"vm-6143","claimedAt":"2026-10-23T13:11:00.05Z","launchedAt":"2026-10-23T13:11:00.1Z",)"
    R"("endedAt":"2026-10-23T13:33:10.1Z","state":"failed","exitCode":3,"signal":null,"error":"exited with 3",)"
    R"("rusage":null})";

inline const std::string run_by_hand =
    R"({"id":"r-80aa12dd","name":"nightly-etl@2026-10-29T14:17:54.9Z+trigger-796256ff","schedule":"nightly-etl",)"
    R"("namespace":"default","nominal":"2026-10-29T14:17:54.9Z","due":"2026-10-29T14:17:54.9Z","source":"trigger",)"
    R"("revision":1,"state":"running","reason":null,"attempt":1,"attempts":[],"queuedAt":"2026-10-29T14:17:54.9Z",)"
    R"("startedAt":"2026-10-29T14:17:55Z","endedAt":null,"lateMs":100,"durationMs":null,"result":null,"error":null,)"
    R"("itemsProcessed":null,"resultFile":null,"logBytes":null,"why":"started by hand; attempt 1 is running"})";

inline const std::string run_that_succeeded =
    R"({"id":"r-7f3a91c2","name":"daily-report@2026-10-29T13:00:00Z","schedule":"daily-report","namespace":"default",)"
    R"("nominal":"2026-10-29T13:00:00Z","due":"2026-10-29T13:00:00Z","source":"schedule","revision":3,)"
    R"("state":"succeeded","reason":null,"attempt":1,"attempts":[],"queuedAt":"2026-10-29T13:00:00.01Z",)"
    R"("startedAt":"2026-10-29T13:00:00.1Z","endedAt":"2026-10-29T13:02:35.1Z","lateMs":100,"durationMs":155000,)"
    R"("result":{"bugs":42},"error":null,"itemsProcessed":null,"resultFile":null,"logBytes":null,)"
    R"("why":"scheduled for 2026-10-29T13:00:00Z (revision 3); attempt 1 succeeded"})";

inline const std::string run_that_failed =
    std::string{
        R"({"id":"r-7c0b77e0","name":"daily-report@2026-10-23T13:00:00Z","schedule":"daily-report",)"
        R"("namespace":"default","nominal":"2026-10-23T13:00:00Z","due":"2026-10-23T13:00:00Z","source":"schedule",)"
        R"("revision":3,"state":"failed","reason":null,"attempt":2,"attempts":[)"} +
    std::string{attempt_that_timed_out} + "," + std::string{attempt_that_failed} +
    R"(],"queuedAt":"2026-10-23T13:00:00.01Z","startedAt":"2026-10-23T13:00:00.1Z",)"
    R"("endedAt":"2026-10-23T13:33:10.1Z","lateMs":100,"durationMs":1990000,"result":null,"error":"exited with 3",)"
    R"("itemsProcessed":null,"resultFile":null,"logBytes":null,)"
    R"("why":"scheduled for 2026-10-23T13:00:00Z (revision 3); attempt 2 failed: exited with 3"})";

inline const std::string run_that_waits =
    R"({"id":"r-80ac0001","name":"~80ac0001","schedule":null,"namespace":"default","nominal":null,"due":null,)"
    R"("source":"adhoc","revision":null,"state":"queued","reason":null,"attempt":0,"attempts":[],)"
    R"("queuedAt":"2026-10-29T14:22:00Z","startedAt":null,"endedAt":null,"lateMs":null,"durationMs":null,"result":null,)"
    R"("error":null,"itemsProcessed":null,"resultFile":null,"logBytes":null,"why":"waits for a worker"})";

/// A schedule with little more than what every answer has. `more` are further members: `,"pause":null`.
inline std::string small_schedule(const std::string& id, const std::string& status = "active",
                                  const std::string& more = "") {
  return R"({"id":")" + id + R"(","namespace":"default","name":")" + id +
         R"(","description":"","labels":{},"enabled":true,"spec":{},"action":{},"policies":{},"status":")" + status +
         R"(","activity":"idle","running":0,"stats":{},"createdAt":"2026-10-01T08:00:00Z","warnings":[])" + more + "}";
}

/// A page with these.
inline std::string page_of(const std::vector<std::string>& items) {
  std::string text = R"({"items":[)";
  for (std::size_t i = 0; i < items.size(); ++i) text += (i > 0 ? "," : "") + items[i];
  return text + R"(],"nextPageToken":null})";
}

/// Somebody in New York with a server, and no files of their own.
inline ScriptedConsole console_in_new_york() {
  ScriptedConsole console;
  console.variables["TZ"] = "America/New_York";
  console.variables["HOME"] = "/nonexistent";
  console.variables["CARILLON_SERVER"] = "http://127.0.0.1:7070";
  return console;
}

}  // namespace carillon
