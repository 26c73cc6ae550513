#include "executors/pipeline/result_items.hpp"

#include "files/beneath.hpp"
#include "pipeline/json_text.hpp"

#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <exception>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

namespace carillon::pipeline {
namespace {

namespace json = boost::json;

constexpr std::size_t item_line_size_max = 256 * 1024 * 1024;
constexpr std::string_view items_line = R"("items":[)";
constexpr std::string_view last_line = "]}";

std::optional<std::int64_t> whole_number(const json::object& document, std::string_view name) {
  const json::value* value = document.if_contains(name);
  return value == nullptr ? std::nullopt : std::optional{value->to_number<std::int64_t>()};
}

/// Throws if the text is no result.
RunItem item_of(std::int64_t index, std::string_view text) {
  const json::value parsed = json::parse(text, {}, {.max_depth = 1'000});
  const json::object& document = parsed.as_object();
  RunItem item{.index = index,
               .is_success = document.at("success").as_bool(),
               .input = compact(document.at("input")),
               .output = compact(document.at("output"))};
  if (const json::value* raw = document.if_contains("rawText")) item.raw_text = std::string{raw->as_string()};
  if (const json::value* error = document.if_contains("error")) item.error = std::string{error->as_string()};
  item.input_tokens = whole_number(document, "inputTokens");
  item.output_tokens = whole_number(document, "outputTokens");
  if (const json::value* cost = document.if_contains("cost")) item.cost = cost->to_number<double>();
  return item;
}

bool is_chosen(const RunItem& item, ItemChoice choice) {
  return choice == ItemChoice::all || item.is_success == (choice == ItemChoice::succeeded);
}

/// Fills a page until it has as much as it may have.
class PageFilling {
 public:
  explicit PageFilling(const ItemQuery& query) : query_{query} {}

  /// Whether it was taken; if not, the page is full and goes on with it.
  [[nodiscard]] bool take(RunItem item, std::size_t size) {
    if (page_.items.size() >= query_.count_max || (!page_.items.empty() && size_ + size > query_.size_max))
      return false;
    size_ += size;
    page_.items.push_back(std::move(item));
    return true;
  }
  [[nodiscard]] ItemPage whole() && { return std::move(page_); }
  [[nodiscard]] ItemPage until(ItemCursor next) && {
    page_.next = next;
    return std::move(page_);
  }

 private:
  const ItemQuery& query_;
  ItemPage page_;
  std::size_t size_ = 0;
};

ResultSpool::Choice spooled(ItemChoice choice) {
  switch (choice) {
    case ItemChoice::all: return ResultSpool::Choice::all;
    case ItemChoice::succeeded: return ResultSpool::Choice::succeeded;
    case ItemChoice::failed: return ResultSpool::Choice::failed;
  }
  std::unreachable();
}

/// The lines of a file from a byte on.
class LineReading {
 public:
  LineReading(int file, std::int64_t from) : file_{file}, next_{from} {}

  /// Where the next line begins.
  [[nodiscard]] std::int64_t place() const { return next_; }

  /// Without its end; none behind the last. It is valid until the next call.
  [[nodiscard]] Result<std::optional<std::string_view>> next() {
    bytes_.erase(0, used_);
    used_ = 0;
    for (std::size_t searched = 0;;) {
      const std::size_t end = bytes_.find('\n', searched);
      if (end != std::string::npos) {
        used_ = end + 1;
        next_ += static_cast<std::int64_t>(used_);
        return std::string_view{bytes_}.substr(0, end);
      }
      searched = bytes_.size();
      if (searched > item_line_size_max) return fail(ErrorCode::corrupt, "it has a line that is too long");
      if (!TRY(fill())) return std::nullopt;
    }
  }
  /// Passes over a line of any length. False at the end.
  [[nodiscard]] Result<bool> skip() {
    for (;;) {
      bytes_.erase(0, used_);
      used_ = 0;
      const std::size_t end = bytes_.find('\n');
      used_ = end == std::string::npos ? bytes_.size() : end + 1;
      next_ += static_cast<std::int64_t>(used_);
      if (end != std::string::npos) return true;
      if (!TRY(fill())) return false;
    }
  }

 private:
  [[nodiscard]] Result<bool> fill() {
    constexpr std::size_t step = 64 * 1024;
    const std::size_t before = bytes_.size();
    const std::int64_t at = next_ + static_cast<std::int64_t>(before - used_);
    bytes_.resize(before + step);
    ssize_t count = 0;
    do {
      count = ::pread(file_, bytes_.data() + before, step, static_cast<off_t>(at));
    } while (count < 0 && errno == EINTR);
    bytes_.resize(before + static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
    if (count < 0)
      return fail(ErrorCode::unavailable, "the result file cannot be read: {}", std::generic_category().message(errno));
    return count > 0;
  }

  int file_;
  std::int64_t next_;
  std::string bytes_;
  std::size_t used_ = 0;
};

std::unexpected<Error> changed_file() {
  return fail(ErrorCode::corrupt, "the result file was changed by somebody else and cannot be read");
}

/// Where the first item stands.
Result<std::int64_t> items_begin(int file) {
  LineReading lines{file, 0};
  if (!TRY(lines.skip()) || !TRY(lines.skip())) return changed_file();
  const auto line = TRY(lines.next());
  if (!line || *line != items_line) return changed_file();
  return lines.place();
}

/// Where a page begins: the cursor's place if it is the beginning of a line there, else the first item.
Result<ItemCursor> start_of(int file, const ItemCursor& from) {
  const std::int64_t first = TRY(items_begin(file));
  if (from.offset == 0) return ItemCursor{.index = 0, .offset = first};
  char before = 0;
  if (from.offset < first || ::pread(file, &before, 1, static_cast<off_t>(from.offset - 1)) != 1 || before != '\n')
    return fail(ErrorCode::invalid_argument, "the items of the run have changed since the page before");
  return from;
}

}  // namespace

Result<ItemPage> items_in(const ResultSpool& results, const ItemQuery& query) {
  PageFilling page{query};
  for (auto from = static_cast<std::size_t>(query.from.index);;) {
    const auto entry = TRY(results.next(from, spooled(query.choice)));
    if (!entry) return std::move(page).whole();
    const auto index = static_cast<std::int64_t>(entry->place);
    if (!page.take(item_of(index, entry->text), entry->text.size())) return std::move(page).until({.index = index});
    from = entry->place + 1;
  }
}

Result<ItemPage> items_in(const std::filesystem::path& folder, const std::filesystem::path& file,
                          const ItemQuery& query) {
  const FileDescriptor opened = TRY(open_file_beneath(TRY(open_folder(folder)).get(), file));
  const ItemCursor start = TRY(start_of(opened.get(), query.from));
  LineReading lines{opened.get(), start.offset};
  PageFilling page{query};
  for (std::int64_t index = start.index;; ++index) {
    const ItemCursor here{.index = index, .offset = lines.place()};
    if (here.offset - start.offset > item_scan_size_max) return std::move(page).until(here);
    const auto line = TRY(lines.next());
    if (!line) return changed_file();
    if (*line == last_line) return std::move(page).whole();
    if (index < query.from.index || line->empty()) continue;
    try {
      RunItem item = item_of(index, line->substr(0, line->size() - (line->ends_with(',') ? 1 : 0)));
      if (is_chosen(item, query.choice) && !page.take(std::move(item), line->size()))
        return std::move(page).until(here);
    } catch (const std::exception&) {
      return changed_file();
    }
  }
}

}  // namespace carillon::pipeline
