#pragma once

#include "base/error.hpp"
#include "base/instant.hpp"
#include "definitions/schedule_document.hpp"
#include "scheduling/definition_cache.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace carillon {

/// A definition that is about to be written: its document, the canonical text that is stored, and the definition
/// compiled from it. The text is made once, and what was compiled to check the document is used again to decide by, as
/// far as it is the same. For one thread at a time.
class PreparedDefinition {
 public:
  // Implicit: who has only a document hands that over.
  PreparedDefinition(ScheduleDocument document);  // NOLINT(google-explicit-constructor)

  [[nodiscard]] const ScheduleDocument& document() const { return document_; }
  [[nodiscard]] const std::string& text() const { return text_; }
  /// The same definition under another id.
  void rename(ScheduleId id);

  /// Compiled as this revision of a schedule created at that time; refused (invalid_argument) if that cannot be, e.g.
  /// because its zone is unknown here. What an earlier call compiled is given again unless it would differ.
  [[nodiscard]] Result<DefinitionPtr> compile(DefinitionCache& definitions, std::int64_t revision,
                                              Instant created_at) const;
  /// Refuses (rule `too-complex`) what would take too long to decide by. What an earlier call has allowed stays
  /// allowed.
  [[nodiscard]] Result<> check_cost(const Definition& compiled, Instant now) const;

 private:
  struct Compiled {
    ZoneEdition edition{};
    Instant created_at;
    DefinitionPtr definition;
  };
  [[nodiscard]] bool depends_on_creation() const;

  ScheduleDocument document_;
  std::string text_;
  // What is found out once; says nothing that the document does not.
  mutable std::optional<Compiled> compiled_;
  mutable bool is_affordable_ = false;
};

}  // namespace carillon
