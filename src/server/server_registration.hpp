#pragma once

#include "ports/clock.hpp"
#include "ports/log.hpp"
#include "ports/server_registry.hpp"
#include "ports/zone_source.hpp"

#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace carillon {

/// Tells the other servers of a store that this one is there: every few seconds, until it stops. Also looks whether
/// this server's zone rules are older than those in force, and warns: then it does not decide schedules in zones.
class ServerRegistration {
 public:
  struct Options {
    std::string version;
    std::vector<std::string> roles;
    std::function<std::int64_t()> running_count;
    std::function<void()> on_report;  // after each report
  };
  /// Without a registry nothing happens.
  ServerRegistration(ServerRegistry* registry, Clock& clock, ZoneSource& zones, Log& log, Options options);
  ~ServerRegistration() { stop(); }
  ServerRegistration(const ServerRegistration&) = delete;
  ServerRegistration& operator=(const ServerRegistration&) = delete;

  /// This server has an API, which listens there. Once; from any thread.
  void set_url(std::string url);
  void start();
  /// Takes this server off the list. Safe twice, and before `start`.
  void stop();

  /// What this server says of itself now. From any thread.
  [[nodiscard]] ServerFacts facts();

 private:
  void report(bool must_look);
  void look_at_zones();

  ServerRegistry* registry_;
  Clock& clock_;
  ZoneSource& zones_;
  Log& log_;
  const Options options_;
  std::mutex mutex_;
  ServerFacts facts_;  // guarded; what changes is filled in by facts()
  bool is_outdated_ = false;
  std::jthread thread_;
};

}  // namespace carillon
