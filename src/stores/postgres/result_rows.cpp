#include "stores/postgres/result_rows.hpp"

#include <libpq-fe.h>

#include <charconv>
#include <utility>

namespace carillon::postgres {
namespace {

std::int64_t read_big_endian(std::string_view bytes) {
  // The sign is in the first byte.
  std::int64_t value = static_cast<signed char>(bytes.front());
  for (const char byte : bytes.substr(1)) value = (value << 8) | static_cast<unsigned char>(byte);
  return value;
}

}  // namespace

ResultRows::ResultRows(std::shared_ptr<pg_result> result)
    : result_{std::move(result)},
      is_sound_{std::make_shared<bool>(true)},
      size_{static_cast<std::size_t>(PQntuples(result_.get()))} {}

Row ResultRows::operator[](std::size_t row) const { return Row{result_.get(), static_cast<int>(row), *is_sound_}; }

std::int64_t ResultRows::changed_count() const {
  const std::string_view text = PQcmdTuples(result_.get());
  std::int64_t count = 0;
  std::from_chars(text.data(), text.data() + text.size(), count);
  return count;
}

bool Row::is_null(int column) const { return PQgetisnull(result_, row_, column) == 1; }

std::string_view Row::bytes(int column) const {
  return {PQgetvalue(result_, row_, column), static_cast<std::size_t>(PQgetlength(result_, row_, column))};
}

std::int64_t Row::number(int column) const {
  const std::string_view value = bytes(column);
  if (value.empty()) return 0;
  if (value.size() > 8) {
    is_sound_ = false;
    return 0;
  }
  return read_big_endian(value);
}

std::int64_t Row::number_in(int column, std::int64_t min, std::int64_t max) const {
  const std::int64_t value = number(column);
  if (value >= min && value <= max) return value;
  is_sound_ = false;
  return 0;
}

Instant Row::instant(int column) const {
  const Instant value{Duration{number(column)}};
  if (rows::is_possible(value)) return value;
  is_sound_ = false;
  return {};
}

std::optional<std::string> Row::text_if(int column) const {
  return is_null(column) ? std::nullopt : std::optional{text(column)};
}
std::optional<std::int64_t> Row::number_if(int column) const {
  return is_null(column) ? std::nullopt : std::optional{number(column)};
}
std::optional<Instant> Row::instant_if(int column) const {
  return is_null(column) ? std::nullopt : std::optional{instant(column)};
}

std::vector<std::int64_t> Row::numbers(int column) const {
  // Dimensions, whether there are nulls, the type; then size and lower bound of the one dimension; then the elements.
  constexpr std::size_t head_size = 20;
  constexpr std::size_t element_size = 12;
  const std::string_view value = bytes(column);
  std::vector<std::int64_t> found;
  if (value.size() < head_size) return found;
  for (std::size_t at = head_size; at + element_size <= value.size(); at += element_size)
    found.push_back(read_big_endian(value.substr(at + 4, 8)));
  return found;
}

}  // namespace carillon::postgres
