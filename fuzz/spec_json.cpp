#include "document/document.hpp"
#include "spec_laws.hpp"

#include <cstddef>
#include <cstdint>
#include <string_view>

using namespace carillon;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const auto document = parse_json({reinterpret_cast<const char*>(bytes), size});
  if (document) {
    fuzz::check_spec_document(*document);
  } else {
    CARILLON_ASSERT(document.error().position && *document.error().position <= size);
  }
  return 0;
}
