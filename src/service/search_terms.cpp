#include "service/search_terms.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace carillon {
namespace {

constexpr std::size_t search_term_max = 50;

bool is_key_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

class SearchReader {
 public:
  explicit SearchReader(std::string_view text) : text_{text} {}

  Result<std::vector<SearchTerm>> read() {
    std::vector<SearchTerm> terms;
    for (skip_spaces(); at_ < text_.size(); skip_spaces()) {
      if (terms.size() == search_term_max)
        return std::unexpected(search_fault(at_, fmt::format("more than {} terms", search_term_max), "use fewer"));
      terms.push_back(TRY(read_term()));
    }
    return terms;
  }

 private:
  void skip_spaces() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }

  [[nodiscard]] bool is_at(char c) const { return at_ < text_.size() && text_[at_] == c; }

  Result<SearchTerm> read_term() {
    SearchTerm term{.position = at_};
    if (is_at('-')) {
      term.is_negated = true;
      ++at_;
    }
    std::size_t end = at_;
    while (end < text_.size() && is_key_letter(text_[end])) ++end;
    if (end > at_ && end < text_.size() && (text_[end] == ':' || text_[end] == '~')) {
      term.key = text_.substr(at_, end - at_);
      term.is_contained = text_[end] == '~';
      at_ = end + 1;
    }
    term.value_position = at_;
    for (;; ++at_) {
      term.values.push_back(TRY(read_value()));
      if (!is_at(',')) return term;
    }
  }

  Result<std::string> read_value() {
    std::string value;
    const std::size_t begin = at_;
    while (at_ < text_.size() && text_[at_] != ' ' && text_[at_] != ',') {
      if (text_[at_] != '"') {
        value += text_[at_++];
        continue;
      }
      const std::size_t close = text_.find('"', at_ + 1);
      if (close == std::string_view::npos)
        return std::unexpected(search_fault(at_, "a quote is not closed", "close it where its text ends"));
      value += text_.substr(at_ + 1, close - at_ - 1);
      at_ = close + 1;
    }
    if (value.empty()) return std::unexpected(search_fault(begin, "a value is missing", "write it like state:paused"));
    return value;
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace

Error search_fault(std::size_t position, std::string message, std::string hint) {
  return {.code = ErrorCode::invalid_argument,
          .message = fmt::format("{}, at character {} of the filter", message, position + 1),
          .hint = std::move(hint),
          .rule = "invalid-filter",
          .position = position,
          .context = {}};
}

Result<std::vector<SearchTerm>> parse_search(std::string_view text) {
  if (text.size() > search_size_max)
    return std::unexpected(
        search_fault(search_size_max, fmt::format("it has more than {} bytes", search_size_max), "use fewer terms"));
  return SearchReader{text}.read();
}

}  // namespace carillon
