#include "conformance/store_under_test.hpp"

#include <ostream>
#include <utility>

namespace carillon::conformance {
namespace {

// A function's static: plug-ins register before other statics of this file need exist.
std::vector<StoreKind>& kinds() {
  static std::vector<StoreKind> all;
  return all;
}

}  // namespace

std::ostream& operator<<(std::ostream& out, const StoreKind& kind) { return out << kind.name; }

bool register_store(StoreKind kind) {
  kinds().push_back(std::move(kind));
  return true;
}

const std::vector<StoreKind>& registered_stores() { return kinds(); }

}  // namespace carillon::conformance
