#pragma once

#include "base/instant.hpp"

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <variant>

namespace carillon {

enum class LogLevel {
  debug,
  info,   // the life of the process and of each run
  warn,   // we coped, somebody should know
  error,  // a person must act
};

/// One fact of an event.
struct LogField {
  std::string_view name;
  std::variant<std::string_view, std::int64_t, double, bool, Instant, Duration> value;

  LogField(std::string_view field, std::string_view text) : name{field}, value{text} {}
  LogField(std::string_view field, const std::string& text) : name{field}, value{std::string_view{text}} {}
  LogField(std::string_view field, const char* text) : name{field}, value{std::string_view{text}} {}
  LogField(std::string_view field, std::int64_t number) : name{field}, value{number} {}
  LogField(std::string_view field, std::size_t number) : name{field}, value{static_cast<std::int64_t>(number)} {}
  LogField(std::string_view field, int number) : name{field}, value{std::int64_t{number}} {}
  LogField(std::string_view field, bool is_so) : name{field}, value{is_so} {}
  LogField(std::string_view field, Instant time) : name{field}, value{time} {}
  LogField(std::string_view field, Duration length) : name{field}, value{length} {}
};

/// One event is one line: a fixed text that can be searched for, and fields. Secrets and payloads must not be written.
/// May be called from several threads.
class Log {
 public:
  virtual ~Log() = default;

  virtual void write(LogLevel level, std::string_view event, std::initializer_list<LogField> fields) = 0;

  void debug(std::string_view event, std::initializer_list<LogField> fields = {}) {
    write(LogLevel::debug, event, fields);
  }
  void info(std::string_view event, std::initializer_list<LogField> fields = {}) {
    write(LogLevel::info, event, fields);
  }
  void warn(std::string_view event, std::initializer_list<LogField> fields = {}) {
    write(LogLevel::warn, event, fields);
  }
  void error(std::string_view event, std::initializer_list<LogField> fields = {}) {
    write(LogLevel::error, event, fields);
  }
};

}  // namespace carillon
