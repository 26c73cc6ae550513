#pragma once

#include "ports/log.hpp"

#include <fmt/core.h>

#include <string>

namespace carillon::bench {

/// Keeps quiet about the life of runs; errors are shown, because numbers beside them mean nothing.
class SilentLog final : public Log {
 public:
  void write(LogLevel level, std::string_view event, std::initializer_list<LogField> fields) override {
    if (level != LogLevel::error) return;
    std::string text{event};
    for (const LogField& field : fields)
      if (const auto* value = std::get_if<std::string_view>(&field.value)) text += fmt::format(" {}", *value);
    fmt::print(stderr, "{}\n", text);
  }
};

}  // namespace carillon::bench
