#include "base/assertion.hpp"
#include "definitions/schedule_document.hpp"
#include "definitions/schedule_filter.hpp"
#include "document/document.hpp"

#include <boost/json/serialize.hpp>

#include <cstddef>
#include <cstdint>
#include <string>

using namespace carillon;

/// A definition as it stands in the store, which may be damaged: refused, or read as a document that is written and
/// read again as the same.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const std::string text{reinterpret_cast<const char*>(bytes), size};
  (void)facts_of(text);
  const auto tree = parse_json(text);
  if (!tree) return 0;
  const auto document = read_canonical_schedule(*tree);
  if (!document) return 0;
  const std::string written = boost::json::serialize(write_schedule(*document));
  const auto again = read_canonical_schedule(parse_json(written).value());
  CARILLON_ASSERT(again);
  CARILLON_ASSERT(boost::json::serialize(write_schedule(*again)) == written);
  return 0;
}
