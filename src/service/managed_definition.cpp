#include "service/managed_definition.hpp"

#include "base/quoted.hpp"
#include "definitions/schedule_filter.hpp"
#include "document/document.hpp"

#include <boost/json/object.hpp>
#include <fmt/format.h>

namespace carillon {
namespace {

constexpr std::string_view file_prefix = "file:";

}  // namespace

std::string managed_by_file(std::string_view file) { return std::string{file_prefix} + std::string{file}; }

std::string managed_by(std::string_view document) {
  // Cheap, and nearly always the answer.
  if (!document.contains(managed_by_label)) return {};
  const auto labels = parse_json(facts_of(document).labels);
  const auto* const members = labels ? labels->if_object() : nullptr;
  const auto* const by = members == nullptr ? nullptr : members->if_contains(managed_by_label);
  return by == nullptr || !by->is_string() ? std::string{} : std::string{by->get_string()};
}

std::optional<std::string> defining_file(std::string_view document) {
  const std::string by = managed_by(document);
  if (!by.starts_with(file_prefix)) return std::nullopt;
  return by.substr(file_prefix.size());
}

Served<> expect_not_of_file(const Caller& caller, const ScheduleKey& key, std::string_view before,
                            std::string_view after) {
  if (caller.keeps_files) return {};
  auto file = defining_file(before);
  const bool is_claimed = !file && (file = defining_file(after));
  if (!file) return {};
  Refusal refusal{Refusal::Kind::forbidden, "managed_by_file",
                  fmt::format("schedule {} is defined by the file {}", key.id.text(), quoted(*file)),
                  "edit that file; pause, trigger and backfill work here too"};
  if (is_claimed) {
    refusal.message = fmt::format("the label {} is for schedules that files define", managed_by_label);
    refusal.hint = "leave the label out";
  }
  return std::unexpected(std::move(refusal));
}

}  // namespace carillon
