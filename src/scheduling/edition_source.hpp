#pragma once

#include "scheduling/edition_context.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <utility>

namespace carillon {

/// Keeps the context of the edition of the zone rules that is in force, for a loop that asks for it with every turn.
/// For one thread.
class EditionSource {
 public:
  /// Every context gets a `server_number` of its own. Its decisions are refused by a time that `check_clock` refuses.
  EditionSource(ScheduleStore& store, RunQueue& queue, SharedDefinitions& definitions, ClockCheck check_clock = {},
                std::function<std::int64_t()> server_number = unique_number)
      : store_{store},
        queue_{queue},
        definitions_{definitions},
        check_clock_{std::move(check_clock)},
        server_number_{std::move(server_number)},
        context_{new_context()} {}

  /// Takes up the rules that the zone source has now. True if they are others than before: then the context is another
  /// one, and references into the last one are no longer valid.
  bool refresh() {
    if (definitions_.now() == context_->definitions) return false;
    context_ = new_context();
    return true;
  }

  /// Valid until `refresh` returns true.
  [[nodiscard]] EditionContext& context() { return *context_; }

 private:
  [[nodiscard]] std::unique_ptr<EditionContext> new_context() {
    return std::make_unique<EditionContext>(store_, queue_, definitions_, server_number_(), check_clock_);
  }

  ScheduleStore& store_;
  RunQueue& queue_;
  SharedDefinitions& definitions_;
  ClockCheck check_clock_;
  std::function<std::int64_t()> server_number_;
  std::unique_ptr<EditionContext> context_;
};

}  // namespace carillon
