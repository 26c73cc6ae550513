#pragma once

#include "base/instant.hpp"
#include "ports/store_ports.hpp"

#include <functional>
#include <iosfwd>
#include <memory>
#include <string>
#include <vector>

namespace carillon::conformance {

/// One empty store whose time is in our hands. Destroying it removes what it has stored.
class StoreUnderTest {
 public:
  virtual ~StoreUnderTest() = default;

  virtual StorePorts ports() = 0;
  /// What the store's clock says from now on, until it is set again. Later: so much time passes. Earlier: it is set
  /// back, and no time passes.
  virtual void set_time(Instant now) = 0;
  /// Sets the store's clock, forward or back, while no time passes.
  virtual void step_clock(Duration by) = 0;
};

/// A kind of store that has to conform.
struct StoreKind {
  std::string name;  // letters, digits and underscores: part of the test names
  std::function<std::unique_ptr<StoreUnderTest>()> make;
  int repetition_count = 200;  // of random and concurrent commands; a slow store asks for fewer
};
std::ostream& operator<<(std::ostream& out, const StoreKind& kind);

/// Adds a kind while the program starts. The value only serves to initialise a static variable.
bool register_store(StoreKind kind);
const std::vector<StoreKind>& registered_stores();

}  // namespace carillon::conformance
