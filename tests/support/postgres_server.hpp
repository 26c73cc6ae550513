#pragma once

#include "support/temporary_folder.hpp"

#include <sys/types.h>

#include <filesystem>
#include <string>
#include <vector>

namespace carillon {

/// A PostgreSQL of our own: fresh, reachable over a socket in a temporary folder only, and gone with the test program.
/// It runs as an unprivileged user when the test runs as root. Throws if PostgreSQL is not installed or does not start.
class PostgresServer {
 public:
  /// Where Debian puts the programs of the newest version; empty if there is none.
  [[nodiscard]] static std::filesystem::path programs();

  explicit PostgresServer(const std::vector<std::string>& settings = {"fsync=off"});
  PostgresServer(const PostgresServer&) = delete;
  PostgresServer& operator=(const PostgresServer&) = delete;
  ~PostgresServer();

  /// postgres://… of the superuser `postgres`; `schema` is the store's.
  [[nodiscard]] std::string url(const std::string& schema = "carillon") const;

  /// Where its socket is.
  [[nodiscard]] std::string folder() const { return folder_.path().string(); }

  /// Ends it without a chance to write anything, and starts it again.
  void crash_and_restart();

 private:
  void start();
  void stop(int signal);
  void wait_until_ready() const;

  TemporaryFolder folder_;
  std::vector<std::string> settings_;
  pid_t process_ = -1;
};

/// Debian's PgBouncer before one, that gives each transaction to whichever session is free. Throws like the database.
class PostgresPooler {
 public:
  explicit PostgresPooler(const PostgresServer& server);
  PostgresPooler(const PostgresPooler&) = delete;
  PostgresPooler& operator=(const PostgresPooler&) = delete;
  ~PostgresPooler();

  /// In place of the database's own.
  [[nodiscard]] std::string url(const std::string& schema) const;

 private:
  TemporaryFolder folder_;
  pid_t process_ = -1;
};

}  // namespace carillon
