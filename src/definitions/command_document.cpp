#include "base/quoted.hpp"
#include "definitions/action_document.hpp"
#include "definitions/members.hpp"

#include <boost/json/array.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

namespace carillon {
namespace {

namespace json = boost::json;

constexpr std::string_view argv_example = "write argv: [/usr/bin/backup, --full]";

bool has_nul(std::string_view text) { return text.contains('\0'); }

std::optional<Error> check_argument(const json::value& value) {
  const json::string* text = value.if_string();
  if (text == nullptr) return fault("wrong-type", "an argument is not text", "put it in quotes");
  if (has_nul(*text)) return fault("control-character", "an argument has a NUL character", "leave it out");
  if (text->size() > argv_length_max)
    return fault("too-long", fmt::format("an argument has {} bytes", text->size()),
                 fmt::format("write at most {}, or use stdin", argv_length_max));
  return std::nullopt;
}

void read_argv(ObjectReader& reader, CommandAction& command, Problems& problems) {
  const json::array* argv = list_within(reader, "argv", argv_count_max);
  if (argv == nullptr) return;
  if (argv->empty()) reader.problem("argv", "too-short", "argv is empty", std::string{argv_example});
  for (std::size_t i = 0; i < argv->size(); ++i) {
    const json::value& value = (*argv)[i];
    if (const auto error = check_argument(value)) {
      problems.push_back(to_problem(element_pointer(reader.pointer("argv"), i), *error));
    } else {
      command.argv.emplace_back(value.get_string());
    }
  }
  if (!argv->empty() && (*argv)[0].is_string() && (*argv)[0].get_string().empty())
    reader.problem("argv", "too-short", "the name of the program is empty", std::string{argv_example});
}

void check_shell(ObjectReader& reader, const CommandAction& command) {
  if (!command.shell || command.argv.size() <= 1) return;
  reader.problem("argv", "too-many", fmt::format("with shell, argv must have one entry, not {}", command.argv.size()),
                 "write the whole command line as one entry, or leave out shell");
}

std::optional<Error> check_variable(std::string_view name, std::string_view value) {
  if (name.empty() || name.contains('=') || has_nul(name) || name.size() > env_name_length_max)
    return fault("invalid-name", fmt::format("{} is not a valid variable name", quoted(name)),
                 fmt::format("write 1 to {} characters without '='", env_name_length_max));
  if (has_nul(value) || value.size() > argv_length_max)
    return fault("too-long", fmt::format("the value of {} is too long or has a NUL character", quoted(name)),
                 fmt::format("write at most {} bytes", argv_length_max));
  return std::nullopt;
}

void read_limits(ObjectReader& parent, CommandAction& command, Problems& problems) {
  const json::value* value = parent.member("limits");
  if (value == nullptr) return;
  ObjectReader reader{*value, parent.pointer("limits"), problems};
  for (const std::string_view name : resource_limit_names) {
    const auto limit = integer_within(reader, name, 0, std::numeric_limits<std::int64_t>::max());
    if (limit) command.limits.emplace(name, *limit);
  }
  reader.finish();
}

}  // namespace

CommandAction read_command(const json::value& document, std::string pointer, Problems& problems) {
  CommandAction command;
  ObjectReader reader{document, std::move(pointer), problems};
  read_argv(reader, command, problems);
  require(reader, document, "argv", "a command needs argv", std::string{argv_example});
  command.shell = reader.boolean("shell").value_or(false);
  check_shell(reader, command);
  command.cwd = text_within(reader, "cwd", {.length_min = 1, .length_max = path_length_max});
  command.env = text_map_within(reader, "env", env_count_max, problems, check_variable);
  command.standard_input =
      text_within(reader, "stdin", {.length_max = standard_input_length_max, .with_control_characters = true});
  command.user = text_within(reader, "user", {.length_min = 1, .length_max = user_length_max});
  read_limits(reader, command, problems);
  command.on_owner_loss = word_of<OnOwnerLoss>(reader, "onOwnerLoss").value_or(command.on_owner_loss);
  reader.finish();
  return command;
}

json::object write(const CommandAction& action) {
  json::array argv;
  for (const std::string& argument : action.argv) argv.push_back(json::value(argument));
  json::object limits;
  for (const auto& [name, limit] : action.limits) limits[name] = limit;
  return {{"argv", std::move(argv)},
          {"shell", action.shell},
          {"cwd", write_text(action.cwd)},
          {"env", write_text_map(action.env)},
          {"stdin", write_text(action.standard_input)},
          {"user", write_text(action.user)},
          {"limits", std::move(limits)},
          {"onOwnerLoss", to_text(action.on_owner_loss)}};
}

}  // namespace carillon
