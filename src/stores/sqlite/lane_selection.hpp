#pragma once

#include "base/error.hpp"
#include "engine/lane.hpp"
#include "stores/sqlite/queue_names.hpp"

#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <string>

namespace carillon::sqlite {

/// The lanes that a claim takes from, by their numbers. For one claim: what it has seen it believes.
class LaneSelection {
 public:
  LaneSelection(QueueNames& names, std::span<const std::string> queues, const WorkerSkills& skills)
      : names_{names}, filter_{queues, skills} {}

  [[nodiscard]] Result<bool> contains(std::int64_t lane);

 private:
  QueueNames& names_;
  LaneFilter filter_;
  bool has_read_paused_ = false;
  std::set<std::string> paused_;
  std::map<std::int64_t, bool> known_;
};

}  // namespace carillon::sqlite
