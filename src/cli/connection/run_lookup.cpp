#include "cli/connection/run_lookup.hpp"

#include "base/quoted.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string>
#include <vector>

namespace carillon::cli {

namespace {

constexpr std::size_t searched_run_count_max = 1000;  // of the newest, for the beginning of an id
constexpr std::size_t listed_run_count_max = 5;

Error no_run(std::string_view word) {
  return {.code = ErrorCode::not_found,
          .message = fmt::format("run {} not found", carillon::quoted(word)),
          .hint = "see the newest ids: carillon run list -q",
          .rule = "not_found",
          .position = {},
          .context = {}};
}

Error ambiguous(std::string_view word, const std::vector<const client::Run*>& runs) {
  std::vector<std::string> candidates;
  for (const client::Run* run : runs) {
    if (candidates.size() == listed_run_count_max) {
      candidates.emplace_back("…");
      break;
    }
    candidates.push_back(fmt::format("{} ({})", run->id, run->name));
  }
  return {.code = ErrorCode::not_found,
          .message = fmt::format("{} matches {} runs", carillon::quoted(word), runs.size()),
          .hint = fmt::format("{}", fmt::join(candidates, ", ")),
          .rule = "ambiguous",
          .position = {},
          .context = {}};
}

}  // namespace

Result<client::Answer<client::Run>> find_run(Client& client, std::string_view word) {
  if (word.empty()) return std::unexpected(no_run(word));
  auto answer = client.get_run(word, "");
  if (answer || answer.error().rule != "not_found") return answer;
  const auto newest = TRY(client.list_runs({}, searched_run_count_max));
  std::vector<const client::Run*> matches;
  for (const client::Run& run : newest.items) {
    if (run.id.starts_with(word) || run.name.starts_with(word)) matches.push_back(&run);
  }
  if (matches.empty()) return std::unexpected(no_run(word));
  if (matches.size() > 1) return std::unexpected(ambiguous(word, matches));
  return client.get_run(matches.front()->id, matches.front()->name_space);
}

}  // namespace carillon::cli
