#include "logging/stream_log.hpp"

#include "base/duration_text.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <iterator>

namespace carillon {
namespace {

constexpr std::array<std::string_view, 4> level_words{"debug", "info", "warn", "error"};

std::string_view word_of(LogLevel level) { return level_words[static_cast<std::size_t>(level)]; }

// JSON's escapes serve both forms: no control character reaches a terminal, no line is broken.
void append_escaped(std::string& line, std::string_view text) {
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      line += '\\';
      line += c;
    } else if (c == '\n') {
      line += "\\n";
    } else if (byte < 0x20 || byte == 0x7f) {
      fmt::format_to(std::back_inserter(line), "\\u{:04x}", byte);
    } else {
      line += c;
    }
  }
}

void append_quoted(std::string& line, std::string_view text) {
  line += '"';
  append_escaped(line, text);
  line += '"';
}

bool needs_quotes(std::string_view text) {
  if (text.empty()) return true;
  for (const char c : text)
    if (c == ' ' || c == '=' || c == '"' || c == '\\' || static_cast<unsigned char>(c) < 0x20 || c == 0x7f) return true;
  return false;
}

/// `2027-03-01T09:00:00.250Z`: all of one length, so that lines stand below each other.
std::string to_milliseconds(Instant time) {
  const auto second = std::chrono::floor<std::chrono::seconds>(time);
  const std::string whole = to_text(second);
  const auto rest = std::chrono::floor<std::chrono::milliseconds>(time - second).count();
  return fmt::format("{}.{:03}Z", std::string_view{whole}.substr(0, whole.size() - 1), rest);
}

/// `0.004s`, `12.014s`, `1m30s`: seconds with their milliseconds, as everywhere else in a log.
std::string length_text(Duration length) {
  const auto whole = std::chrono::floor<std::chrono::milliseconds>(length);
  const auto minutes = std::chrono::floor<std::chrono::minutes>(whole);
  const auto rest = (whole - minutes).count();
  if (length < Duration{0} || rest % 1000 == 0) return to_text(Duration{whole});
  return fmt::format("{}{}.{:03}s", minutes.count() == 0 ? "" : to_text(Duration{minutes}), rest / 1000, rest % 1000);
}

struct TextValue {
  std::string& line;
  void operator()(std::string_view text) const {
    if (needs_quotes(text)) return append_quoted(line, text);
    line += text;
  }
  void operator()(std::int64_t number) const { fmt::format_to(std::back_inserter(line), "{}", number); }
  void operator()(double number) const { fmt::format_to(std::back_inserter(line), "{}", number); }
  void operator()(bool is_so) const { line += is_so ? "true" : "false"; }
  void operator()(Instant time) const { line += to_text(time); }
  void operator()(Duration length) const { line += length_text(length); }
};

struct JsonValue {
  std::string& line;
  void operator()(std::string_view text) const { append_quoted(line, text); }
  void operator()(Instant time) const { append_quoted(line, to_text(time)); }
  void operator()(Duration length) const { append_quoted(line, length_text(length)); }
  void operator()(auto plain) const { TextValue{line}(plain); }
};

}  // namespace

StreamLog::StreamLog(Clock& clock, int file_descriptor, Form form, LogLevel level_min)
    : clock_{clock}, file_descriptor_{file_descriptor}, form_{form}, level_min_{level_min} {}

std::string StreamLog::as_text(LogLevel level, std::string_view event, std::initializer_list<LogField> fields) {
  std::string line = to_milliseconds(clock_.now());
  fmt::format_to(std::back_inserter(line), " {:<5} {}", word_of(level), event);
  for (const LogField& field : fields) {
    fmt::format_to(std::back_inserter(line), " {}=", field.name);
    std::visit(TextValue{line}, field.value);
  }
  return line;
}

std::string StreamLog::as_json(LogLevel level, std::string_view event, std::initializer_list<LogField> fields) {
  std::string line = fmt::format(R"({{"time":"{}","level":"{}","event":)", to_text(clock_.now()), word_of(level));
  append_quoted(line, event);
  for (const LogField& field : fields) {
    fmt::format_to(std::back_inserter(line), R"(,"{}":)", field.name);
    std::visit(JsonValue{line}, field.value);
  }
  line += '}';
  return line;
}

void StreamLog::write(LogLevel level, std::string_view event, std::initializer_list<LogField> fields) {
  if (level < level_min_) return;
  std::string line = form_ == Form::json ? as_json(level, event, fields) : as_text(level, event, fields);
  line += '\n';
  const std::scoped_lock lock{mutex_};
  // A log that cannot be written must not stop what it tells about.
  [[maybe_unused]] const auto written = ::write(file_descriptor_, line.data(), line.size());
}

}  // namespace carillon
