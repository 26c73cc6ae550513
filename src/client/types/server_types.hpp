#pragma once

#include "base/instant.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace carillon::client {

struct Queue {
  std::string name{};
  std::int64_t depth = 0;
  std::optional<std::int64_t> oldest_age_ms{};
  std::int64_t running = 0;
  bool is_paused = false;
  std::optional<std::int64_t> limit{};
  std::optional<std::int64_t> dead{};  // dead letters; none: the server is older

  template <typename Self, typename Visitor>
  static void visit_members(Self& self, Visitor& visitor) {
    visitor.required("name", self.name);
    visitor.required("depth", self.depth);
    visitor.optional("oldestAgeMs", self.oldest_age_ms);
    visitor.required("running", self.running);
    visitor.required("paused", self.is_paused);
    visitor.optional("limit", self.limit);
    visitor.optional("dead", self.dead);
  }
};

/// A token without its secret.
struct Token {
  std::string id{};
  std::string name{};
  std::string role{};
  bool may_execute = false;
  std::string name_space{};  // empty: all
  Instant created_at{};
  std::optional<Instant> expires_at{};
  std::optional<Instant> revoked_at{};

  template <typename Self, typename Visitor>
  static void visit_members(Self& self, Visitor& visitor) {
    visitor.required("id", self.id);
    visitor.required("name", self.name);
    visitor.required("role", self.role);
    visitor.required("execute", self.may_execute);
    visitor.optional("namespace", self.name_space);
    visitor.required("createdAt", self.created_at);
    visitor.optional("expiresAt", self.expires_at);
    visitor.optional("revokedAt", self.revoked_at);
  }
};

/// A token at the only time its secret is shown.
struct IssuedToken : Token {
  std::string secret{};

  template <typename Self, typename Visitor>
  static void visit_members(Self& self, Visitor& visitor) {
    Token::visit_members(self, visitor);
    visitor.required("token", self.secret);
  }
};

/// What opens the dashboard, once.
struct SignInLink {
  std::string path{};  // behind the address of the server
  Instant expires_at{};

  template <typename Self, typename Visitor>
  static void visit_members(Self& self, Visitor& visitor) {
    visitor.required("path", self.path);
    visitor.required("expiresAt", self.expires_at);
  }
};

/// Who did what, or was refused.
struct AuditRecord {
  std::int64_t number = 0;
  Instant at{};
  std::string actor{};
  std::string address{};
  std::string operation{};
  std::string name_space{};
  std::string target{};
  std::string outcome{};

  template <typename Self, typename Visitor>
  static void visit_members(Self& self, Visitor& visitor) {
    visitor.required("number", self.number);
    visitor.required("at", self.at);
    visitor.required("actor", self.actor);
    visitor.optional("address", self.address);
    visitor.required("operation", self.operation);
    visitor.optional("namespace", self.name_space);
    visitor.optional("target", self.target);
    visitor.required("outcome", self.outcome);
  }
};

/// Records of the audit log, newest first.
struct AuditPage {
  std::vector<AuditRecord> items{};
  std::string next_page_token{};  // empty: there is no next page

  template <typename Self, typename Visitor>
  static void visit_members(Self& self, Visitor& visitor) {
    visitor.required("items", self.items);
    visitor.optional("nextPageToken", self.next_page_token);
  }
};

/// Whether the audit log is as it was written.
struct AuditVerdict {
  bool is_intact = false;
  std::int64_t first_broken = 0;  // 0: none
  std::string reason{};

  template <typename Self, typename Visitor>
  static void visit_members(Self& self, Visitor& visitor) {
    visitor.required("intact", self.is_intact);
    visitor.optional("firstBroken", self.first_broken);
    visitor.optional("reason", self.reason);
  }
};

/// Whether the store can be written and read.
struct StoreStatus {
  std::string status{"ok"};  // or what is wrong
  std::optional<Instant> since{};
  std::string reason{};
  std::string remedy{};

