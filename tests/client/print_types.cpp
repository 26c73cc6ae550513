// Prints the structs of client/types with their members as JSON, and beside them contracts/openapi.yaml, which is its
// one argument. client_types_test.py compares the two.

#include "client/answers.hpp"
#include "document/document.hpp"

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>

namespace carillon {
namespace {

namespace json = boost::json;

class MemberLister;

template <typename T>
concept Struct = requires(T& value, MemberLister& lister) { T::visit_members(value, lister); };

json::value type_of(const std::string&) { return "string"; }
json::value type_of(std::int64_t) { return "integer"; }
json::value type_of(bool) { return "boolean"; }
json::value type_of(const Instant&) { return "instant"; }
json::value type_of(const json::value&) { return "any"; }
template <typename T>
json::value type_of(const std::optional<T>&);
template <typename T>
json::value type_of(const std::vector<T>&);
template <Struct T>
json::value type_of(const T&);

/// Writes down what a struct claims to have.
class MemberLister {
 public:
  json::object members{};

  template <typename T>
  void required(std::string_view name, const T& member) {
    members.emplace(name, json::object{{"type", type_of(member)}, {"required", true}});
  }
  template <typename T>
  void optional(std::string_view name, const T& member) {
    members.emplace(name, json::object{{"type", type_of(member)}, {"required", false}});
  }
};

template <typename T>
json::value type_of(const std::optional<T>&) {
  return type_of(T{});
}

template <typename T>
json::value type_of(const std::vector<T>&) {
  return json::object{{"list", type_of(T{})}};
}

template <Struct T>
json::value type_of(const T&) {
  T value{};
  MemberLister lister;
  T::visit_members(value, lister);
  return json::object{{"members", std::move(lister.members)}};
}

/// By the name of the schema that each is read from.
json::object types() {
  using namespace client;
  return {
      {"ScheduleAnswer", type_of(Schedule{})},
      {"RunAnswer", type_of(Run{})},
      {"TriggerAnswer", type_of(TriggerAnswer{})},
      {"Item", type_of(Item{})},
      {"Cancelled", type_of(Cancelled{})},
      {"Occurrences", type_of(Occurrences{})},
      {"Why", type_of(Why{})},
      {"Load", type_of(Load{})},
      {"Upcoming",
       json::object{{"members", {{"items", {{"type", {{"list", type_of(UpcomingStart{})}}}, {"required", true}}}}}}},
      {"Backfill", type_of(Backfill{})},
      {"BackfillPreview", type_of(BackfillPreview{})},
      {"PlannedStart", type_of(PlannedStart{})},
      {"Warning", type_of(Warning{})},
      {"Queue", type_of(Queue{})},
      {"Token", type_of(Token{})},
      {"IssuedToken", type_of(IssuedToken{})},
      {"AuditPage", type_of(AuditPage{})},
      {"AuditVerdict", type_of(AuditVerdict{})},
      {"System", type_of(System{})},
      {"Version", type_of(Version{})},
      {"Status", type_of(Status{})},
      {"BatchAnswer", type_of(BatchAnswer{})}};
}

}  // namespace
}  // namespace carillon

int main(int argument_count, char** arguments) {
  if (argument_count != 2) return 2;
  std::ifstream stream{arguments[1], std::ios::binary};
  const std::string text{std::istreambuf_iterator<char>{stream}, {}};
  const auto description = carillon::parse_yaml(text, text.size());
  if (!description) {
    std::fprintf(stderr, "%s: %s\n", arguments[1], description.error().message.c_str());
    return 1;
  }
  const boost::json::object printed{{"types", carillon::types()}, {"description", description->root}};
  std::puts(boost::json::serialize(printed).c_str());
  return 0;
}
