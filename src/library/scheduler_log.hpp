#pragma once

#include "ports/log.hpp"

#include <carillon/scheduler.hpp>

#include <functional>
#include <utility>

namespace carillon {

/// Passes the log to the host program's function, if it has given one.
class SchedulerLog final : public Log {
 public:
  explicit SchedulerLog(std::function<void(const LogLine&)> receiver) : receiver_{std::move(receiver)} {}

  void write(LogLevel level, std::string_view event, std::initializer_list<LogField> fields) override;

 private:
  std::function<void(const LogLine&)> receiver_;
};

}  // namespace carillon
