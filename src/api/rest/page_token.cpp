#include "api/rest/page_token.hpp"

#include <boost/json/serialize.hpp>
#include <fmt/format.h>

#include <charconv>
#include <utility>

namespace carillon::rest {

// Ids and namespaces have only letters that a query may have, and no tilde.
std::string page_token(const ScheduleKey& last) {
  return fmt::format("s~{}~{}", last.name_space.text(), last.id.text());
}

std::optional<ScheduleKey> schedule_after(std::string_view token) {
  if (!token.starts_with("s~")) return std::nullopt;
  token.remove_prefix(2);
  const std::size_t split = token.find('~');
  if (split == std::string_view::npos) return std::nullopt;
  const auto name_space = NamespaceId::parse(token.substr(0, split));
  const auto id = ScheduleId::parse(token.substr(split + 1));
  if (!name_space || !id) return std::nullopt;
  return ScheduleKey{*name_space, *id};
}

namespace {

/// A whole number, and nothing else.
std::optional<std::int64_t> number_in(std::string_view text) {
  std::int64_t number = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || stop != text.data() + text.size() || number < 0) return std::nullopt;
  return number;
}

}  // namespace

std::string page_token(const ItemCursor& next) { return fmt::format("i~{}~{}", next.index, next.offset); }

std::optional<ItemCursor> item_cursor(std::string_view token) {
  if (!token.starts_with("i~")) return std::nullopt;
  token.remove_prefix(2);
  const std::size_t split = token.find('~');
  if (split == std::string_view::npos) return std::nullopt;
  const auto index = number_in(token.substr(0, split));
  const auto offset = number_in(token.substr(split + 1));
  if (!index || !offset) return std::nullopt;
  return ItemCursor{.index = *index, .offset = *offset};
}

std::string page_token(std::int64_t last) { return fmt::format("n~{}", last); }

std::optional<std::int64_t> number_after(std::string_view token) {
  if (!token.starts_with("n~")) return std::nullopt;
  token.remove_prefix(2);
  return number_in(token);
}

std::string page_token(Seq last) { return page_token(static_cast<std::int64_t>(last)); }

std::optional<Seq> seq_after(std::string_view token) {
  return number_after(token).transform([](std::int64_t number) { return Seq{number}; });
}

std::string page_text(boost::json::array items, const std::optional<std::string>& next_token) {
  boost::json::object page{{"items", std::move(items)}, {"nextPageToken", nullptr}};
  if (next_token) page["nextPageToken"] = *next_token;
  return boost::json::serialize(page);
}

}  // namespace carillon::rest
