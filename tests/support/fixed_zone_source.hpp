#pragma once

#include "ports/zone_source.hpp"

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace carillon {

/// A few zones with the rules of a few years, the same on every machine.
class FixedZoneSource final : public ZoneSource {
 public:
  FixedZoneSource() {
    names_->version = "2026b";
    names_->links = {{"US/Eastern", "America/New_York"}};
    add_new_york("America/New_York");
    add_new_york("US/Eastern");
    add("Europe/Berlin", {{first, 3600, "CET"},
                          {utc(2026, 3, 29, 1), 7200, "CEST"},
                          {utc(2026, 10, 25, 1), 3600, "CET"},
                          {utc(2027, 3, 28, 1), 7200, "CEST"},
                          {utc(2027, 10, 31, 1), 3600, "CET"}});
    add("Australia/Lord_Howe",
        {{first, 37800, "+1030"}, {utc(2026, 10, 3, 15) + 1800, 39600, "+11"}, {utc(2027, 4, 3, 15), 37800, "+1030"}});
    add("Asia/Pyongyang", {{first, 30600, "KST"}, {utc(2018, 5, 4, 15), 32400, "KST"}});
    names_->names.insert({"UTC", "EST"});
    names_->current = names_->names;
    names_->current.erase("US/Eastern");
    zones_["UTC"] = Zone::utc();
  }

  [[nodiscard]] Result<ZonePtr> zone(std::string_view name) override {
    TRY(check_zone_name(name, *names_));
    return zones_.find(name)->second;
  }
  [[nodiscard]] std::shared_ptr<const ZoneNames> names() override { return names_; }
  [[nodiscard]] bool refresh() override { return false; }

  /// As if tzdata had dropped it.
  void forget(std::string_view name) {
    names_->names.erase(names_->names.find(name));
    zones_.erase(zones_.find(name));
  }

 private:
  static constexpr UtcSecond first = -2'208'988'800;  // 1900

  static UtcSecond utc(int year, unsigned month, unsigned day, int hour) {
    const std::chrono::sys_days date{std::chrono::year{year} / static_cast<int>(month) / static_cast<int>(day)};
    return std::chrono::sys_seconds{date}.time_since_epoch().count() + hour * 3600;
  }

  void add(const std::string& name, std::vector<ZoneStretch> stretches) {
    zones_[name] = Zone::make(name, std::move(stretches)).value();
    names_->names.insert(name);
  }

  void add_new_york(const std::string& name) {
    add(name, {{first, -18000, "EST"},
               {utc(2026, 3, 8, 7), -14400, "EDT"},
               {utc(2026, 11, 1, 6), -18000, "EST"},
               {utc(2027, 3, 14, 7), -14400, "EDT"},
               {utc(2027, 11, 7, 6), -18000, "EST"}});
  }

  std::shared_ptr<ZoneNames> names_ = std::make_shared<ZoneNames>();
  std::map<std::string, ZonePtr, std::less<>> zones_;
};

}  // namespace carillon
