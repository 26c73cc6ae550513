#pragma once

#include "base/error.hpp"
#include "base/instant.hpp"
#include "engine/keys.hpp"
#include "engine/ledger_record.hpp"
#include "stores/sqlite/definition_rows.hpp"

#include <unordered_map>
#include <utility>

namespace carillon::sqlite {

/// The names of schedules that one call meets, each read once.
class Names {
 public:
  explicit Names(DefinitionRows& definitions) : definitions_{definitions} {}

  /// Null if there is no such schedule.
  [[nodiscard]] Result<const StoredName*> find(Uid uid) {
    const auto known = names_.find(uid);
    if (known != names_.end()) return &known->second;
    auto name = TRY(definitions_.name_of(uid));
    return name ? &names_.emplace(uid, *std::move(name)).first->second : nullptr;
  }
  /// Of one that must be there.
  [[nodiscard]] Result<const StoredName*> of(Uid uid) {
    const StoredName* const name = TRY(find(uid));
    if (name != nullptr) return name;
    return fail(ErrorCode::corrupt, "there is no schedule {}", static_cast<std::int64_t>(uid));
  }

  [[nodiscard]] Result<LineHead> head_of(Uid uid, Seq seq, Instant at) {
    const StoredName& name = *TRY(of(uid));
    return LineHead{.seq = seq,
                    .at = at,
                    .name_space = name.key.name_space,
                    .schedule = name.key.id,
                    .incarnation = name.incarnation};
  }

 private:
  DefinitionRows& definitions_;
  std::unordered_map<Uid, StoredName> names_;
};

}  // namespace carillon::sqlite
