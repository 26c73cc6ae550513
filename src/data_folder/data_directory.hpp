#pragma once

#include "base/error.hpp"
#include "files/file_descriptor.hpp"

#include <filesystem>
#include <string>

namespace carillon {

/// The folder that a server keeps everything in, and that only one server has at a time. The right to it ends with the
/// process, however that ends.
class DataDirectory {
 public:
  /// Creates the folder if there is none, for this user alone. A conflict that says who has it if somebody else does;
  /// rule "untrusted-file" if the folder, one above it or the lock is another user's.
  [[nodiscard]] static Result<DataDirectory> take(const std::filesystem::path& folder);

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  [[nodiscard]] std::filesystem::path database() const { return path_ / "carillon.db"; }
  [[nodiscard]] std::filesystem::path logs() const { return path_ / "logs"; }
  [[nodiscard]] std::filesystem::path launcher_lock() const { return path_ / "launcher.lock"; }
  /// Where launchers keep commands that outlive their server.
  [[nodiscard]] std::filesystem::path adopted() const { return path_ / "adopted"; }
  /// Where runs of pipelines keep the answers they have paid for.
  [[nodiscard]] std::filesystem::path pipeline_journals() const { return path_ / "pipelines"; }
  /// Made when a store has been opened here: from then on a folder without one has lost it.
  [[nodiscard]] std::filesystem::path run_id_key() const { return path_ / "run-id.key"; }

  /// Seals the audit log (sealed_store.hpp).
  [[nodiscard]] std::filesystem::path audit_key() const { return path_ / "audit.key"; }

  /// The first token, for whoever may read this folder.
  [[nodiscard]] std::filesystem::path admin_token() const { return path_ / "admin.token"; }

  /// An error corrupt if the folder has been in use and its database is gone: that is never taken for a new one.
  [[nodiscard]] Result<> expect_database() const;
  /// Makes an empty database that nobody else can read if there is none; takes others' right to read away from one that
  /// is there. An error if it is another user's or a link. To be called before it is opened.
  [[nodiscard]] Result<> protect_database() const;

 private:
  DataDirectory(std::filesystem::path path, FileDescriptor lock) : path_{std::move(path)}, lock_{std::move(lock)} {}

  std::filesystem::path path_;
  FileDescriptor lock_;
};

}  // namespace carillon
