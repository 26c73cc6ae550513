#pragma once

#include "calendar/zone.hpp"
#include "cli/command_line/arguments.hpp"
#include "cli/connection/session.hpp"
#include "client/client.hpp"

#include <string>
#include <string_view>

namespace carillon::cli {

/// The server that a command line is about.
///
/// Which one: `--server`, CARILLON_SERVER, the context, else the one whose data is in this folder, else the only
/// one that runs on this machine, else 127.0.0.1:7070. An error that names them if there are several.
/// Which token: `--token-file`, CARILLON_TOKEN, CARILLON_TOKEN_FILE, the context, else the one beside that server.
///
/// In a context with `confirm: true` the client asks before its first write (see confirming_transport.hpp), unless
/// `confirmed` has.
[[nodiscard]] Result<Client> connect(const Arguments& arguments, Session& session);

/// The id of the schedule that a word means: an id, the beginning of exactly one, or a name. An error that lists the
/// candidates or names the closest one.
[[nodiscard]] Result<std::string> find_schedule_id(Client& client, std::string_view word);

/// That schedule.
[[nodiscard]] Result<client::Answer<client::Schedule>> find_schedule(Client& client, std::string_view word);

/// The one word a command is about, or what is missing: `one_target(arguments, "a schedule", "carillon status
/// nightly")`.
[[nodiscard]] Result<std::string> one_target(const Arguments& arguments, std::string_view what,
                                             std::string_view example);

/// The zone in which times are shown; null: that of each schedule.
struct DisplayZone {
  ZonePtr zone;

  [[nodiscard]] const Zone& of(const ZonePtr& schedule_zone) const { return zone ? *zone : *schedule_zone; }
};
[[nodiscard]] Result<DisplayZone> display_zone(const Arguments& arguments, Session& session);

/// The zone in which a time is read that names none: `--tz` if it is given, else that of the schedule the command is
/// about, else (null) the one in which times are shown.
[[nodiscard]] Result<ZonePtr> reading_zone(const Arguments& arguments, const ZonePtr& schedule_zone, Session& session);

/// Asks on the terminal. Without one, or with --no-input: an error that names --yes.
[[nodiscard]] Result<bool> confirmed(const Arguments& arguments, Session& session, std::string_view question);

}  // namespace carillon::cli
