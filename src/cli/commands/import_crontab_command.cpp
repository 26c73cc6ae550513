#include "base/quoted.hpp"
#include "cli/command_line/argument_values.hpp"
#include "cli/command_line/command_error.hpp"
#include "cli/command_line/flag_sets.hpp"
#include "cli/command_line/verbs.hpp"
#include "cli/display/document_output.hpp"
#include "cli/display/record_output.hpp"
#include "cli/settings/settings.hpp"
#include "cli/terminal/input_text.hpp"
#include "cli/terminal/printable.hpp"
#include "cli/terminal/table.hpp"
#include "cli/user_definitions/apply_definitions.hpp"
#include "crontab/crontab.hpp"
#include "crontab/proof.hpp"
#include "document/document.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <pwd.h>

#include <algorithm>
#include <array>
#include <functional>
#include <map>

namespace carillon::cli {

namespace {

namespace json = boost::json;
using Verdict = ImportedLine::Verdict;

constexpr Duration proof_length = std::chrono::days{731};
constexpr std::array import_formats{Format::yaml, Format::json};

std::optional<std::string> home_of(std::string_view user) {
  std::array<char, 4096> buffer{};
  passwd entry{};
  passwd* found = nullptr;
  if (::getpwnam_r(std::string{user}.c_str(), &entry, buffer.data(), buffer.size(), &found) != 0 || found == nullptr)
    return std::nullopt;
  return std::string{entry.pw_dir};
}

Result<std::optional<CrontabForm>> form_wanted(const Arguments& arguments) {
  const auto text = arguments.value("form");
  if (!text) return std::nullopt;
  if (*text == "user") return CrontabForm::user;
  if (*text == "system") return CrontabForm::system;
  return std::unexpected(usage_error(fmt::format("unknown crontab form {}", carillon::quoted(*text)),
                                     "--form user, or --form system if every line names a user"));
}

Result<CrontabOptions> options_of(const Arguments& arguments, Session& session) {
  CrontabOptions options;
  options.file_name = arguments.targets.front();
  options.form = TRY(form_wanted(arguments));
  options.timezone = arguments.value("tz").value_or(local_zone_name(session.console));
  TRY(zone_value("--tz", options.timezone, session.zones));
  options.user = arguments.value("user");
  options.home = options.user ? home_of(*options.user) : session.console.environment("HOME");
  options.home_of = home_of;
  options.id_prefix = arguments.value("prefix").value_or("");
  options.hold = arguments.has("hold");
  return options;
}

const Proof* proof_for(const ImportedLine& line, const std::vector<Proof>& proofs) {
  const auto found = std::ranges::find(proofs, line.number, &Proof::line);
  return found == proofs.end() ? nullptr : &*found;
}

Colour colour_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::imported: return Colour::green;
    case Verdict::different: return Colour::yellow;
    case Verdict::refused: return Colour::red;
    case Verdict::setting:
    case Verdict::blank: return Colour::dim;
  }
  std::unreachable();
}

std::string_view first_clause(std::string_view sentence) {
  sentence = sentence.substr(0, sentence.find_first_of(",;("));
  return sentence.substr(0, sentence.find_last_not_of(' ') + 1);
}

/// Where each difference was told first.
using ToldDifferences = std::map<std::string, std::size_t, std::less<>>;

/// The differences of a line. What an earlier line had as well is only named: a setting makes the same difference to
/// every line below it, and those that one line alone has would drown.
std::vector<std::string> differences_of(const ImportedLine& line, ToldDifferences& told) {
  std::vector<std::string> notes;
  std::map<std::size_t, std::string> named;  // by the line that has them whole
  for (const std::string& difference : line.differences) {
    const auto [first, is_new] = told.try_emplace(difference, line.number);
    if (is_new) {
      notes.push_back(difference);
      continue;
    }
    std::string& names = named[first->second];
    names += fmt::format("{}{}", names.empty() ? "" : " · ", first_clause(difference));
  }
  for (const auto& [number, names] : named) notes.push_back(fmt::format("as line {}: {}", number, names));
  return notes;
}

/// What there is to say about a line, one sentence each.
std::vector<std::string> notes_on(const ImportedLine& line, const std::vector<Proof>& proofs, ToldDifferences& told) {
  std::vector<std::string> notes = differences_of(line, told);
  if (!line.reason.empty()) notes.push_back(line.reason);
  if (const Proof* proof = proof_for(line, proofs)) {
    notes.push_back(proof->is_clean() ? fmt::format("{} starts in two years, the same as cron's", proof->count_ours)
                                      : fmt::format("{} starts in two years, {} different from cron's",
                                                    proof->count_ours, proof->difference_count));
    for (const StartDifference& each : proof->differences)
      notes.push_back(fmt::format("{} only by {}: {}", each.local,
                                  each.side == StartDifference::Side::only_cron ? "cron" : "carillon", each.why));
  }
  return notes;
}

