#include "cli/connection/json_view.hpp"

namespace carillon::cli {

JsonView JsonView::operator[](std::string_view key) const {
  const auto* object = value_ != nullptr ? value_->if_object() : nullptr;
  const auto* member = object != nullptr ? object->if_contains(key) : nullptr;
  return member != nullptr ? JsonView{*member} : JsonView{};
}

std::string JsonView::text() const {
  const auto* text = value_ != nullptr ? value_->if_string() : nullptr;
  return text != nullptr ? std::string{*text} : std::string{};
}

std::optional<std::int64_t> JsonView::number() const {
  if (value_ == nullptr || !value_->is_number()) return std::nullopt;
  if (value_->is_double()) return static_cast<std::int64_t>(value_->get_double());
  return value_->is_int64() ? value_->get_int64() : static_cast<std::int64_t>(value_->get_uint64());
}

bool JsonView::flag(std::string_view key) const {
  const JsonView member = (*this)[key];
  return member.value_ != nullptr && member.value_->is_bool() && member.value_->get_bool();
}

std::optional<Instant> JsonView::instant(std::string_view key) const {
  const auto parsed = parse_instant(text(key));
  return parsed ? std::optional{*parsed} : std::nullopt;
}

const boost::json::array& JsonView::items() const {
  static const boost::json::array none;
  const auto* array = value_ != nullptr ? value_->if_array() : nullptr;
  return array != nullptr ? *array : none;
}

}  // namespace carillon::cli
