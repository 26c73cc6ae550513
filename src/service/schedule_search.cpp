#include "service/schedule_search.hpp"

#include "base/duration_text.hpp"
#include "base/quoted.hpp"
#include "definitions/words.hpp"
#include "document/reader.hpp"
#include "service/search_terms.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <span>
#include <utility>

namespace carillon {
namespace {

using Field = FilterCondition::Field;
using Match = FilterCondition::Match;

constexpr std::array<std::string_view, 8> schedule_keys{"state", "label", "kind", "name",
                                                        "id",    "tz",    "next", "namespace"};
constexpr std::array<std::string_view, 6> run_keys{"state", "source", "queue", "schedule", "since", "until"};
constexpr std::array<std::string_view, 5> known_kinds{"command", "http", "job", "pipeline", "workflow"};

std::unexpected<Refusal> refuse_term(std::size_t position, std::string message, std::string hint) {
  return std::unexpected(
      Refusal{Problems{to_problem("/filter", search_fault(position, std::move(message), std::move(hint)))}});
}

std::unexpected<Refusal> unknown_key(const SearchTerm& term, std::span<const std::string_view> known) {
  const std::string_view nearest = nearest_word(term.key, known);
  std::string hint = fmt::format("the qualifiers are {}; put a text with a colon in quotes", fmt::join(known, ", "));
  if (!nearest.empty()) hint = fmt::format("did you mean {}? {}", nearest, hint);
  return refuse_term(term.position, fmt::format("unknown qualifier {}", quoted(term.key)), std::move(hint));
}

std::unexpected<Refusal> unknown_word(const SearchTerm& term, std::string_view word,
                                      std::span<const std::string_view> known, std::string_view more = {}) {
  return refuse_term(term.value_position, fmt::format("unknown {} {}", term.key, quoted(word)),
                     fmt::format("one of {}{}", fmt::join(known, ", "), more));
}

Served<> expect_words(const SearchTerm& term, std::span<const std::string_view> known, std::string_view more = {}) {
  if (term.is_contained)
    return refuse_term(term.value_position, fmt::format("{} takes whole words", term.key),
                       fmt::format("write {}:{}", term.key, term.values.front()));
  for (const std::string& word : term.values)
    if (std::ranges::find(known, word) == known.end()) return unknown_word(term, word, known, more);
  return {};
}

Match match_of(const SearchTerm& term) {
  if (term.is_contained) return Match::contains;
  const bool has_star = std::ranges::any_of(term.values, [](const std::string& value) { return value.contains('*'); });
  return has_star ? Match::pattern : Match::equals;
}

/// `team=data`: the key of the label, and the values it may have.
FilterCondition label_condition(const SearchTerm& term) {
  FilterCondition condition{
      .field = Field::label, .match = match_of(term), .values = term.values, .is_negated = term.is_negated};
  std::string& first = condition.values.front();
  const std::size_t split = first.find('=');
  condition.key = first.substr(0, split);
  if (split == std::string::npos)
    condition.values.clear();
  else
    first.erase(0, split + 1);
  return condition;
}

/// A time as it is written, or so long from now: `24h`.
Served<Instant> time_of(const SearchTerm& term, Instant now, int direction) {
  std::string_view text = term.values.front();
  if (text.starts_with('<')) text.remove_prefix(1);
  if (term.values.size() > 1 || term.is_negated || term.is_contained)
    return refuse_term(term.position, fmt::format("{} takes one time", term.key), fmt::format("write {}:1h", term.key));
  if (const auto instant = parse_instant(text)) return *instant;
  if (const auto duration = parse_duration(text)) return now + direction * *duration;
  return refuse_term(term.value_position, fmt::format("{} is neither a time nor a duration", quoted(text)),
                     "write 90s, 24h, 7d or 2026-11-20T03:00:00Z");
}

Served<> add_schedule_term(const SearchTerm& term, Instant now, ScheduleFilter& filter) {
  static const std::array<std::pair<std::string_view, Field>, 4> texts{
      {{"name", Field::name}, {"id", Field::id}, {"tz", Field::timezone}, {"namespace", Field::name_space}}};
  FilterCondition condition{.match = match_of(term), .values = term.values, .is_negated = term.is_negated};
  if (term.key.empty()) {
    // A label without its qualifier would find nothing, or worse, something else.
    if (const std::string& word = term.values.front(); word.contains('='))
      return refuse_term(term.position, fmt::format("{} is no word of an id or a name", quoted(word)),
                         fmt::format("write label:{0}, or name~\"{0}\"", word));
    condition.match = Match::contains;
  } else if (term.key == "state") {
    TRY(expect_words(term, words_of<ScheduleStatus>(), "; the states of runs are for the list of runs"));
    condition.field = Field::state;
  } else if (term.key == "kind") {
    TRY(expect_words(term, known_kinds));
    condition.field = Field::kind;
  } else if (term.key == "label") {
    condition = label_condition(term);
  } else if (term.key == "next") {
    filter.next_before = TRY(time_of(term, now, 1));
    return {};
  } else if (const auto* text = std::ranges::find(texts, term.key, &std::pair<std::string_view, Field>::first);
             text != texts.end()) {
    condition.field = text->second;
  } else {
    return unknown_key(term, schedule_keys);
  }
  filter.conditions.push_back(std::move(condition));
  return {};
}

template <typename Enum>
Served<> add_words(const SearchTerm& term, std::vector<Enum>& words) {
  if (term.is_negated)
    return refuse_term(term.position, "the list of runs has no terms with a minus", "name the words that are meant");
  TRY(expect_words(term, words_of<Enum>()));
  for (const std::string& word : term.values) words.push_back(*parse_word<Enum>(word));
  return {};
}

Served<> add_run_term(const SearchTerm& term, Instant now, RunSearch& search) {
  if (term.key == "state") return add_words(term, search.filter.states);
  if (term.key == "source") return add_words(term, search.filter.sources);
  if (term.key == "since" || term.key == "until") {
    (term.key == "since" ? search.filter.since : search.filter.until) = TRY(time_of(term, now, -1));
    return {};
  }
  const bool is_schedule = term.key.empty() || term.key == "schedule";
  if (!is_schedule && term.key != "queue") return unknown_key(term, run_keys);
  if (term.values.size() > 1 || term.is_negated || term.is_contained)
    return refuse_term(term.position, "the list of runs takes one whole name here", "write schedule:nightly-report");
  if (is_schedule)
    search.schedule = term.values.front();
  else
    search.filter.queue = term.values.front();
  return {};
}

template <typename Add>
Served<> add_terms(std::string_view text, const Add& add) {
  const auto terms = parse_search(text);
  if (!terms) return std::unexpected(Refusal{Problems{to_problem("/filter", terms.error())}});
  for (const SearchTerm& term : *terms) TRY(add(term));
  return {};
}

}  // namespace

Served<> add_search(std::string_view text, Instant now, ScheduleFilter& filter) {
  return add_terms(text, [&](const SearchTerm& term) { return add_schedule_term(term, now, filter); });
}

Served<> add_search(std::string_view text, Instant now, RunSearch& search) {
  return add_terms(text, [&](const SearchTerm& term) { return add_run_term(term, now, search); });
}

}  // namespace carillon
