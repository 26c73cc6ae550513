#pragma once

#include "base/instant.hpp"
#include "calendar/zone.hpp"
#include "cli/user_definitions/definition_files.hpp"
#include "client/client.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace carillon::cli {

/// The members of a schedule that are its definition, out of an answer of the server that has more.
[[nodiscard]] boost::json::object definition_in(const boost::json::value& answer);

/// What a schedule is now, and what it would be.
struct DefinitionChange {
  enum class Kind { created, updated, unchanged };

  Kind kind = Kind::unchanged;
  std::string id;
  std::string name_space;
  std::string etag;                                        // of what is now
  std::optional<client::Answer<client::Schedule>> before;  // answers of the server
  client::Answer<client::Schedule> after;
};

/// Asks the server what sending each of these would change. Nothing is written.
[[nodiscard]] std::vector<Result<DefinitionChange>> planned_changes(Client& client,
                                                                    std::span<const DefinedSchedule> schedules);
[[nodiscard]] Result<DefinitionChange> planned_change(Client& client, const DefinedSchedule& schedule);

/// A schedule, and what the server said that sending it would change.
struct PlannedSchedule {
  const DefinedSchedule* schedule = nullptr;
  DefinitionChange change;
};
/// Sends each that would change something, if what was planned from is still there; `change.after` is then what the
/// server has made of it. In their order: how that went, of an unchanged one nothing.
[[nodiscard]] std::vector<Result<>> send_all(Client& client, std::span<PlannedSchedule> planned);
/// Sends it, if what was planned from is still there.
[[nodiscard]] Result<client::Answer<client::Schedule>> send(Client& client, const DefinedSchedule& schedule,
                                                            const DefinitionChange& change);

/// What becomes of one member: `spec.cron[0]`; null where there is none.
struct MemberChange {
  std::string path;
  boost::json::value before;
  boost::json::value after;
};
[[nodiscard]] std::vector<MemberChange> member_changes(const boost::json::value& before,
                                                       const boost::json::value& after);

/// The starts of a stretch of time that a change adds, takes away or moves: to another time of the same day.
struct StartChange {
  std::optional<Instant> before;
  std::optional<Instant> after;
};
struct StartChanges {
  std::vector<StartChange> starts;  // ascending
  ZonePtr zone;                     // the new one
  bool is_cut = false;              // there were too many to look at all
};
/// Between two answers of the server for the same schedule, from `now` for `window`; empty if a spec cannot be read.
[[nodiscard]] StartChanges start_changes(const DefinitionChange& change, Duration window, Session& session);

/// The members and starts that change, two blanks before each line; nothing if none do.
[[nodiscard]] std::string change_text(const DefinitionChange& change, Duration window, Session& session);
/// `{"id", "namespace", "change", "members", "starts"}`.
[[nodiscard]] boost::json::object change_record(const DefinitionChange& change, Duration window, Session& session);

}  // namespace carillon::cli
