#include "cli/command_line/flag_sets.hpp"

namespace carillon::cli {

FlagSpecs output_flags(std::string_view formats) {
  return {{.names = "-o,--output", .form = formats, .text = "output format"},
          {.names = "--color", .form = "auto|always|never", .text = "use colours; auto: only on a terminal"}};
}

FlagSpecs fields_flag(std::string_view text) { return {{.names = "--json", .form = "FIELDS", .text = text}}; }

FlagSpecs spec_flags() {
  return {{.names = "--spec",
           .form = "FILE",
           .text = "read a spec or a schedule from a YAML or JSON file; -: from standard input"},
          {.names = "--id", .form = "ID", .text = "which schedule to read from a file with several"},
          {.names = "--tz",
           .form = "ZONE",
           .text = "time zone of the expression, or of a file that names none; default: UTC"}};
}

FlagSpecs data_flag() { return {{.names = "--data", .form = "DIR", .text = "data folder; default: ./carillon-data"}}; }

FlagSpecs server_flags() {
  return {
      {.names = "--server", .form = "URL", .text = "address of the server; default: the one running on this machine"},
      {.names = "--token-file",
       .form = "FILE",
       .text = "file with the token; default: the one in the server's data folder"},
      {.names = "--context", .form = "NAME", .text = "use this context's server and token (see carillon context list)"},
      {.names = "--namespace", .form = "NAME", .text = "namespace of schedules and queues"},
      {.names = "--debug", .form = {}, .text = "print every request and answer to standard error"}};
}

FlagSpecs display_flags() {
  return {{.names = "--tz,--display-tz",
           .form = "ZONE",
           .text = "time zone for output: utc, local, schedule or a zone name; default: local"}};
}

FlagSpecs asking_flags() {
  return {{.names = "-y,--yes", .form = {}, .text = "do not ask for confirmation"},
          {.names = "--no-input", .form = {}, .text = "fail instead of asking"}};
}

FlagSpecs list_flags() {
  return {{.names = "--limit", .form = "N", .text = "show at most N; default: 50 on a terminal, otherwise all"},
          {.names = "-q,--quiet", .form = {}, .text = "print ids only"}};
}

FlagSpecs id_list_flags(std::string_view fields_text) {
  return joined({{{.names = "-q,--quiet", .form = {}, .text = "print ids only"}},
                 output_flags(list_formats),
                 fields_flag(fields_text),
                 display_flags(),
                 server_flags()});
}

FlagSpecs dry_run_flag() {
  return {{.names = "--dry-run", .form = {}, .text = "show what would be done without doing it"}};
}

}  // namespace carillon::cli
