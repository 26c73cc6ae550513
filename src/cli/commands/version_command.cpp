#include "cli/command_line/argument_values.hpp"
#include "cli/command_line/command_error.hpp"
#include "cli/command_line/flag_sets.hpp"
#include "cli/command_line/verbs.hpp"
#include "cli/command_line/version.hpp"
#include "cli/connection/session.hpp"
#include "cli/display/record_output.hpp"
#include "document/document.hpp"

#include <boost/json/object.hpp>
#include <fmt/format.h>

#include <array>

namespace carillon::cli {

namespace {

namespace json = boost::json;

constexpr std::array version_formats{Format::table, Format::json, Format::yaml};

constexpr std::string_view version = CARILLON_VERSION;
constexpr std::string_view commit = CARILLON_COMMIT;

#ifdef __clang__
constexpr std::string_view compiler = "clang++ " __clang_version__;
#else
constexpr std::string_view compiler = "g++ " __VERSION__;
#endif

json::object document_of(std::string_view tzdata) {
  return {{"version", version}, {"commit", text_or_null(commit)}, {"compiler", compiler}, {"tzdata", tzdata}};
}

std::string text_of(std::string_view tzdata) {
  return fmt::format("carillon {}\n  commit    {}\n  compiler  {}\n  tzdata    {}\n", version,
                     commit.empty() ? "unknown" : commit, compiler, tzdata);
}

Result<ExitCode> version_command(const Arguments& arguments, Session& session) {
  const Format format = TRY(output_format(arguments.value("output"), version_formats));
  const std::string tzdata = session.zones.names()->version;
  switch (format) {
    case Format::json: session.console.write(pretty_json(document_of(tzdata))); break;
    case Format::yaml: session.console.write(to_yaml(document_of(tzdata))); break;
    default: session.print(text_of(tzdata));
  }
  return ExitCode::ok;
}

}  // namespace

std::string_view program_version() { return version; }

const Verb version_verb{
    .name = "version",
    .targets = "",
    .summary = "Prints the version of carillon, its compiler and the time zone data in use.",
    .examples = {"carillon version", "carillon version -o json", "carillon --version"},
    .group = VerbGroup::yourself,
    .flags = [] { return output_flags("text|json|yaml"); },
    .perform = version_command,
};

}  // namespace carillon::cli
