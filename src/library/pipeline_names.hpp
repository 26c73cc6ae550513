#pragma once

#include "service/caller.hpp"
#include "service/schedules.hpp"

#include <map>
#include <mutex>
#include <string>

namespace carillon {

/// The pipeline in the document of a schedule; empty if its action is another one.
[[nodiscard]] std::string pipeline_in(const std::string& document);

/// Which pipeline a schedule runs. That never changes: the id of a schedule is made from the path of its package. May
/// be called from several threads.
class PipelineNames {
 public:
  PipelineNames(Schedules& schedules, const Caller& caller) : schedules_{schedules}, caller_{caller} {}

  /// Empty if it runs none, or nothing is known of it.
  [[nodiscard]] std::string of(const std::string& schedule_id);

 private:
  Schedules& schedules_;
  const Caller& caller_;
  std::mutex mutex_;
  std::map<std::string, std::string> names_;  // guarded
};

}  // namespace carillon
