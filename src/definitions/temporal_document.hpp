#pragma once

#include "document/reader.hpp"

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <cstddef>
#include <optional>
#include <string>

namespace carillon {

/// What a client of Temporal said of a schedule that has no place elsewhere in its document. It is kept to be given
/// back; nothing but `api/temporal` looks into it. Bytes are base64.
struct TemporalPart {
  std::string id;                 // of the schedule, where ours cannot be the same: any UTF-8; empty: it is
  std::string schedule;           // the message that defines it: spec, action and policies as they are answered
  std::string meaning;            // which spec and action of this document `schedule` became
  std::string memo;               // message
  std::string search_attributes;  // message
  std::string updated_at;         // when such a client last replaced it; empty: never
  friend bool operator==(const TemporalPart&, const TemporalPart&) = default;
};

inline constexpr std::size_t temporal_id_length_max = 1'000;
inline constexpr std::size_t temporal_bytes_length_max = 1'500'000;  // as base64

[[nodiscard]] TemporalPart read_temporal(const boost::json::value& document, std::string pointer, Problems& problems);

/// The members that are not empty.
[[nodiscard]] boost::json::object write_temporal(const TemporalPart& part);

}  // namespace carillon
