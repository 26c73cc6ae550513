#pragma once

#include "ports/clock.hpp"
#include "ports/log.hpp"

#include <mutex>
#include <string>

namespace carillon {

/// Lines to a file descriptor, one write each: for people (`12:00:01.250 info  run started  schedule=nightly`), or as
/// JSON (`{"time":…,"level":…,"event":…,…}`). What would break a line or a terminal is escaped.
class StreamLog final : public Log {
 public:
  enum class Form { text, json };

  StreamLog(Clock& clock, int file_descriptor, Form form, LogLevel level_min = LogLevel::info);

  void write(LogLevel level, std::string_view event, std::initializer_list<LogField> fields) override;

 private:
  [[nodiscard]] std::string as_text(LogLevel level, std::string_view event, std::initializer_list<LogField> fields);
  [[nodiscard]] std::string as_json(LogLevel level, std::string_view event, std::initializer_list<LogField> fields);

  Clock& clock_;
  int file_descriptor_;
  Form form_;
  LogLevel level_min_;
  std::mutex mutex_;  // lines do not mix
};

}  // namespace carillon
