#include "api/rest_world.hpp"
#include "document/document.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <fmt/format.h>

#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace carillon::testing {
namespace {

namespace json = boost::json;
using http::Method;

/// Somebody with a token: a role, whether it was given the scope execute, and the namespace it is bound to.
struct Bearer {
  Role role = Role::viewer;
  bool is_given_execute = false;
  std::string name_space{};  // empty: not bound

  [[nodiscard]] std::string name() const {
    return fmt::format("{}{}{}", to_text(role), is_given_execute ? "+execute" : "",
                       name_space.empty() ? "" : "@" + name_space);
  }
  [[nodiscard]] bool may_edit() const { return role == Role::editor || role == Role::admin; }
  [[nodiscard]] bool may_operate() const { return may_edit() || role == Role::operator_; }
  [[nodiscard]] bool may_execute() const {
    return (role == Role::admin || is_given_execute) && (name_space.empty() || name_space == "open");
  }
};

// Commands are allowed in the namespace `open` and not in `closed`.
std::vector<Bearer> bearers() {
  std::vector<Bearer> all;
  for (const std::string& name_space : {std::string{}, std::string{"open"}, std::string{"closed"}}) {
    for (const Role role : {Role::viewer, Role::operator_, Role::editor, Role::admin, Role::worker})
      all.push_back({.role = role, .name_space = name_space});
    if (name_space != "closed")
      all.push_back({.role = Role::editor, .is_given_execute = true, .name_space = name_space});
  }
  return all;
}

struct ActionKind {
  std::string_view name;
  std::string_view members;  // of a document
  bool is_command = false;
};
constexpr ActionKind action_kinds[] = {
    {"job", R"("action":{"job":{"type":"t"}})"},
    {"http", R"("action":{"http":{"url":"https://example.org/"}})"},
    {"command", R"("action":{"command":{"argv":["/bin/true"]}})", true},
    {"short job", R"("jobType":"t")"},
    {"short http", R"("url":"https://example.org/")"},
    {"short command", R"("command":["/bin/true"])", true},
    {"shell command", R"("command":"/bin/true; /bin/false")", true},
};
constexpr std::string_view trigger_edits[] = {
    R"({"name":"other"})",
    R"({"description":"other"})",
    R"({"cron":"5 5 * * *"})",
    R"({"spec":{"timezone":"Europe/Berlin"}})",
    R"({"spec":{"jitter":"5m"}})",
    R"({"policies":{"overlap":"allow_all"}})",
    R"({"policies":{"retry":{"maxAttempts":9}}})",
    R"({"totalRepeats":5})",
    R"({"labels":{"a":"b"}})",
    R"({"enabled":false})",
};

class Execute : public ::testing::Test {
 protected:
  Execute() {
    for (const Bearer& bearer : bearers()) {
      TokenRequest command{.name = "test", .role = bearer.role, .may_execute = bearer.is_given_execute};
      if (!bearer.name_space.empty()) command.name_space = bearer.name_space;
      world_.add_token(bearer.name(), command);
    }
  }

  http::Response ask(Method method, std::string target, std::string_view bearer, std::string body = {}) {
    http::Request request{.method = method, .target = std::move(target), .body = std::move(body)};
    request.headers.add("Host", "localhost");
    request.headers.add("Authorization", "Bearer " + std::string{bearer});
    request.headers.add("Content-Type", "application/json");
    return world_.ask(std::move(request));
  }
  static std::string code_of(const http::Response& response) {
    const auto body = parse_json(response.body);
    const json::value* code = body && body->is_object() ? body->get_object().if_contains("code") : nullptr;
    return code != nullptr && code->is_string() ? std::string{code->get_string()} : "";
  }
  [[nodiscard]] static std::string place(const Bearer& bearer) {
    return bearer.name_space.empty() ? "default" : bearer.name_space;
  }
  /// A schedule that an admin has made where the bearer can reach it.
  std::string made(const Bearer& bearer, const ActionKind& kind) {
    const std::string id = fmt::format("s{}", ++count_);
    const auto response =
        ask(Method::post, "/api/v1/schedules", "admin",
            fmt::format(R"({{"id":"{}","namespace":"{}","cron":"0 3 * * *",{}}})", id, place(bearer), kind.members));
    EXPECT_EQ(response.status, 201) << response.body;
    return id;
  }
  std::string definition(const Bearer& bearer, const std::string& id) {
    const auto response =
        ask(Method::get, fmt::format("/api/v1/schedules/{}?namespace={}", id, place(bearer)), "admin");
    if (response.status != 200) return {};
    const auto document = parse_json(response.body).value();
    json::object kept;
    for (const char* member : {"name", "description", "labels", "enabled", "spec", "action", "policies"})
      if (const json::value* value = document.get_object().if_contains(member)) kept[member] = *value;
    return json::serialize(kept);
  }
  /// Who asks for a change of a definition gets it or not, and what is refused changes nothing.
  void expect_change(const Bearer& bearer, bool is_about_command, const std::string& id, const http::Response& response,
                     const std::string& before, bool is_dry_run, const std::string& what) {
    const std::string who = bearer.name() + ": " + what;
    ++asked_;
    if (!bearer.may_edit()) {
      EXPECT_EQ(response.status, 403) << who;
      EXPECT_EQ(code_of(response), "forbidden") << who;
    } else if (is_about_command && !bearer.may_execute()) {
      EXPECT_EQ(response.status, 403) << who << response.body;
      EXPECT_EQ(code_of(response), "execute_required") << who;
      EXPECT_TRUE(response.body.contains("--execute")) << "how to get it: " << response.body;
    } else {
      EXPECT_LT(response.status, 300) << who << response.body;
      if (!is_dry_run) {
        EXPECT_NE(definition(bearer, id), before) << who;
      }
      return;
    }
    EXPECT_EQ(definition(bearer, id), before) << who;
  }

  RestWorld world_{{.writer_count = 1, .reader_count = 1}, nullptr, nullptr, CommandRules{.namespaces = {"open"}}};
  int count_ = 0;
  int asked_ = 0;
};

TEST_F(Execute, is_needed_to_create_a_command_in_every_way_there_is) {
  for (const Bearer& bearer : bearers()) {
    for (const ActionKind& kind : action_kinds) {
      for (const bool is_dry_run : {false, true}) {
        const std::string dry = is_dry_run ? "?dryRun=true" : "";
        const std::string posted = fmt::format("p{}", ++count_);
        const auto post = ask(Method::post, "/api/v1/schedules" + dry, bearer.name(),
                              fmt::format(R"({{"id":"{}","cron":"0 3 * * *",{}}})", posted, kind.members));
        expect_change(bearer, kind.is_command, posted, post, "", is_dry_run, fmt::format("POST {}{}", kind.name, dry));

        const std::string put_id = fmt::format("q{}", ++count_);
        const auto put = ask(Method::put, fmt::format("/api/v1/schedules/{}{}", put_id, dry), bearer.name(),
                             fmt::format(R"({{"cron":"0 3 * * *",{}}})", kind.members));
        expect_change(bearer, kind.is_command, put_id, put, "", is_dry_run, fmt::format("PUT {}{}", kind.name, dry));
      }
    }
  }
  EXPECT_EQ(asked_, 17 * 7 * 2 * 2);
}

TEST_F(Execute, is_needed_to_replace_a_command_or_to_put_one_in_the_place_of_another_action) {
  for (const Bearer& bearer : bearers()) {
    for (const ActionKind& old : action_kinds) {
      for (const ActionKind& next : action_kinds) {
        const bool is_about_command = old.is_command || next.is_command;
        const std::string what = fmt::format("{} becomes {}", old.name, next.name);
        const std::string id = made(bearer, old);
        const std::string before = definition(bearer, id);
        const auto put = ask(Method::put, "/api/v1/schedules/" + id, bearer.name(),
                             fmt::format(R"({{"cron":"4 4 * * *",{}}})", next.members));
        expect_change(bearer, is_about_command, id, put, before, false, "PUT " + what);

        const std::string patched = made(bearer, old);
        const std::string patched_before = definition(bearer, patched);
        const auto patch = ask(Method::patch, "/api/v1/schedules/" + patched, bearer.name(),
                               fmt::format(R"({{"cron":"4 4 * * *",{}}})", next.members));
        expect_change(bearer, is_about_command, patched, patch, patched_before, false, "PATCH " + what);
      }
    }
  }
}

TEST_F(Execute, is_needed_to_change_what_triggers_a_command) {
  for (const Bearer& bearer : bearers()) {
    for (const ActionKind& kind : action_kinds) {
      for (const std::string_view edit : trigger_edits) {
        const std::string id = made(bearer, kind);
        const std::string before = definition(bearer, id);
        const auto patch = ask(Method::patch, "/api/v1/schedules/" + id, bearer.name(), std::string{edit});
        expect_change(bearer, kind.is_command, id, patch, before, false, fmt::format("PATCH {} {}", kind.name, edit));
      }
    }
  }
}

TEST_F(Execute, is_needed_to_bring_a_deleted_command_back) {
  const Bearer editor{.role = Role::editor};
  const std::string id = made(editor, action_kinds[2]);
  EXPECT_EQ(ask(Method::del, "/api/v1/schedules/" + id, "editor").status, 204) << "taking one away needs no more";

  const auto back = ask(Method::put, "/api/v1/schedules/" + id, "editor",
                        R"({"cron":"0 3 * * *","action":{"command":{"argv":["/bin/true"]}}})");

  EXPECT_EQ(back.status, 403);
  EXPECT_EQ(code_of(back), "execute_required");
}

TEST_F(Execute, is_not_needed_to_say_the_same_again) {
  const std::string id = made({.role = Role::editor}, action_kinds[2]);

  const auto again = ask(Method::put, "/api/v1/schedules/" + id, "editor",
                         R"({"cron":"0 3 * * *","action":{"command":{"argv":["/bin/true"]}}})");

  EXPECT_EQ(again.status, 200) << again.body;
}

TEST_F(Execute, is_not_needed_to_operate_a_command_which_stays_as_it_was_defined) {
  for (const Bearer& bearer : bearers()) {
    const std::string id = made(bearer, action_kinds[2]);
    const std::string before = definition(bearer, id);
    for (const auto& [verb, body] : std::initializer_list<std::pair<std::string_view, std::string_view>>{
             {"pause", "{}"},
             {"resume", "{}"},
             {"disable", "{}"},
             {"enable", "{}"},
             {"reset", "{}"},
             {"trigger", R"({"payload":{"argv":["/bin/evil"],"env":{"A":"b"}}})"},
             {"backfills", R"({"from":"2026-05-01T00:00:00Z","to":"2026-05-03T00:00:00Z"})"},
             {"cancel", "{}"}}) {
      const auto response =
          ask(Method::post, fmt::format("/api/v1/schedules/{}/{}", id, verb), bearer.name(), std::string{body});
      const std::string who = fmt::format("{} {}: {} {}", bearer.name(), verb, response.status, response.body);
      if (!bearer.may_operate())
        EXPECT_EQ(response.status, 403) << who;
      else
        EXPECT_NE(response.status, 403) << who;
    }
    EXPECT_EQ(definition(bearer, id), before) << bearer.name();
  }
}

TEST_F(Execute, cannot_be_given_with_a_trigger) {
  const std::string id = made({.role = Role::editor}, action_kinds[2]);
  for (const char* body : {R"({"argv":["/bin/evil"]})", R"({"env":{"A":"b"}})", R"({"command":["/bin/evil"]})",
                           R"({"action":{"command":{"argv":["/bin/evil"]}}})"})
    EXPECT_EQ(ask(Method::post, "/api/v1/schedules/" + id + "/trigger", "operator", body).status, 422) << body;
  EXPECT_EQ(ask(Method::post, "/api/v1/jobs", "operator", R"({"command":["/bin/evil"]})").status, 422)
      << "a job is no command";
}

// A route that is added has to be put into one of the two lists, and into the tests above if it writes definitions.
TEST_F(Execute, is_asked_for_by_every_route_that_can_write_a_definition) {
  const std::set<std::string_view> writing{"createSchedule", "putSchedule", "patchSchedule"};
  const std::set<std::string_view> not_writing{
      "batchDeleteSchedules", "batchSchedules",   "previewSchedule", "deleteSchedule",    "pauseSchedule",
      "resumeSchedule",       "enableSchedule",   "disableSchedule", "resetSchedule",     "triggerSchedule",
      "cancelSchedule",       "previewBackfill",  "createBackfill",  "pauseBackfill",     "resumeBackfill",
      "cancelBackfill",       "cancelRun",        "retryRun",        "createJob",         "openWorker",
      "closeWorker",          "claimJobs",        "beatWorker",      "completeJob",       "failJob",
      "appendJobLog",         "patchQueue",       "retryDeadLetter", "discardDeadLetter", "pauseQueue",
      "resumeQueue",          "createToken",      "revokeToken",     "createSession",     "closeSession",
      "createSessionLink",    "validatePipeline", "acquireLock",     "extendLock",        "releaseLock"};
  for (const rest::Route& route : rest::routes()) {
    if (route.method == Method::get) continue;
    const Operation& operation = operation_of(route.operation);
    EXPECT_TRUE(writing.contains(operation.name) != not_writing.contains(operation.name)) << operation.name;
    if (writing.contains(operation.name)) {
      EXPECT_EQ(operation.scope, Scope::edit) << operation.name;
    }
  }
}

TEST_F(Execute, is_given_by_an_admin_to_editors_where_the_server_allows_commands) {
  const auto make = [&](std::string_view by, std::string_view more) {
    return ask(Method::post, "/api/v1/tokens", by, fmt::format(R"({{"name":"n","execute":true,{}}})", more));
  };
  const auto made = make("admin", R"("role":"editor")");
  EXPECT_EQ(made.status, 201);
  EXPECT_TRUE(made.body.contains(R"("execute":true,"scopes":["read","operate","edit","execute"])")) << made.body;
  EXPECT_EQ(make("admin", R"("role":"editor","namespace":"open")").status, 201);

  const auto closed = make("admin", R"("role":"editor","namespace":"closed")");
  EXPECT_EQ(closed.status, 403);
  EXPECT_EQ(code_of(closed), "commands_not_allowed");
  EXPECT_TRUE(closed.body.contains("--allow-commands closed")) << closed.body;
  EXPECT_EQ(make("admin@closed", R"("role":"editor")").status, 403) << "also by its own admin";
  for (const char* role : {"viewer", "operator", "worker"})
    EXPECT_EQ(make("admin", fmt::format(R"("role":"{}")", role)).status, 422) << role;
  EXPECT_EQ(make("editor+execute", R"("role":"editor")").status, 403) << "who has it cannot pass it on";
}

TEST_F(Execute, refused_is_on_record) {
  ask(Method::put, "/api/v1/schedules/evil", "editor", R"({"command":["/bin/evil"]})");

  // Written by another thread, beside the answer.
  std::string audit;
  for (int i = 0; i < 10'000 && !audit.contains(R"("outcome":"forbidden")"); ++i)
    audit = ask(Method::get, "/api/v1/audit", "admin").body;

  EXPECT_TRUE(audit.contains(R"("operation":"putSchedule")")) << audit;
  EXPECT_TRUE(audit.contains(R"("outcome":"forbidden")")) << audit;
}

TEST(AllowedUsers, a_user_that_the_server_does_not_allow_is_refused_when_a_command_is_saved) {
  RestWorld world{{.writer_count = 1, .reader_count = 1},
                  nullptr,
                  nullptr,
                  CommandRules{.users = CommandUsers{.own = "carillon", .others = {"backup"}}}};
  const auto save = [&](std::string_view user) {
    http::Request request{
        .method = Method::put,
        .target = "/api/v1/schedules/a",
        .body = fmt::format(R"({{"action":{{"command":{{"argv":["/bin/true"],"user":"{}"}}}}}})", user)};
    request.headers.add("Host", "localhost");
    request.headers.add("Authorization", "Bearer admin");
    request.headers.add("Content-Type", "application/json");
    return world.ask(std::move(request));
  };

  EXPECT_LT(save("carillon").status, 300);
  EXPECT_LT(save("backup").status, 300);
  const auto refused = save("root");
  EXPECT_EQ(refused.status, 422) << "also for an admin";
  EXPECT_TRUE(refused.body.contains("/action/command/user")) << refused.body;
  EXPECT_TRUE(refused.body.contains("--allow-user root")) << refused.body;
}

}  // namespace
}  // namespace carillon::testing
