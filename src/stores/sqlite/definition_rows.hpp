#pragma once

#include "base/error.hpp"
#include "base/instant.hpp"
#include "engine/keys.hpp"
#include "ports/schedule_store.hpp"
#include "stores/sqlite/connection.hpp"
#include "stores/sqlite/statement.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace carillon::sqlite {

/// How long requests are remembered, and how many that are older go when one comes: more than come in at a time, so
/// that the tables shrink again after a rush.
inline constexpr Duration request_memory = std::chrono::days{1};
inline constexpr int requests_forgotten_at_once = 10;

/// The newest bearer of a name, living or not.
struct Bearer {
  Uid uid{};
  std::int64_t incarnation = 0;
};

/// A schedule's name, and which of those that had it this one is.
struct StoredName {
  ScheduleKey key;
  std::int64_t incarnation = 0;
  std::optional<Instant> created_at;  // none in files that were made before it was kept here
};

/// What users write: names, documents, requests.
class DefinitionRows {
 public:
  explicit DefinitionRows(Connection& connection);

  [[nodiscard]] Result<std::optional<Bearer>> find(const ScheduleKey& key);
  [[nodiscard]] Result<> add_name(Uid uid, const StoredName& name);
  [[nodiscard]] Result<std::optional<StoredName>> name_of(Uid uid);

  [[nodiscard]] Result<> set_document(Uid uid, std::int64_t revision, const std::string& document);
  [[nodiscard]] Result<std::optional<StoredDefinition>> read(const DefinitionName& name);

  /// Remembers a request for a day.
  [[nodiscard]] Result<> remember(std::int64_t request, const WrittenRequest& written, Instant now);
  [[nodiscard]] Result<std::optional<WrittenRequest>> find_written(std::int64_t request);

 private:
  [[nodiscard]] Result<StoredName> read_name(Uid uid, const Cursor& row) const;
  [[nodiscard]] Result<Instant> creation_of(Uid uid);

  Connection& connection_;
  Statement find_;
  Statement add_name_;
  Statement name_;
  Statement set_document_;
  Statement document_;
  Statement body_;
  Statement remember_;
  Statement has_old_;
  Statement forget_;
  Statement find_written_;
};

}  // namespace carillon::sqlite
