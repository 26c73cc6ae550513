#pragma once

#include "base/error.hpp"

#include <filesystem>
#include <string>

namespace carillon {

/// The folder that a server keeps everything in, and that only one server has at a time. The right to it ends with the
/// process, however that ends.
class DataDirectory {
 public:
  /// Creates the folder if there is none, for this user alone. A conflict that says who has it if somebody else does.
  [[nodiscard]] static Result<DataDirectory> take(const std::filesystem::path& folder);
  DataDirectory(DataDirectory&& other) noexcept;
  DataDirectory& operator=(DataDirectory&&) = delete;
  ~DataDirectory();

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  [[nodiscard]] std::filesystem::path database() const { return path_ / "carillon.db"; }
  [[nodiscard]] std::filesystem::path logs() const { return path_ / "logs"; }
  [[nodiscard]] std::filesystem::path launcher_lock() const { return path_ / "launcher.lock"; }
  /// Where launchers keep commands that outlive their server.
  [[nodiscard]] std::filesystem::path adopted() const { return path_ / "adopted"; }
  /// Made when a store has been opened here: from then on a folder without one has lost it.
  [[nodiscard]] std::filesystem::path run_id_key() const { return path_ / "run-id.key"; }

  /// The first token, for whoever may read this folder.
  [[nodiscard]] std::filesystem::path admin_token() const { return path_ / "admin.token"; }

  /// An error corrupt if the folder has been in use and its database is gone: that is never taken for a new one.
  [[nodiscard]] Result<> expect_database() const;

 private:
  DataDirectory(std::filesystem::path path, int lock) : path_{std::move(path)}, lock_{lock} {}

  std::filesystem::path path_;
  int lock_;
};

}  // namespace carillon