std::string report_text(const Crontab& crontab, const std::vector<Proof>& proofs, const Paint& paint) {
  Table table;
  ToldDifferences told;
  for (const ImportedLine& line : crontab.lines) {
    if (line.verdict == Verdict::blank) continue;
    const auto notes = notes_on(line, proofs, told);
    table.add({{.text = fmt::format("{}", line.number), .align = Align::right},
               {.text = std::string{to_text(line.verdict)}, .colour = colour_of(line.verdict)},
               {.text = line.schedule ? printable(line.schedule->document.id.text()) : ""},
               {.text = printable(line.schedule && notes.empty() ? line.text
                                  : notes.empty()                ? ""
                                                                 : notes.front())}});
    for (std::size_t i = 1; i < notes.size(); ++i) table.add({{}, {}, {}, {.text = printable(notes[i])}});
  }
  std::string text = table.text(paint, "", "  ") + fmt::format("{} lines", crontab.lines.size());
  for (const Verdict verdict :
       {Verdict::imported, Verdict::different, Verdict::refused, Verdict::setting, Verdict::blank}) {
    const auto count = std::ranges::count(crontab.lines, verdict, &ImportedLine::verdict);
    if (count > 0) text += fmt::format(" · {} {}", count, to_text(verdict));
  }
  text += '\n';
  const bool has_schedules =
      std::ranges::any_of(crontab.lines, [](const auto& line) { return line.schedule.has_value(); });
  for (const std::string_view each : general_differences())
    if (has_schedules) text += fmt::format("note: {}\n", each);
  return text;
}

std::vector<DefinedSchedule> defined_in(const json::object& file, std::string_view name) {
  std::vector<DefinedSchedule> schedules;
  for (const json::value& item : file.at("schedules").as_array()) {
    const json::object& schedule = item.as_object();
    schedules.push_back({.id = std::string{schedule.at("id").as_string()},
                         .name_space = {},
                         .body = item.get_object(),
                         .place = std::string{name}});
  }
  return schedules;
}

bool has_findings(const Crontab& crontab, const std::vector<Proof>& proofs) {
  const bool has_difference = std::ranges::any_of(crontab.lines, [](const ImportedLine& line) {
    return line.verdict == Verdict::different || line.verdict == Verdict::refused;
  });
  return has_difference || !std::ranges::all_of(proofs, &Proof::is_clean);
}

Result<ExitCode> import_command(const Arguments& arguments, Session& session) {
  if (arguments.targets.size() != 1)
    return std::unexpected(usage_error("give one crontab",
                                       "name a file, or - for standard input: crontab -l | carillon import crontab -"));
  const bool is_applied = arguments.has("apply");
  if (arguments.has("dry-run") && !is_applied)
    return std::unexpected(usage_error("--dry-run needs --apply", "without --apply nothing is sent"));
  const CrontabOptions options = TRY(options_of(arguments, session));
  const std::string text = TRY(read_text(options.file_name, session.console));
  const Crontab crontab = read_crontab(text, options, *session.zones.names());
  std::vector<Proof> proofs;
  if (arguments.has("prove"))
    proofs = TRY(prove(crontab.lines, session.now, session.now + proof_length, session.zones));

  const Paint paint = Paint::of(session.console, Stream::error, ColourChoice::automatic);
  session.console.write_error(paint.signs(report_text(crontab, proofs, paint)));
  const json::object file = to_schedule_file(crontab.lines);
  if (is_applied) {
    const ExitCode applied = TRY(apply_definitions(defined_in(file, options.file_name), {}, arguments, session));
    if (applied != ExitCode::ok) return applied;
  } else {
    const Format format =
        arguments.has("output") ? TRY(output_format(arguments.value("output"), import_formats)) : Format::yaml;
    session.console.write(format == Format::json ? pretty_json(file) : to_yaml(file));
  }
  return has_findings(crontab, proofs) ? ExitCode::findings : ExitCode::ok;
}

FlagSpecs import_flags() {
  return joined(
      {{{.names = "--tz", .form = "ZONE", .text = "time zone of the cron daemon; default: this machine's"},
        {.names = "--form", .form = "user|system", .text = "whether lines name a user; default: detected"},
        {.names = "--user", .form = "NAME", .text = "owner of the crontab; default: the server's user"},
        {.names = "--prefix", .form = "TEXT", .text = "prefix for every id: web1 gives web1-backup"},
        {.names = "--hold",
         .form = {},
         .text = "create the schedules disabled, so that cron and carillon never both run them"},
        {.names = "--prove", .form = {}, .text = "compare every start of the next two years with cron's own rules"},
        {.names = "--apply", .form = {}, .text = "send the schedules to the server instead of printing them"}},
       dry_run_flag(),
       asking_flags(),
       output_flags("yaml|json"),
       server_flags()});
}

}  // namespace

const Verb import_crontab_verb{
    .name = "import crontab",
    .targets = "FILE",
    .summary =
        "Converts a crontab into schedules and reports on every line. Exits with 7 if a line is refused or differs.",
    .examples = {"crontab -l | carillon import crontab - > schedules.yaml",
                 "carillon import crontab /etc/crontab --prove", "carillon import crontab /etc/crontab --hold --apply"},
    .group = VerbGroup::schedules,
    .flags = import_flags,
    .perform = import_command,
    .completes = Completes::files,
};

const Verb import_crontab_short_verb{
    .name = "import-crontab",
    .targets = "FILE",
    .summary = "The same as import crontab.",
    .examples = {"crontab -l | carillon import-crontab - > schedules.yaml",
                 "carillon import-crontab /etc/crontab --prove", "carillon import-crontab /etc/crontab --hold --apply"},
    .group = VerbGroup::schedules,
    .flags = import_flags,
    .perform = import_command,
    .completes = Completes::files,
};

}  // namespace carillon::cli
