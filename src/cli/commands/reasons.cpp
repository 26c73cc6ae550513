#include "cli/commands/reasons.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

namespace carillon::cli {

namespace {

struct Reason {
  std::string_view code;
  std::string_view words;
  std::string_view label = {};
  std::string_view verb = {};   // of the command, before the schedule
  std::string_view flags = {};  // behind it
};

constexpr std::array<Reason, 12> reasons{{
    {.code = "overlap",
     .words = "another run was active",
     .label = "Avoid this",
     .verb = "edit",
     .flags = " --overlap buffer_one"},
    {.code = "buffer_full",
     .words = "the buffer of waiting starts was full",
     .label = "Avoid this",
     .verb = "edit",
     .flags = " --overlap allow_all"},
    {.code = "superseded", .words = "replaced by a later start"},
    {.code = "missed",
     .words = "too late for its catch-up policy",
     .label = "Avoid this",
     .verb = "edit",
     .flags = " --catchup all"},
    {.code = "quota", .words = "more were missed than the catch-up limit"},
    {.code = "paused", .words = "the schedule was paused", .label = "Start again", .verb = "resume"},
    {.code = "deleted", .words = "the schedule was deleted"},
    {.code = "condition", .words = "its condition was not met"},
    {.code = "upstream", .words = "the schedule it depends on did not finish in time"},
    {.code = "exhausted", .words = "a limit of the schedule was reached", .label = "Reset the limits", .verb = "reset"},
    {.code = "clock", .words = "the clock was wrong", .label = "Check the clock", .verb = "doctor"},
    {.code = "outage",
     .words = "no server was active, then another start came first",
     .label = "Avoid this",
     .verb = "edit",
     .flags = " --overlap buffer_all"},
}};

const Reason* reason_of(std::string_view code) {
  const auto found = std::ranges::find(reasons, code, &Reason::code);
  return found != reasons.end() ? &*found : nullptr;
}

}  // namespace

std::string skip_words(std::string_view reason) {
  const Reason* known = reason_of(reason);
  return known != nullptr ? fmt::format("{}: {}", reason, known->words) : std::string{reason};
}

std::string_view outage_words(std::string_view cause) {
  if (cause == "halted") return "the server was halted";
  if (cause == "store") return "servers could not use their store";
  return cause == "clock" ? "the clock was set forward" : "no server was running";
}

SkipRemedy skip_remedy(std::string_view reason, std::string_view schedule) {
  const Reason* known = reason_of(reason);
  if (known == nullptr || known->label.empty()) return {};
  const bool is_about_it = known->verb != "doctor";
  return {.label = std::string{known->label},
          .command = fmt::format("carillon {}{}{}{}", known->verb, is_about_it ? " " : "", is_about_it ? schedule : "",
                                 known->flags)};
}

}  // namespace carillon::cli
