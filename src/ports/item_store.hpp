#pragma once

#include "base/error.hpp"
#include "engine/keys.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace carillon {

/// A run whose items are asked for.
struct ItemsOwner {
  Seq run{};
  std::string run_id{};       // as users name it
  std::string package{};      // the path of its action
  std::string result_file{};  // as its result names it; empty: it has left none
};

/// What became of one item. Input and output are JSON.
struct RunItem {
  std::int64_t index = 0;  // its place among all items of the run, from 0
  bool is_success = false;
  std::string input{};
  std::string output{};
  std::optional<std::string> raw_text{};  // the answer, where no fields were asked for
  std::string error{};
  // Of the question that was about this item alone; none: not known, or it was asked together with others.
  std::optional<std::int64_t> input_tokens{};
  std::optional<std::int64_t> output_tokens{};
  std::optional<double> cost{};
  friend bool operator==(const RunItem&, const RunItem&) = default;
};

/// Where a page goes on.
struct ItemCursor {
  std::int64_t index = 0;
  std::int64_t offset = 0;  // in what is read; 0: not known
  friend bool operator==(const ItemCursor&, const ItemCursor&) = default;
};

enum class ItemChoice { all, succeeded, failed };

struct ItemQuery {
  ItemCursor from{};
  ItemChoice choice = ItemChoice::all;
  std::size_t count_max = 50;
  std::size_t size_max = 4 * 1024 * 1024;  // bytes of texts, unless the first item alone has more
};

/// A page may be short although more items follow: `next` tells.
struct ItemPage {
  std::vector<RunItem> items;
  std::optional<ItemCursor> next{};
};

/// The items that runs go through, where their executor keeps them. May be called from several threads.
class ItemStore {
 public:
  virtual ~ItemStore() = default;

  /// In the order of their indexes: of an attempt under way those that have a result so far, else those of the newest
  /// attempt that has written its results. Error `not_found` if they are not kept (any more), `invalid_argument` if
  /// the cursor fits nothing, `corrupt` if what was kept has been changed.
  [[nodiscard]] virtual Result<ItemPage> read_items(const ItemsOwner& owner, const ItemQuery& query) = 0;

  /// Whether what a run was answered is still kept, so that another one can ask for the rest alone.
  [[nodiscard]] virtual bool has_answers(const std::string& run_id) = 0;
};

}  // namespace carillon
