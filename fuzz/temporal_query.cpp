// A list filter of Temporal's clients: whatever the text, it is parsed or refused with words, and what was parsed
// judges any schedule.
#include "api/temporal/query.hpp"
#include "base/assertion.hpp"

#include <boost/json/array.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace carillon::temporal;
  static const Settings settings = [] {
    Settings made;
    made.search_attributes = {{"Team", enums_pb::INDEXED_VALUE_TYPE_KEYWORD},
                              {"Level", enums_pb::INDEXED_VALUE_TYPE_INT},
                              {"Tags", enums_pb::INDEXED_VALUE_TYPE_KEYWORD_LIST}};
    return made;
  }();
  const auto query = Query::parse({reinterpret_cast<const char*>(data), size}, settings);
  CARILLON_ASSERT(query || !query.error().message.empty());
  if (!query) return 0;
  static_cast<void>(query->matches({}));
  static_cast<void>(query->matches({{"ScheduleId", "a"},
                                    {"TemporalSchedulePaused", true},
                                    {"Team", "data"},
                                    {"Level", 3},
                                    {"Tags", boost::json::array{"x", "y"}}}));
  return 0;
}
