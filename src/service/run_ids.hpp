#pragma once

#include "engine/keys.hpp"

#include <array>
#include <optional>
#include <string>
#include <string_view>

namespace carillon {

/// The ids of runs for users: `r-` and 13 letters and digits. An id stands for one row of the ledger and leads to it
/// without a search, but it does not tell how many runs there are or what the next id will be.
class RunIds {
 public:
  using Key = std::array<unsigned char, 16>;

  explicit RunIds(const Key& key) : key_{key} {}
  [[nodiscard]] std::string id_of(Seq run) const;
  /// None if the text is not an id that was made with this key.
  [[nodiscard]] std::optional<Seq> run_of(std::string_view id) const;
  /// A key for something else, from which this one cannot be found out. 32 bytes, the same for every server that has
  /// this key.
  [[nodiscard]] std::string derived_key(std::string_view purpose) const;

 private:
  Key key_;
};

}  // namespace carillon
