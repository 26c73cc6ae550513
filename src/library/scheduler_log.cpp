#include "library/scheduler_log.hpp"

#include "base/duration_text.hpp"

#include <fmt/format.h>

namespace carillon {
namespace {

struct FieldText {
  std::string operator()(std::string_view text) const { return std::string{text}; }
  std::string operator()(bool is_so) const { return is_so ? "true" : "false"; }
  std::string operator()(Instant time) const { return to_text(time); }
  std::string operator()(Duration length) const { return to_text(length); }
  std::string operator()(auto number) const { return fmt::format("{}", number); }
};

}  // namespace

void SchedulerLog::write(LogLevel level, std::string_view event, std::initializer_list<LogField> fields) {
  static_assert(static_cast<int>(LogLine::Level::error) == static_cast<int>(LogLevel::error));
  if (!receiver_) return;
  LogLine line{.level = static_cast<LogLine::Level>(level), .event = std::string{event}, .fields = {}};
  for (const LogField& field : fields) line.fields.emplace_back(field.name, std::visit(FieldText{}, field.value));
  receiver_(line);
}

}  // namespace carillon
