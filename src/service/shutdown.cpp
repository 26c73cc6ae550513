#include "service/shutdown.hpp"

#include <utility>

namespace carillon {

void Shutdown::begin(std::function<std::size_t()> running_count) {
  running_count_ = std::move(running_count);
  has_begun_ = true;
}

std::optional<std::size_t> Shutdown::waits_for() const {
  if (!has_begun_) return std::nullopt;
  return running_count_();
}

Served<> Shutdown::check(const Operation& operation) const {
  if (!operation.is_write || operation.finishes_work) return {};
  const auto count = waits_for();
  if (!count) return {};
  return refuse(Refusal::Kind::unavailable, "stopping", "the server is stopping (waits for {} run{})", *count,
                *count == 1 ? "" : "s");
}

}  // namespace carillon
