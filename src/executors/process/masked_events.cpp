#include "executors/process/masked_events.hpp"

#include <ranges>
#include <string>
#include <utility>
#include <vector>

namespace carillon {
namespace {

constexpr std::string_view withholding = "(output is not shown: the secrets to mask in it cannot be read)\n";

}  // namespace

void MaskedEvents::hide_in(const Assignment& assignment) {
  if (assignment.secrets.empty() && !assignment.is_output_withheld) return;
  const auto values = std::views::values(assignment.secrets);
  const SecretMask mask{std::vector<std::string>{values.begin(), values.end()}};
  auto hidden = std::make_unique<Hidden>(Hidden{.masks = {mask, mask}, .is_withheld = assignment.is_output_withheld});
  const std::lock_guard lock{mutex_};
  hidden_.insert_or_assign(assignment.key, std::move(hidden));
}

MaskedEvents::Hidden* MaskedEvents::hidden_in(const AttemptKey& key) {
  const std::lock_guard lock{mutex_};
  const auto found = hidden_.find(key);
  return found == hidden_.end() ? nullptr : found->second.get();
}

void MaskedEvents::output(const AttemptKey& key, OutputStream stream, std::string_view bytes) {
  Hidden* hidden = hidden_in(key);
  if (hidden == nullptr) return events_.output(key, stream, bytes);
  if (hidden->is_withheld) {
    if (!std::exchange(hidden->is_withholding_told, true)) events_.output(key, OutputStream::error, withholding);
    return;
  }
  const std::string shown = hidden->masks[static_cast<std::size_t>(stream)].pass(bytes);
  if (!shown.empty()) events_.output(key, stream, shown);
}

void MaskedEvents::ended(const AttemptKey& key, AttemptEnd end) {
  if (Hidden* hidden = hidden_in(key)) {
    for (const OutputStream stream : {OutputStream::out, OutputStream::error}) {
      const std::string shown = hidden->masks[static_cast<std::size_t>(stream)].rest();
      if (!shown.empty()) events_.output(key, stream, shown);
    }
    end.error = hidden->masks.front().whole(end.error);
    const std::lock_guard lock{mutex_};
    hidden_.erase(key);
  }
  events_.ended(key, std::move(end));
}

}  // namespace carillon
