#include "data_folder/sealed_store.hpp"

#include "base/crypto.hpp"
#include "files/private_file.hpp"

#include <filesystem>
#include <string>
#include <system_error>

namespace carillon {
namespace {

constexpr std::size_t key_size = 32;

Result<> note_new_seal(SqliteStore& store, Log& log) {
  log.warn("audit log has a new seal: audit.key was missing",
           {{"remedy", "keep audit.key with backups of the folder"}});
  return store.append({.actor = "server",
                       .address = {},
                       .operation = "audit.seal",
                       .name_space = {},
                       .target = {},
                       .outcome = "audit.key was missing",
                       .before = {},
                       .after = {}});
}

}  // namespace

Result<> expect_kept_store(const DataDirectory& directory, Clock& clock) {
  std::error_code missing;
  if (!std::filesystem::exists(directory.admin_token(), missing)) return {};
  const auto log_size = std::filesystem::file_size(directory.database().native() + "-wal", missing);
  if (!missing && log_size > 0) return {};
  const auto store = SqliteStore::open_read_only(directory.database(), clock);
  // Another format or another program's file is refused, or brought forward, by whoever opens it for writing.
  if (!store && store.error().code == ErrorCode::conflict) return {};
  if (!store) return std::unexpected(store.error());
  // The token is written to the store first, and then to its file.
  if (!TRY((*store)->read_tokens()).empty()) return {};
  Error error = fail(ErrorCode::corrupt,
                     "{} has been used before, but its database is empty: the latest changes were in carillon.db-wal, "
                     "which is missing",
                     directory.path().string())
                    .error();
  error.hint = "put carillon.db-wal back or restore a backup; to start fresh, use another folder";
  return std::unexpected(std::move(error));
}

Result<std::unique_ptr<SqliteStore>> open_sealed_store(const DataDirectory& directory, Clock& clock, Log& log) {
  const auto stored = TRY(read_private_file(directory.audit_key()));
  if (stored && stored->size() != key_size)
    return fail(ErrorCode::corrupt, "{} is not {} bytes long; restore the original, or remove it",
                directory.audit_key().string(), key_size);
  const std::string key = stored ? *stored : random_bytes(key_size);
  auto store =
      TRY(SqliteStore::open(directory.database(), clock, {.audit_key = key, .is_new_audit_key = !stored.has_value()}));
  // After the store is sealed: a key without a seal would look like a seal that was taken away.
  if (!stored) TRY(write_private_file(directory.audit_key(), key));
  if (store->was_sealed_before()) TRY(note_new_seal(*store, log));
  return store;
}

}  // namespace carillon
