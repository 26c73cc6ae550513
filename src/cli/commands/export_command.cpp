#include "base/ids.hpp"
#include "base/quoted.hpp"
#include "cli/command_line/argument_values.hpp"
#include "cli/command_line/command_error.hpp"
#include "cli/command_line/flag_sets.hpp"
#include "cli/command_line/verbs.hpp"
#include "cli/connection/server_connection.hpp"
#include "cli/display/record_output.hpp"
#include "cli/terminal/printable.hpp"
#include "cli/user_definitions/definition_text.hpp"
#include "client/document_reader.hpp"
#include "document/document.hpp"
#include "files/private_file.hpp"

#include <fmt/format.h>

#include <array>
#include <filesystem>

namespace carillon::cli {

namespace {

namespace filesystem = std::filesystem;
namespace json = boost::json;

constexpr std::array export_formats{Format::yaml, Format::json};
constexpr std::size_t exported_count_max = 1'000'000;

Result<json::array> wanted(const Arguments& arguments, Client& client) {
  json::array schedules;
  for (const std::string& word : arguments.targets) schedules.push_back(TRY(find_schedule(client, word)).document);
  if (!arguments.targets.empty()) return schedules;
  Query query;
  for (const std::string& label : arguments.values("label")) query.emplace_back("label", label);
  return TRY(client.list_schedules(query, exported_count_max)).documents;
}

std::string text_of(const json::value& document, Format format) {
  return format == Format::json ? pretty_json(document) : to_yaml(document);
}

/// The folder itself is named by the user and may be a link; what somebody else put into it is not followed.
Result<> make_folder(const filesystem::path& folder, const filesystem::path& place) {
  std::error_code error;
  filesystem::create_directories(place, error);
  if (error) return fail(ErrorCode::unavailable, "cannot create {}: {}", printable(place.string()), error.message());
  if (place != folder && filesystem::is_symlink(place, error))
    return fail(ErrorCode::invalid_argument, "{} is a symbolic link; remove it", carillon::quoted(place.string()));
  return {};
}

/// What names a definition in short form; without a namespace it is in `default`.
struct DefinitionName {
  std::string id{};
  std::string name_space{};

  template <typename Self, typename Visitor>
  static void visit_members(Self& self, Visitor& visitor) {
    visitor.required("id", self.id);
    visitor.optional("namespace", self.name_space);
  }
};

/// Schedules of other namespaces than `default` have a folder of their own, since ids repeat between namespaces.
Result<> write_files(const filesystem::path& folder, const json::array& definitions, Format format, Session& session) {
  for (const json::value& definition : definitions) {
    const auto [id, name_space] = TRY(client::read_document<DefinitionName>(definition));
    // A name from elsewhere must not lead out of the folder.
    if (!is_id_text(id) || !is_id_text("x" + name_space))
      return fail(ErrorCode::corrupt, "{} cannot be used as a file name", carillon::quoted(id));
    const filesystem::path place = name_space.empty() ? folder : folder / name_space;
    TRY(make_folder(folder, place));
    const std::string name = id + (format == Format::json ? ".json" : ".yaml");
    TRY(replace_file(place / name, text_of(definition, format)));
  }
  session.console.write_error(fmt::format("{} schedule{} written to {}\n", definitions.size(),
                                          definitions.size() == 1 ? "" : "s", printable(folder.string())));
  return {};
}

Result<ExitCode> export_command(const Arguments& arguments, Session& session) {
  const Format format =
      arguments.has("output") ? TRY(output_format(arguments.value("output"), export_formats)) : Format::yaml;
  if (!arguments.targets.empty() && arguments.has("label"))
    return std::unexpected(usage_error("give names or --label, not both", "leave one out"));
  Client client = TRY(connect(arguments, session));
  json::array definitions;
  for (const json::value& schedule : TRY(wanted(arguments, client))) definitions.push_back(short_definition(schedule));
  if (const auto folder = arguments.value("dir")) {
    TRY(write_files(*folder, definitions, format, session));
    return ExitCode::ok;
  }
  const bool is_single = arguments.targets.size() == 1;
  const json::value document = is_single ? definitions.front() : json::object{{"schedules", definitions}};
  session.console.write(text_of(document, format));
  return ExitCode::ok;
}

}  // namespace

const Verb export_verb{
    .name = "export",
    .targets = "[NAME...]",
    .summary = "Prints or saves schedules as files that apply can read back. Without names: all schedules.",
    .examples = {"carillon export nightly-etl > nightly-etl.yaml", "carillon export --dir schedules",
                 "carillon export --label team=data -o json"},
    .group = VerbGroup::schedules,
    .flags =
        [] {
          return joined({{{.names = "--dir", .form = "DIR", .text = "write one file per schedule into this folder"},
                          {.names = "-l,--label",
                           .form = "KEY=VALUE",
                           .text = "only schedules with this label; repeatable",
                           .may_repeat = true}},
                         output_flags("yaml|json"),
                         server_flags()});
        },
    .perform = export_command,
    .completes = Completes::schedules,
};

}  // namespace carillon::cli
