#include "base/assertion.hpp"
#include "pipeline/prompt_template.hpp"
#include "pipeline/question.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

using namespace carillon;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const std::string_view text{reinterpret_cast<const char*>(bytes), size};
  const pipeline::Lookup none = [](std::string_view) { return std::nullopt; };
  CARILLON_ASSERT(pipeline::fill(text, none, pipeline::Unknown::stays) == text);

  // What is put in place of a name is never a placeholder itself.
  std::size_t count = 0;
  const pipeline::Lookup echo = [&](std::string_view name) -> std::optional<std::string> {
    ++count;
    return "{{" + std::string{name} + "}}";
  };
  CARILLON_ASSERT(pipeline::fill(text, echo, pipeline::Unknown::becomes_empty) == text);
  CARILLON_ASSERT(pipeline::placeholders(text).size() <= count);
  static_cast<void>(pipeline::prompt_of_file(text));
  return 0;
}
