#include "document/document.hpp"
#include "spec_laws.hpp"

#include <cstddef>
#include <cstdint>
#include <string_view>

using namespace carillon;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const auto document = parse_yaml({reinterpret_cast<const char*>(bytes), size});
  if (!document) return 0;
  const auto again = parse_yaml(to_yaml(document->root));
  CARILLON_ASSERT(again.has_value() && again->root == document->root);
  fuzz::check_spec_document(document->root);
  return 0;
}
