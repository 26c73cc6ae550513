#pragma once

#include "support/temporary_folder.hpp"

#include <atomic>
#include <string>
#include <thread>
#include <vector>

namespace carillon {

/// Stands between a client and a PostgreSQL, on a socket in a folder of its own, and can lose the answer to a COMMIT:
/// the database has done it, and the client is cut off before it hears so.
class CuttingProxy {
 public:
  /// `server_folder` has the socket of the database.
  explicit CuttingProxy(std::string server_folder);
  CuttingProxy(const CuttingProxy&) = delete;
  CuttingProxy& operator=(const CuttingProxy&) = delete;
  ~CuttingProxy();

  /// In place of the database's folder.
  [[nodiscard]] std::string folder() const { return folder_.path().string(); }
  /// The next COMMIT of any connection is carried out and not answered.
  void lose_next_answer() { is_armed_ = true; }
  /// How many were.
  [[nodiscard]] int lost_count() const { return lost_count_; }

 private:
  void accept_all(const std::stop_token& stop);
  void pass_on(const std::stop_token& stop, int client);

  TemporaryFolder folder_;
  std::string server_folder_;
  std::atomic<bool> is_armed_ = false;
  std::atomic<int> lost_count_ = 0;
  int listener_;
  std::jthread thread_;
};

}  // namespace carillon
