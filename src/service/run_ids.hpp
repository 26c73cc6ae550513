#pragma once

#include "engine/keys.hpp"

#include <array>
#include <optional>
#include <string>
#include <string_view>

namespace carillon {

/// The ids by which users name runs: `r-` and 13 letters and digits. Each stands for one row of the ledger and leads
/// back to it without a search, yet tells neither how many runs there are nor what the next one will be called.
class RunIds {
 public:
  using Key = std::array<unsigned char, 16>;

  explicit RunIds(const Key& key) : key_{key} {}
  [[nodiscard]] std::string id_of(Seq run) const;
  /// None if it is no id of ours.
  [[nodiscard]] std::optional<Seq> run_of(std::string_view id) const;

 private:
  Key key_;
};

}  // namespace carillon
