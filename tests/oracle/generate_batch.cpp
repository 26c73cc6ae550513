#include "oracle/oracle.hpp"
#include "oracle/spec_generator.hpp"
#include "oracle/spec_json.hpp"
#include "oracle/system_zones.hpp"

#include <boost/json/serialize.hpp>
#include <fmt/format.h>
#include <rapidcheck.h>

#include <charconv>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <string_view>

// generate_batch [--seed N] [--count N]: random lines for `carillon next --batch`, the same for the same seed.

namespace carillon::oracle {
namespace {

namespace json = boost::json;

constexpr std::size_t answer_length_max = 300;

struct Options {
  std::uint64_t seed = 1;
  std::uint64_t count = 1000;
};

/// A question about one situation: forwards or backwards, so many or up to a time.
struct Question {
  Situation situation;
  bool is_backwards;
  bool has_count;
  int count;
  Duration reach;
};

rc::Gen<Question> questions() {
  return rc::gen::resize(rc::kNominalSize, rc::gen::exec([] {
                           return Question{.situation = *situations(zone_names()),
                                           .is_backwards = *rc::gen::inRange(0, 3) == 0,
                                           .has_count = *rc::gen::inRange(0, 4) != 0,
                                           .count = *rc::gen::inRange(1, 9),
                                           .reach = std::chrono::minutes{*rc::gen::inRange(0, 3000)}};
                         }));
}

/// A batch line does not say when its schedule was created.
void anchor_elsewhere(Spec& spec) {
  for (Interval& interval : spec.intervals) {
    if (interval.anchor == Anchor::creation) interval.anchor = Anchor::epoch;
  }
}

bool has_short_answer(const Question& question) {
  const Instant moment = question.situation.moment;
  const Oracle oracle{question.situation.spec, question.situation.creation};
  const auto answer = question.is_backwards ? oracle.occurrences(moment - question.reach, moment)
                                            : oracle.occurrences(moment, moment + question.reach);
  return answer.size() <= answer_length_max;
}

json::object line_of(Question question) {
  anchor_elsewhere(question.situation.spec);
  const Instant moment = question.situation.moment;
  json::object line{{"spec", json_of_spec(question.situation.spec)}};
  line[question.is_backwards ? "before" : "after"] = to_text(moment);
  if (question.has_count || !has_short_answer(question)) {
    line["count"] = question.count;
  } else {
    line["until"] = to_text(question.is_backwards ? moment - question.reach : moment + question.reach);
  }
  return line;
}

std::optional<std::uint64_t> number_of(std::string_view text) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return number;
}

std::optional<Options> read_options(int argc, char** argv) {
  Options options;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string_view name = argv[i];
    const std::optional<std::uint64_t> number = number_of(argv[i + 1]);
    if (!number || (name != "--seed" && name != "--count")) return std::nullopt;
    (name == "--seed" ? options.seed : options.count) = *number;
  }
  if (argc % 2 == 0) return std::nullopt;
  return options;
}

int run(int argc, char** argv) {
  const std::optional<Options> options = read_options(argc, argv);
  if (!options) {
    fmt::print(stderr, "usage: generate_batch [--seed N] [--count N]\n");
    return 2;
  }
  const rc::Gen<Question> generator = questions();
  rc::Random random{options->seed};
  for (std::uint64_t i = 0; i < options->count; ++i) {
    const Question question = generator(random.split(), rc::kNominalSize).value();
    fmt::print("{}\n", json::serialize(line_of(question)));
  }
  return 0;
}

}  // namespace
}  // namespace carillon::oracle

int main(int argc, char** argv) { return carillon::oracle::run(argc, argv); }
