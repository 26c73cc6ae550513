#include "base/quoted.hpp"
#include "base/utf8.hpp"
#include "crontab/crontab.hpp"
#include "crontab/crontab_variable.hpp"
#include "crontab/import_entry.hpp"
#include "crontab/taken_ids.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

namespace carillon {
namespace {

using Verdict = ImportedLine::Verdict;

constexpr std::size_t settings_size_max = 64 * 1024;

bool is_blank_or_comment(std::string_view line) {
  const std::size_t first = line.find_first_not_of(" \t\r");
  return first == std::string_view::npos || line[first] == '#';
}

std::string reason_of(const Error& error) {
  std::string reason;
  for (const std::string& context : error.context) reason += context + ": ";
  reason += error.message;
  return error.hint.empty() ? reason : fmt::format("{}; {}", reason, error.hint);
}

/// What a setting does, as far as its name tells.
std::string effect_of(std::string_view name) {
  if (name == "SHELL") return "the shell of the commands below";
  if (name == "HOME") return "the folder the commands below start in";
  if (name == "MAILTO" || name == "MAILFROM" || name == "CONTENT_TYPE")
    return "carillon sends no mail: the output of a run is in its log";
  if (name == "CRON_TZ") return "the zone of the times below";
  if (name == "TZ") return "handed to the commands below; the times stay those of cron's own zone";
  if (name == "RANDOM_DELAY") return "becomes the jitter of the schedules below";
  if (name == "LOGNAME" || name == "USER") return "without effect, as in cron: it is always the name of the user";
  return "handed to the commands below";
}

/// The text line by line; whether the last one has an end counts.
class Lines {
 public:
  explicit Lines(std::string_view text) : rest_{text} {}

  struct Line {
    std::string_view text;
    bool has_end;
  };
  std::optional<Line> next() {
    if (rest_.empty()) return std::nullopt;
    const std::size_t end = rest_.find('\n');
    const bool has_end = end != std::string_view::npos;
    const std::string_view line = rest_.substr(0, end);
    rest_.remove_prefix(has_end ? end + 1 : rest_.size());
    return Line{line, has_end};
  }

 private:
  std::string_view rest_;
};

class CrontabImport {
 public:
  CrontabImport(const CrontabOptions& options, const ZoneNames& zones, CrontabForm form)
      : surroundings_{.options = options, .zones = zones, .form = form} {
    for (const std::string& id : options.taken_ids) ids_.add(id);
  }

  ImportedLine import(const Lines::Line& line, std::size_t number) {
    ImportedLine imported{.number = number, .text = std::string{line.text}};
    if (is_blank_or_comment(line.text)) return imported;
    if (const auto why = unreadable(line.text)) {
      imported.verdict = Verdict::refused;
      imported.reason = *why;
      return imported;
    }
    if (auto variable = parse_crontab_variable(line.text)) {
      set(*std::move(variable), imported);
      return imported;
    }
    import_times(line, imported);
    return imported;
  }

 private:
  static std::optional<std::string> unreadable(std::string_view line) {
    if (line.contains('\0')) return "the line has a NUL character; leave it out";
    if (const auto at = find_malformed_utf8(line))
      return fmt::format("byte {} of the line is not UTF-8: {}; write the file in UTF-8", *at + 1,
                         quoted(line.substr(*at, 1)));
    return std::nullopt;
  }

  void set(CrontabVariable variable, ImportedLine& imported) {
    // Every schedule has a copy of them all.
    settings_size_ += variable.name.size() + variable.value.size();
    if (settings_size_ > settings_size_max) {
      imported.verdict = Verdict::refused;
      imported.reason = fmt::format(
          "the settings have more than {} KiB together; put them into a file that the "
          "commands read",
          settings_size_max / 1024);
      return;
    }
    imported.verdict = Verdict::setting;
    imported.reason = effect_of(variable.name);
    surroundings_.variables.insert_or_assign(std::move(variable.name), std::move(variable.value));
  }

  void import_times(const Lines::Line& line, ImportedLine& imported) {
    std::string_view text = line.text;
    const bool has_carriage_return = text.ends_with('\r');
    if (has_carriage_return) text.remove_suffix(1);
    auto entry =
        schedule_count_ < file_schedule_count_max
            ? import_entry(text, surroundings_, ids_)
            : Result<ImportedEntry>{fail(ErrorCode::invalid_argument, "a file of schedules holds {}; split the crontab",
                                         file_schedule_count_max)};
    if (!entry) {
      imported.verdict = Verdict::refused;
      imported.reason = reason_of(entry.error());
      return;
    }
    ++schedule_count_;
    imported.differences = std::move(entry->differences);
    if (has_carriage_return)
      imported.differences.emplace_back(
          "the line ends in a carriage return, which cron hands to the command; carillon leaves it out");
    if (!line.has_end)
      imported.differences.emplace_back(
          "the last line has no line end, and cron ignores such a line; carillon starts it");
    imported.verdict = imported.differences.empty() ? Verdict::imported : Verdict::different;
    imported.schedule = std::move(entry->schedule);
  }

  CrontabSurroundings surroundings_;
  TakenIds ids_;
  std::size_t schedule_count_ = 0;
  std::size_t settings_size_ = 0;
};

bool is_user_name(std::string_view word) {
  constexpr std::string_view allowed = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";
  return !word.empty() && word.find_first_not_of(allowed) == std::string_view::npos && word.front() != '-';
}

}  // namespace

CrontabForm form_of(std::string_view text, std::string_view file_name) {
  if (file_name == "/etc/crontab" || file_name.contains("/cron.d/") || file_name.starts_with("cron.d/"))
    return CrontabForm::system;
  bool has_root = false;
  Lines lines{text};
  while (const auto line = lines.next()) {
    if (is_blank_or_comment(line->text) || parse_crontab_variable(line->text)) continue;
    // A line that cron refuses says nothing about the others.
    if (!parse_crontab_entry(line->text, CrontabForm::user)) continue;
    const auto entry = parse_crontab_entry(line->text, CrontabForm::system);
    if (!entry || !is_user_name(entry->user)) return CrontabForm::user;
    if (entry->user == "root") has_root = true;
  }
  return has_root ? CrontabForm::system : CrontabForm::user;
}

Crontab read_crontab(std::string_view text, const CrontabOptions& options, const ZoneNames& zones) {
  Crontab crontab{.form = options.form ? *options.form : form_of(text, options.file_name), .lines = {}};
  CrontabImport import{options, zones, crontab.form};
  Lines lines{text};
  while (const auto line = lines.next()) crontab.lines.push_back(import.import(*line, crontab.lines.size() + 1));
  return crontab;
}

std::span<const std::string_view> general_differences() {
  static constexpr std::array<std::string_view, 4> sentences{
      "cron mails the output of a command to its user; carillon keeps it in the log of the run",
      "a command that cron started outlives cron; carillon ends it with the server, unless onOwnerLoss is adopt",
      "cron gives a command no other variables than its own; carillon adds CARILLON_… and the language and TZ of the "
      "server",
      "cron starts any number of commands at once; carillon as many as it has workers, and queues the others"};
  return sentences;
}

std::string_view to_text(ImportedLine::Verdict verdict) {
  switch (verdict) {
    case Verdict::imported: return "imported";
    case Verdict::different: return "different";
    case Verdict::refused: return "refused";
    case Verdict::setting: return "setting";
    case Verdict::blank: return "blank";
  }
  std::unreachable();
}

}  // namespace carillon
