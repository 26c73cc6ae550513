#pragma once

#include "base/ids.hpp"
#include "calendar/spec.hpp"
#include "definitions/action.hpp"
#include "definitions/on_create.hpp"
#include "definitions/policies.hpp"
#include "definitions/temporal_document.hpp"
#include "document/document.hpp"
#include "document/reader.hpp"

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace carillon {

/// A schedule as users define it: what to start, when, and how to behave. All defaults are filled in, so that equal
/// definitions compare equal.
struct ScheduleDocument {
  ScheduleId id;
  NamespaceId name_space;
  std::string name;
  std::string description;
  TextMap labels;
  bool enabled = true;
  Spec spec;
  Action action;
  Policies policies;
  std::string notes{};                     // for people; a pause and its end write over it
  std::optional<OnCreate> on_create{};     // what is done when it is created
  std::optional<TemporalPart> temporal{};  // only of schedules that clients of Temporal have touched
  friend bool operator==(const ScheduleDocument&, const ScheduleDocument&) = default;
};

// How large the parts may be, in characters; spec.hpp, policies.hpp and action_document.hpp have the bounds of theirs.
inline constexpr std::size_t name_length_max = 200;
inline constexpr std::size_t description_length_max = 10'000;
inline constexpr std::size_t notes_length_max = 10'000;
inline constexpr std::size_t label_count_max = 64;
inline constexpr std::size_t label_length_max = 256;
inline constexpr std::size_t file_schedule_count_max = 10'000;
/// Enough to work on; a file of ten thousand faulty schedules must not give a report without end.
inline constexpr std::size_t file_problem_count_max = 1'000;

struct ReadOptions {
  std::string_view default_timezone{"UTC"};
  /// Whether the members that only answers have (`status`, `nextRunAt`, …) are passed over, so that an answer may be
  /// sent back changed; else they are unknown keys.
  bool ignore_read_only = false;
};

/// Reads a schedule in canonical or short form. Every fault is reported with the pointer of its place as written;
/// `pointer` is the place of the document itself. A left-out namespace is `default`, a left-out name is the id, a
/// left-out id is the slug of the name: whether that is still free is for the caller to see (`has_id`, `numbered`).
[[nodiscard]] Checked<ScheduleDocument> read_schedule(const boost::json::value& document,
                                                      const ReadOptions& options = {}, std::string_view pointer = "");

/// Reads what `write_schedule` has written, as it stands in stores: faster, since nothing can be left out or short.
[[nodiscard]] Checked<ScheduleDocument> read_canonical_schedule(const boost::json::value& document);

/// Whether a document names its own id.
[[nodiscard]] bool has_id(const boost::json::value& document);

/// The one canonical form: every member present, in the order of the reference, but `notes`, `onCreate`, `temporal` and
/// `policies.maxStarts`, which are there if they say something.
[[nodiscard]] boost::json::object write_schedule(const ScheduleDocument& schedule);

/// A schedule file as it was parsed: several YAML documents are one, with all of their schedules in `schedules`.
struct ParsedScheduleText {
  std::optional<Document> document{};  // of what could be parsed; none: nothing could
  std::vector<Error> faults{};         // of documents that could not; `position` counts bytes of the whole text
};
/// Parses YAML, or JSON if the name ends in .json.
[[nodiscard]] ParsedScheduleText parse_schedule_text(std::string_view file_name, std::string_view text);

/// What is wrong with a file in which nothing stands.
[[nodiscard]] Problem empty_file_problem();

/// Reads a file that holds one schedule, or `schedules: [ … ]`. Two schedules of one id are a fault here: an id made up
/// by the order of a file would change with it.
[[nodiscard]] Checked<std::vector<ScheduleDocument>> read_schedule_file(const Document& file,
                                                                        const ReadOptions& options = {});

}  // namespace carillon
