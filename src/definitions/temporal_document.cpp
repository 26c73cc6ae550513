#include "definitions/temporal_document.hpp"

#include "definitions/members.hpp"

#include <array>
#include <string_view>
#include <utility>

namespace carillon {
namespace {

struct TemporalMember {
  std::string_view key;
  std::string TemporalPart::* value;
  std::size_t length_max;
};

constexpr std::array<TemporalMember, 6> temporal_members{
    {{"id", &TemporalPart::id, temporal_id_length_max},
     {"schedule", &TemporalPart::schedule, temporal_bytes_length_max},
     {"meaning", &TemporalPart::meaning, 64},
     {"memo", &TemporalPart::memo, temporal_bytes_length_max},
     {"searchAttributes", &TemporalPart::search_attributes, temporal_bytes_length_max},
     {"updatedAt", &TemporalPart::updated_at, 64}}};

}  // namespace

TemporalPart read_temporal(const boost::json::value& document, std::string pointer, Problems& problems) {
  TemporalPart part;
  ObjectReader reader{document, std::move(pointer), problems};
  for (const TemporalMember& member : temporal_members)
    if (auto text = text_within(reader, member.key, {.length_max = member.length_max, .with_control_characters = true}))
      part.*member.value = *std::move(text);
  reader.finish();
  return part;
}

boost::json::object write_temporal(const TemporalPart& part) {
  boost::json::object out;
  for (const TemporalMember& member : temporal_members)
    if (!(part.*member.value).empty()) out[member.key] = part.*member.value;
  return out;
}

}  // namespace carillon
