#include "service/item_facts.hpp"

#include "document/document.hpp"

#include <boost/json/object.hpp>

namespace carillon {
namespace {

namespace json = boost::json;

constexpr std::string_view items_member = "itemsProcessed";

std::optional<std::int64_t> count_in(const json::object& members, std::string_view name) {
  const json::value* value = members.if_contains(name);
  if (value == nullptr || !value->is_int64() || value->get_int64() < 0) return std::nullopt;
  return value->get_int64();
}

std::optional<RunUsage> usage_in(const json::object& members) {
  const auto calls = count_in(members, "calls");
  if (!calls) return std::nullopt;
  RunUsage usage{.calls = *calls,
                 .input_tokens = count_in(members, "inputTokens").value_or(0),
                 .output_tokens = count_in(members, "outputTokens").value_or(0)};
  if (const json::value* cost = members.if_contains("cost"); cost != nullptr && cost->is_number())
    usage.cost = cost->to_number<double>();
  return usage;
}

}  // namespace

std::optional<ItemFacts> item_facts_in(std::string_view result) {
  // Most results are not about items, and need not be read for it.
  if (!result.contains(items_member)) return std::nullopt;
  const auto parsed = parse_json(result);
  const json::object* const members = parsed ? parsed->if_object() : nullptr;
  const auto done = members == nullptr ? std::nullopt : count_in(*members, items_member);
  if (!done) return std::nullopt;
  ItemFacts facts{.done = *done,
                  .failed = count_in(*members, "failedItems"),
                  .total = count_in(*members, "totalItems"),
                  .usage = usage_in(*members),
                  .possibly_paid_twice = count_in(*members, "possiblyPaidTwice")};
  if (const json::value* file = members->if_contains("resultFile"); file != nullptr && file->is_string())
    facts.result_file = std::string{file->get_string()};
  return facts;
}

ItemFacts item_facts_of(const RunProgress& progress) {
  return {.done = progress.done,
          .failed = progress.failed,
          .total = progress.total,
          .usage = progress.usage,
          .progress = progress};
}

}  // namespace carillon
