#pragma once

#include "base/error.hpp"
#include "definitions/schedule_filter.hpp"
#include "definitions/words.hpp"
#include "engine/keys.hpp"
#include "ports/query_store.hpp"
#include "stores/sqlite/connection.hpp"
#include "stores/sqlite/statement.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace carillon::sqlite {

/// Living schedules in the order of lists, with what lists are filtered by, and how many there are.
class ListingRows {
 public:
  explicit ListingRows(Connection& connection);

  [[nodiscard]] Result<> add(Uid uid, const ScheduleKey& key, ScheduleStatus status, const ScheduleFacts& facts);
  [[nodiscard]] Result<> set_facts(Uid uid, const ScheduleFacts& facts);
  [[nodiscard]] Result<> set_status(Uid uid, ScheduleStatus status);
  [[nodiscard]] Result<> drop(Uid uid);

  /// In all namespaces, or in one.
  [[nodiscard]] Result<std::int64_t> count(const std::optional<std::string>& name_space);

  struct Listed {
    std::vector<Uid> uids;
    std::int64_t total = 0;
    bool has_more = false;
  };
  [[nodiscard]] Result<Listed> list(const ScheduleListRequest& request);

 private:
  [[nodiscard]] Result<Listed> list_page(const ScheduleListRequest& request);
  [[nodiscard]] Result<Listed> list_sifted(const ScheduleListRequest& request);
  [[nodiscard]] Result<std::unordered_set<std::int64_t>> waking_before(Instant time);
  /// Of every schedule by its uid, from one pass over all definitions: few searches ask for it.
  [[nodiscard]] Result<std::unordered_map<std::int64_t, std::string>> read_timezones();

  Statement insert_;
  Statement set_facts_;
  Statement set_status_;
  Statement drop_;
  Statement count_up_;
  Statement count_down_;
  Statement count_all_;
  Statement count_in_;
  Statement page_;
  Statement page_in_;
  Statement all_;
  Statement all_in_;
  Statement waking_;
  Statement documents_;
};

}  // namespace carillon::sqlite
