#include "cli/connection/run_lookup.hpp"

#include "base/quoted.hpp"
#include "cli/connection/request_scope.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <vector>

namespace carillon::cli {

namespace {

/// How many of the newest runs the beginning of an id is looked for in.
constexpr std::size_t looked_through_count = 1000;
constexpr std::size_t listed_run_count_max = 5;
constexpr std::array<std::string_view, 4> open_states{"waiting", "queued", "running", "retrying"};

Error no_run(std::string_view word) {
  return {.code = ErrorCode::not_found,
          .message = fmt::format("there is no run {}", carillon::quoted(word)),
          .hint = "carillon run list -q has the newest ids",
          .rule = "not_found",
          .position = {},
          .context = {}};
}

Error ambiguous(std::string_view word, const std::vector<JsonView>& runs) {
  std::vector<std::string> candidates;
  for (const JsonView& run : runs) {
    if (candidates.size() == listed_run_count_max) {
      candidates.emplace_back("…");
      break;
    }
    candidates.push_back(fmt::format("{} ({})", run.text("id"), run.text("name")));
  }
  return {.code = ErrorCode::not_found,
          .message = fmt::format("{} may be one of {} runs", carillon::quoted(word), runs.size()),
          .hint = fmt::format("{}", fmt::join(candidates, ", ")),
          .rule = "ambiguous",
          .position = {},
          .context = {}};
}

bool begins_with(const JsonView& run, std::string_view word) {
  return run.text("id").starts_with(word) || run.text("name").starts_with(word);
}

}  // namespace

Result<ApiAnswer> get_run(Client& client, std::string_view word) {
  if (word.empty()) return std::unexpected(no_run(word));
  auto answer = client.get("/runs/" + path_part(word));
  if (answer || answer.error().rule != "not_found") return answer;
  const auto found = TRY(client.list("/runs", {}, looked_through_count));
  std::vector<JsonView> begun;
  for (const auto& item : found.items) {
    if (begins_with(JsonView{item}, word)) begun.emplace_back(item);
  }
  if (begun.empty()) return std::unexpected(no_run(word));
  if (begun.size() > 1) return std::unexpected(ambiguous(word, begun));
  return client.get(run_path(begun.front()), namespace_of(begun.front()));
}

Result<boost::json::value> newest_run(Client& client, const JsonView& schedule) {
  const auto found =
      TRY(client.list(fmt::format("/schedules/{}/runs", path_part(schedule.text("id"))), namespace_of(schedule), 1));
  return found.items.empty() ? boost::json::value{} : found.items.front();
}

std::string run_path(const JsonView& run, std::string_view below) {
  return fmt::format("/runs/{}{}", path_part(run.text("id")), below);
}

bool has_ended(const JsonView& run) { return std::ranges::find(open_states, run.text("state")) == open_states.end(); }

}  // namespace carillon::cli
