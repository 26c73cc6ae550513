#pragma once

#include "base/error.hpp"
#include "ports/schedule_store.hpp"
#include "scheduling/schedule_commands.hpp"

#include <boost/json/object.hpp>

#include <string>

namespace carillon::testing {

/// Does what one line asks for and answers with one:
///
///     {"op":"create","document":{…}}                      also "edit" and "apply"
///     {"op":"pause","schedule":"id","until":"…"}          also "resume", "enable", "disable", "reset", "delete"
///     {"op":"trigger","schedule":"id","id":"t1","overlap":"skip"}
///     {"op":"backfill","schedule":"id","id":"b1","from":"…","to":"…"}
///     {"op":"state","schedule":"id"}
///
///     {"result":"ok","revision":3}   {"result":"failed","error":"…"}   {"result":"unknown","error":"…"}
///
/// "request" names a command, so that it may be repeated; "by" says whose it is.
[[nodiscard]] std::string answer(const std::string& line, ScheduleCommands& commands, ScheduleStore& store);

}  // namespace carillon::testing
