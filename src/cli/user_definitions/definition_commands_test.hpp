#pragma once

#include "support/command_line_fixture.hpp"
#include "support/run_documents.hpp"
#include "support/temporary_folder.hpp"

#include <fmt/format.h>

#include <fstream>
#include <string>

namespace carillon::cli {

/// A schedule as a server answers it.
inline std::string answered_schedule(const std::string& cron, const std::string& more = "") {
  return R"({"id":"nightly","namespace":"default","name":"nightly","description":"","labels":{"team":"data"},)"
         R"("enabled":true,"spec":{"cron":[")" +
         cron +
         R"("],"calendars":[],"intervals":[],"times":[],"exclude":[],"timezone":"America/New_York","startAt":null,)"
         R"("endAt":null,"jitter":"0s","dst":"cron"},"action":{"command":{"argv":["/usr/bin/etl","--full"],)"
         R"("shell":false,"cwd":null,"env":{},"stdin":null,"user":null,"limits":{},"onOwnerLoss":"kill"}},)"
         R"("policies":{"overlap":"skip","bufferLimit":1000,"catchup":{"policy":"latest","window":null,)"
         R"("grace":"1m","maxRuns":1000},"retry":{"maxAttempts":4,"backoff":"exponential","initial":"1m",)"
         R"("factor":2,"maxDelay":null,"jitter":0,"onLost":null},"timeout":null,"grace":"10s",)"
         R"("startDeadline":null,"totalRepeats":0,"maxConsecutiveFailures":0,"pauseOnFailure":false,)"
         R"("pause":{"missed":"skip"},"keep":{"runs":50,"days":30}},"status":"active","activity":"idle",)"
         R"("pause":null,"nextDueAt":null,"running":0,"stats":{"totalRuns":0,"successfulRuns":0,"failedRuns":0},"revision":1,)"
         R"("createdAt":"2026-10-01T00:00:00Z","warnings":[])" +
         more + "}";
}

/// A server that has one schedule, and somebody in New York before it.
struct DefinitionWorld {
  ScriptedConsole console;
  ScriptedTransport transport;
  TemporaryFolder folder;

  DefinitionWorld() {
    console.variables["TZ"] = "America/New_York";
    console.variables["HOME"] = "/nowhere/at/all";
    console.variables["CARILLON_SERVER"] = "http://127.0.0.1:7070";
    transport.answer("GET /api/v1/schedules?limit=1", R"({"items":[],"total":0,"nextPageToken":null})");
    has_nightly();
  }

  void has_nightly() {
    transport.answer("GET /api/v1/schedules/nightly", answered_schedule("0 9 * * 1-5"), {{"etag", "\"1\""}});
  }
  /// What a dry run of a file with this cron answers.
  void would_make(const std::string& cron) {
    transport.answer("PUT /api/v1/schedules/nightly?dryRun=true", answered_schedule(cron));
  }

  [[nodiscard]] std::string file(const std::string& name, const std::string& text) const {
    const auto path = folder.path() / name;
    std::ofstream{path} << text;
    return path.string();
  }
  [[nodiscard]] std::string nightly_file(const std::string& cron) const {
    return file("nightly.yaml",
                fmt::format("id: nightly\nlabels: {{team: data}}\nspec: {{cron: '{}', timezone: "
                            "America/New_York}}\naction: {{command: {{argv: [/usr/bin/etl, --full]}}}}\n",
                            cron));
  }

  [[nodiscard]] Told says(const std::vector<std::string>& words) { return carillon_on(console, transport, words); }

  /// Methods and addresses of everything that was written.
  [[nodiscard]] std::vector<std::string> writes() const {
    std::vector<std::string> all;
    for (const ServerRequest& request : transport.requests) {
      const bool is_question =
          request.method == "GET" || request.url.contains("dryRun") || request.url.contains("/preview");
      if (!is_question) all.push_back(request.method + ' ' + request.url.substr(request.url.find("/api/v1")));
    }
    return all;
  }
};

}  // namespace carillon::cli
