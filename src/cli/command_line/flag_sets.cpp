#include "cli/command_line/flag_sets.hpp"

namespace carillon::cli {

FlagSpecs output_flags(std::string_view formats) {
  return {{.names = "-o,--output", .form = formats, .text = "form of the answer"},
          {.names = "--color", .form = "auto|always|never", .text = "colours; auto: on a terminal"}};
}

FlagSpecs fields_flag() {
  return {{.names = "--json", .form = "FIELDS", .text = "JSON with these members only, separated by commas"}};
}

FlagSpecs spec_flags() {
  return {
      {.names = "--spec",
       .form = "FILE",
       .text = "read a spec or a schedule from a YAML or JSON file; - is standard input"},
      {.names = "--id", .form = "ID", .text = "the schedule to take from a file that has several"},
      {.names = "--tz", .form = "ZONE", .text = "zone of the expression, and of a file that names none; default: UTC"}};
}

FlagSpecs data_flag() {
  return {{.names = "--data", .form = "DIR", .text = "folder of the store; default: ./carillon-data"}};
}

FlagSpecs server_flags() {
  return {{.names = "--server", .form = "URL", .text = "the server; default: the one that runs on this machine"},
          {.names = "--token-file", .form = "FILE", .text = "file with the token; default: found beside that server"},
          {.names = "--context", .form = "NAME", .text = "server and token of that name (carillon context list)"},
          {.names = "--namespace", .form = "NAME", .text = "namespace of schedules and queues"},
          {.names = "--debug", .form = {}, .text = "show every request and answer on standard error"}};
}

FlagSpecs display_flags() {
  return {{.names = "--tz,--display-tz",
           .form = "ZONE",
           .text = "zone of the times shown: utc, local, schedule or a name; default: local"}};
}

FlagSpecs asking_flags() {
  return {{.names = "-y,--yes", .form = {}, .text = "do it without asking"},
          {.names = "--no-input", .form = {}, .text = "never ask: fail instead"}};
}

FlagSpecs list_flags() {
  return {{.names = "--limit", .form = "N", .text = "at most so many; default: 50 on a terminal, else all"},
          {.names = "-q,--quiet", .form = {}, .text = "names only"}};
}

FlagSpecs id_list_flags() {
  return joined({{{.names = "-q,--quiet", .form = {}, .text = "ids only"}},
                 output_flags(list_formats),
                 fields_flag(),
                 display_flags(),
                 server_flags()});
}

FlagSpecs dry_run_flag() {
  return {{.names = "--dry-run", .form = {}, .text = "say what would be done, and do nothing"}};
}

}  // namespace carillon::cli
