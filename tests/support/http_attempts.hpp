#pragma once

#include "executors/http/http_executor.hpp"
#include "support/attempt_record.hpp"
#include "support/http_sink.hpp"
#include "support/manual_clock.hpp"

#include <gtest/gtest.h>

#include <boost/json/value.hpp>

#include <chrono>
#include <memory>
#include <string>
#include <utility>

namespace carillon {

/// Attempts of HTTP actions against servers of this machine, which are opened: 127.0.0.0/8.
class HttpAttempts : public testing::Test {
 protected:
  static constexpr Duration begin = std::chrono::hours{1};  // by the boot clock
  static constexpr Duration lease_end = begin + std::chrono::hours{1};

  static inline const Instant now = *parse_instant("2026-01-27T14:00:00Z");

  static HttpOptions options() {
    HttpOptions options;
    options.connect_timeout = std::chrono::minutes{5};  // however busy the machine is
    options.allowed_egress = {*Cidr::parse("127.0.0.0/8")};
    return options;
  }

  HttpExecutor& executor() {
    if (!executor_) start(options());
    return *executor_;
  }
  void start(HttpOptions options) { executor_ = std::make_unique<HttpExecutor>(clock_, record_, std::move(options)); }
  void destroy_executor() { executor_.reset(); }

  static HttpAction post_to(const std::string& url) {
    HttpAction action;
    action.url = url;
    return action;
  }

  static Assignment assignment(const AttemptKey& key, HttpAction action) {
    return {.key = key,
            .action = std::move(action),
            .envelope = {.name_space = "default",
                         .schedule_id = "nightly",
                         .schedule_name = "Nightly",
                         .run_id = "r-8f3k2m1x",
                         .run_name = "nightly@2026-01-27T14:00:00Z",
                         .nominal = now,
                         .due = now,
                         .attempt = key.attempt,
                         .last_result = {},
                         .payload = R"({"table":"orders"})"},
            .launch_before = lease_end,
            .secrets = {{"${env:KEY}", "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"}, {"${env:TOKEN}", "canary-token"}}};
  }

  AttemptKey launch(HttpAction action) {
    const AttemptKey key{.run = Seq{++launch_count_}, .attempt = 1};
    executor().launch(assignment(key, std::move(action)));
    return key;
  }
  AttemptKey launch(const std::string& url) { return launch(post_to(url)); }

  /// Launches it and waits for its end.
  AttemptEnd performed(HttpAction action) { return record_.await_end(launch(std::move(action))); }
  AttemptEnd performed(const std::string& url) { return performed(post_to(url)); }

  ManualClock clock_{now, begin};
  AttemptRecord record_;

 private:
  std::int64_t launch_count_ = 0;
  std::unique_ptr<HttpExecutor> executor_;
};

}  // namespace carillon