  template <typename Self, typename Visitor>
  static void visit_members(Self& self, Visitor& visitor) {
    visitor.required("status", self.status);
    visitor.optional("since", self.since);
    visitor.optional("reason", self.reason);
    visitor.optional("remedy", self.remedy);
  }
};

/// A stop that is under way.
struct Stopping {
  std::int64_t waits_for = 0;  // runs

  template <typename Self, typename Visitor>
  static void visit_members(Self& self, Visitor& visitor) {
    visitor.required("waitsFor", self.waits_for);
  }
};

/// A server of a store that several share, as it has last reported.
struct ServerOfStore {
  std::string id{};
  std::string host{};
  std::int64_t pid = 0;
  std::string url{};
  std::string version{};
  std::string tzdata{};
  bool decides_zoned = true;
  std::int64_t running = 0;
  std::int64_t clock_offset_ms = 0;
  std::optional<Instant> started_at{};
  std::optional<Instant> last_seen_at{};
  bool is_alive = true;

  template <typename Self, typename Visitor>
  static void visit_members(Self& self, Visitor& visitor) {
    visitor.required("id", self.id);
    visitor.optional("host", self.host);
    visitor.optional("pid", self.pid);
    visitor.optional("url", self.url);
    visitor.optional("version", self.version);
    visitor.optional("tzdata", self.tzdata);
    visitor.optional("decidesZoned", self.decides_zoned);
    visitor.optional("running", self.running);
    visitor.optional("clockOffsetMs", self.clock_offset_ms);
    visitor.optional("startedAt", self.started_at);
    visitor.optional("lastSeenAt", self.last_seen_at);
    visitor.optional("alive", self.is_alive);
  }
};

/// The server as a whole, also one of an older release that tells less. Counts over all namespaces are not told to a
/// token that is bound to one.
struct System {
  Instant now{};
  std::string tzdata{};
  StoreStatus store{};
  bool commands_can_read_data = false;
  std::string version{};
  std::optional<std::int64_t> pid{};
  std::optional<Instant> started_at{};
  std::optional<Stopping> stopping{};
  std::optional<std::int64_t> schedules{};
  std::optional<std::int64_t> ready{};
  std::optional<std::int64_t> running{};
  std::optional<Instant> next_wake{};
  std::vector<ServerOfStore> servers{};  // empty: the store is not shared

  template <typename Self, typename Visitor>
  static void visit_members(Self& self, Visitor& visitor) {
    visitor.required("now", self.now);
    visitor.required("tzdata", self.tzdata);
    visitor.optional("store", self.store);
    visitor.optional("commandsCanReadData", self.commands_can_read_data);
    visitor.optional("version", self.version);
    visitor.optional("pid", self.pid);
    visitor.optional("startedAt", self.started_at);
    visitor.optional("stopping", self.stopping);
    visitor.optional("schedules", self.schedules);
    visitor.optional("ready", self.ready);
    visitor.optional("running", self.running);
    visitor.optional("nextWake", self.next_wake);
    visitor.optional("servers", self.servers);
  }
};

struct Version {
  std::string version{};

  template <typename Self, typename Visitor>
  static void visit_members(Self& self, Visitor& visitor) {
    visitor.required("version", self.version);
  }
};

/// Whether a server is alive: `ok`, or what is wrong.
struct Status {
  std::string status{};

  template <typename Self, typename Visitor>
  static void visit_members(Self& self, Visitor& visitor) {
    visitor.required("status", self.status);
  }
};

/// What became of one schedule of a batch.
struct BatchResult {
  std::string id{};
  bool is_done = false;
  std::string message{};

  template <typename Self, typename Visitor>
  static void visit_members(Self& self, Visitor& visitor) {
    visitor.required("id", self.id);
    visitor.required("ok", self.is_done);
    visitor.optional("message", self.message);
  }
};

struct BatchAnswer {
  std::vector<BatchResult> results{};

  template <typename Self, typename Visitor>
  static void visit_members(Self& self, Visitor& visitor) {
    visitor.optional("results", self.results);
  }
};

}  // namespace carillon::client
