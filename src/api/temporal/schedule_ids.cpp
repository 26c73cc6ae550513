#include "api/temporal/schedule_ids.hpp"

#include "base/crypto.hpp"
#include "base/ids.hpp"
#include "definitions/new_definition.hpp"
#include "definitions/slug.hpp"
#include "document/document.hpp"
#include "document/member_texts.hpp"

#include <algorithm>

namespace carillon::temporal {
namespace {

constexpr std::size_t slug_size_max = 100;
constexpr std::size_t hash_size = 16;

}  // namespace

std::string spare_id(std::string_view foreign) {
  std::string readable = slug(foreign.substr(0, slug_size_max)).text();
  readable.resize(std::min(readable.size(), slug_size_max));
  return readable + "-" + sha256_hex(foreign).substr(0, hash_size);
}

std::string natural_id(std::string_view foreign) {
  const auto id = ScheduleId::parse(foreign);
  return id && !is_reserved(*id) ? std::string{foreign} : spare_id(foreign);
}

std::string foreign_id(const ScheduleRecord& record) {
  const auto members = member_texts(record.document);
  if (!members) return record.key.id.text();
  const auto part = std::ranges::find(*members, std::string_view{"temporal"}, &MemberText::key);
  if (part == members->end()) return record.key.id.text();
  const auto document = parse_json(part->value);
  const auto* const object = document ? document->if_object() : nullptr;
  const auto* const id = object == nullptr ? nullptr : object->if_contains("id");
  return id != nullptr && id->is_string() ? std::string{id->get_string()} : record.key.id.text();
}

}  // namespace carillon::temporal
