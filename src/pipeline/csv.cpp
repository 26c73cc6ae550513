#include "pipeline/csv.hpp"

#include "base/utf8.hpp"
#include "pipeline/javascript.hpp"

#include <fmt/format.h>

#include <iterator>
#include <set>

namespace carillon::pipeline {

// Only one character can end a cell; as UTF-8 it may have several bytes.
CsvReader::CsvReader(std::string delimiter) : delimiter_{std::move(delimiter)} {
  if (utf8_length(delimiter_) != delimiter_.size()) delimiter_.clear();
}

Result<std::vector<Item>> CsvReader::read(std::string_view bytes) {
  for (const char c : bytes) {
    if (is_after_return_ && c == '\n') {
      is_after_return_ = false;
      continue;
    }
    is_after_return_ = c == '\r';
    TRY(take(is_after_return_ ? '\n' : c));
  }
  return std::exchange(items_, {});
}

Result<> CsvReader::take(char c) {
  if (c == '\n') ++line_end_;
  if (++row_bytes_ > row_bytes_max)
    return fail(ErrorCode::invalid_argument, "the row that begins in line {} has more than {} bytes", line_,
                row_bytes_max);
  if (quoting_ == Quoting::perhaps_closed) {
    if (c == '"') {
      cell_ += '"';
      quoting_ = Quoting::open;
      return {};
    }
    quoting_ = Quoting::none;
  }
  if (quoting_ == Quoting::open) {
    if (c == '"') {
      quoting_ = Quoting::perhaps_closed;
    } else {
      cell_ += c;
    }
    return {};
  }
  if (c == '"') {
    quoting_ = Quoting::open;
    delimiter_bytes_ = 0;
    return {};
  }
  if (c == '\n' && delimiter_ != "\n") {
    TRY(end_cell());
    return end_row();
  }
  take_plain(c);
  if (delimiter_.empty() || delimiter_bytes_ != delimiter_.size()) return {};
  cell_.resize(cell_.size() - delimiter_.size());
  return end_cell();
}

void CsvReader::take_plain(char c) {
  cell_ += c;
  if (delimiter_.empty()) return;
  if (c == delimiter_[delimiter_bytes_]) {
    ++delimiter_bytes_;
  } else {
    delimiter_bytes_ = c == delimiter_[0] ? 1 : 0;
  }
}

Result<> CsvReader::end_cell() {
  delimiter_bytes_ = 0;
  if (row_.size() >= column_count_max)
    return fail(ErrorCode::invalid_argument, "the row that begins in line {} has more than {} columns", line_,
                column_count_max);
  row_.push_back(std::exchange(cell_, {}));
  return {};
}

Result<> CsvReader::check_row() const {
  for (const std::string& cell : row_)
    if (find_malformed_utf8(cell))
      return fail(ErrorCode::invalid_argument, "the row that begins in line {} is not UTF-8", line_);
  return {};
}

Result<> CsvReader::take_headers() {
  has_headers_ = true;
  std::set<std::string_view> seen;
  headers_.reserve(row_.size());
  for (const std::string& cell : row_) headers_.emplace_back(trimmed(cell));
  for (const std::string& header : headers_)
    if (!seen.insert(header).second) return fail(ErrorCode::invalid_argument, "Duplicate header: \"{}\"", header);
  return {};
}

Result<> CsvReader::end_row() {
  TRY(check_row());
  if (has_headers_) {
    row_.resize(headers_.size());
    Item item;
    item.reserve(headers_.size());
    for (std::size_t i = 0; i < headers_.size(); ++i) item.emplace(headers_[i], std::move(row_[i]));
    items_.push_back(std::move(item));
  } else {
    TRY(take_headers());
  }
  row_.clear();
  row_bytes_ = 0;
  line_ = line_end_;
  return {};
}

Result<std::vector<Item>> CsvReader::finish() {
  quoting_ = Quoting::none;
  if (!cell_.empty() || !row_.empty()) {
    TRY(end_cell());
    TRY(end_row());
  }
  return std::exchange(items_, {});
}

Result<CsvTable> read_csv(std::string_view text, std::string_view delimiter) {
  CsvReader reader{std::string{delimiter}};
  CsvTable table;
  table.items = TRY(reader.read(text));
  auto rest = TRY(reader.finish());
  std::move(rest.begin(), rest.end(), std::back_inserter(table.items));
  table.headers = reader.headers();
  return table;
}

}  // namespace carillon::pipeline
