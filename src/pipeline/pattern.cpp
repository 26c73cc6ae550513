#include "pipeline/pattern.hpp"

#include "pipeline/javascript.hpp"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include <array>
#include <string>
#include <utility>

namespace carillon::pipeline {
namespace {

constexpr std::size_t pattern_size_max = 10'000;
/// About a tenth of a second each; the usual search takes less than a hundred steps.
constexpr std::uint32_t match_steps_max = 1'000'000;
constexpr std::uint32_t match_memory_kib_max = 20'000;
constexpr std::uint32_t pattern_options = PCRE2_UTF | PCRE2_ALT_BSUX | PCRE2_MATCH_UNSET_BACKREF |
                                          PCRE2_ALLOW_EMPTY_CLASS | PCRE2_DOLLAR_ENDONLY | PCRE2_NEVER_BACKSLASH_C;

/// The words of JavaScript for the faults that PCRE2 has other words for.
std::string fault_of(int code) {
  switch (code) {
    case PCRE2_ERROR_END_BACKSLASH: return "\\ at end of pattern";
    case PCRE2_ERROR_QUANTIFIER_OUT_OF_ORDER: return "numbers out of order in {} quantifier";
    case PCRE2_ERROR_MISSING_SQUARE_BRACKET: return "Unterminated character class";
    case PCRE2_ERROR_CLASS_RANGE_ORDER: return "Range out of order in character class";
    case PCRE2_ERROR_QUANTIFIER_INVALID: return "Nothing to repeat";
    case PCRE2_ERROR_INVALID_AFTER_PARENS_QUERY: return "Invalid group";
    case PCRE2_ERROR_MISSING_CLOSING_PARENTHESIS: return "Unterminated group";
    case PCRE2_ERROR_UNMATCHED_CLOSING_PARENTHESIS: return "Unmatched ')'";
    default: break;
  }
  std::array<PCRE2_UCHAR, 256> buffer{};
  pcre2_get_error_message(code, buffer.data(), buffer.size());
  return reinterpret_cast<const char*>(buffer.data());
}

struct FreeMatchData {
  void operator()(pcre2_match_data* data) const { pcre2_match_data_free(data); }
};
struct FreeMatchContext {
  void operator()(pcre2_match_context* context) const { pcre2_match_context_free(context); }
};
struct FreeCompileContext {
  void operator()(pcre2_compile_context* context) const { pcre2_compile_context_free(context); }
};

}  // namespace

struct Pattern::Code {
  explicit Code(pcre2_code* made) : code{made} {}
  Code(const Code&) = delete;
  Code& operator=(const Code&) = delete;
  ~Code() { pcre2_code_free(code); }
  pcre2_code* code;
};

Result<Pattern> Pattern::compile(std::string_view text, Letters letters) {
  if (text.size() > pattern_size_max)
    return fail(ErrorCode::invalid_argument, "the pattern has {} bytes; write at most {}", text.size(),
                pattern_size_max);
  const std::unique_ptr<pcre2_compile_context, FreeCompileContext> context{pcre2_compile_context_create(nullptr)};
  pcre2_set_newline(context.get(), PCRE2_NEWLINE_ANYCRLF);
  int code = 0;
  PCRE2_SIZE offset = 0;
  const std::uint32_t options = pattern_options | (letters == Letters::either_case ? PCRE2_CASELESS : 0U);
  pcre2_code* made =
      pcre2_compile(reinterpret_cast<PCRE2_SPTR>(text.data()), text.size(), options, &code, &offset, context.get());
  if (made == nullptr)
    return fail(ErrorCode::invalid_argument, "Invalid regular expression: /{}/: {}", well_formed(text), fault_of(code));
  return Pattern{std::make_shared<const Code>(made)};
}

Result<std::string_view> Pattern::first_group(std::string_view text) const {
  const std::unique_ptr<pcre2_match_data, FreeMatchData> data{
      pcre2_match_data_create_from_pattern(code_->code, nullptr)};
  const std::unique_ptr<pcre2_match_context, FreeMatchContext> context{pcre2_match_context_create(nullptr)};
  pcre2_set_match_limit(context.get(), match_steps_max);
  pcre2_set_heap_limit(context.get(), match_memory_kib_max);
  const int count =
      pcre2_match(code_->code, reinterpret_cast<PCRE2_SPTR>(text.data()), text.size(), 0, 0, data.get(), context.get());
  if (count == PCRE2_ERROR_MATCHLIMIT || count == PCRE2_ERROR_HEAPLIMIT || count == PCRE2_ERROR_DEPTHLIMIT)
    return fail(ErrorCode::invalid_argument, "the pattern takes too long on a text of {} bytes", text.size());
  if (count < 0) return std::string_view{};
  const PCRE2_SIZE* ends = pcre2_get_ovector_pointer(data.get());
  const bool has_group = count > 1 && ends[2] != PCRE2_UNSET;
  return text.substr(has_group ? ends[2] : ends[0], has_group ? ends[3] - ends[2] : ends[1] - ends[0]);
}

Result<bool> Pattern::occurs_in(std::string_view text) const {
  const auto group = TRY(first_group(text.data() == nullptr ? std::string_view{""} : text));
  return group.data() != nullptr;
}

}  // namespace carillon::pipeline
