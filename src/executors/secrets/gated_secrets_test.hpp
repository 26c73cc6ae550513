#pragma once

#include "executors/secrets/secret_reader.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <string_view>

namespace carillon {

/// How long a test waits for something that will come.
inline constexpr std::chrono::seconds secrets_patience{60};

/// Secrets of which some do not come until they are let go, as files of a server that does not answer.
class GatedSecrets {
 public:
  GatedSecrets() : shared_{std::make_shared<Shared>()} {}
  GatedSecrets(const GatedSecrets&) = delete;
  GatedSecrets& operator=(const GatedSecrets&) = delete;
  ~GatedSecrets() { release_all(); }

  void hold(const std::string& reference) {
    const std::lock_guard lock{shared_->mutex};
    shared_->held.insert(reference);
  }
  /// Waits until all who wait here have gone on.
  void release_all() {
    std::unique_lock lock{shared_->mutex};
    shared_->held.clear();
    shared_->changed.notify_all();
    shared_->changed.wait(lock, [&] { return shared_->waiting_count == 0; });
  }
  void await_reader_of_held() {
    std::unique_lock lock{shared_->mutex};
    EXPECT_TRUE(shared_->changed.wait_for(lock, secrets_patience, [&] { return shared_->waiting_count > 0; }));
  }
  [[nodiscard]] int count_of(const std::string& reference) {
    const std::lock_guard lock{shared_->mutex};
    return shared_->counts[reference];
  }

  /// `${secret:a}` holds `value of ${secret:a}`; what has `missing` in it cannot be had.
  [[nodiscard]] SecretReader::Read reader() {
    return [shared = shared_](std::string_view reference) -> Result<std::string> {
      const std::string name{reference};
      std::unique_lock lock{shared->mutex};
      ++shared->counts[name];
      ++shared->waiting_count;
      shared->changed.notify_all();
      shared->changed.wait(lock, [&] { return !shared->held.contains(name); });
      --shared->waiting_count;
      shared->changed.notify_all();
      if (name.contains("missing")) return fail(ErrorCode::not_found, "{} is not there", name);
      return "value of " + name;
    };
  }

 private:
  // The threads of a reader may outlive it.
  struct Shared {
    std::mutex mutex;
    std::condition_variable changed;
    std::set<std::string> held;
    std::map<std::string, int> counts;
    int waiting_count = 0;
  };
  std::shared_ptr<Shared> shared_;
};

}  // namespace carillon
