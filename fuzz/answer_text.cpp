#include "base/assertion.hpp"
#include "base/utf8.hpp"
#include "pipeline/answer.hpp"
#include "pipeline/javascript.hpp"
#include "pipeline/json_text.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

using namespace carillon;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  static const std::vector<std::string> fields{"severity", "a", "Count"};
  const std::string text = pipeline::well_formed({reinterpret_cast<const char*>(bytes), size});
  CARILLON_ASSERT(!find_malformed_utf8(text));

  for (const bool is_lenient : {false, true})
    if (const auto output = pipeline::read_answer(text, fields, is_lenient)) {
      CARILLON_ASSERT(output->size() == fields.size());
      CARILLON_ASSERT(!find_malformed_utf8(pipeline::indented(*output)));
    }
  if (const auto outputs = pipeline::read_batch_answer(text, fields, 2)) CARILLON_ASSERT(outputs->size() == 2);
  static_cast<void>(pipeline::read_job_answer(text, fields));
  static_cast<void>(pipeline::read_generated_items(text, fields));

  // What is read and written again is the same.
  if (const auto value = pipeline::parse_answer_json(text)) {
    const std::string once = pipeline::compact(*value);
    CARILLON_ASSERT(pipeline::compact(pipeline::parse_answer_json(once).value()) == once);
    CARILLON_ASSERT(pipeline::compact(pipeline::parse_answer_json(pipeline::indented(*value)).value()) == once);
  }
  return 0;
}
