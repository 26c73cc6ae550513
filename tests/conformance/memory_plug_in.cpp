#include "conformance/store_under_test.hpp"
#include "stores/memory/memory_store.hpp"
#include "support/manual_clock.hpp"

namespace carillon::conformance {
namespace {

class MemoryStoreUnderTest final : public StoreUnderTest {
 public:
  StorePorts ports() override { return store_.ports(); }
  void set_time(Instant now) override { pass_or_set(clock_, now); }
  void step_clock(Duration by) override { clock_.advance_wall(by); }

 private:
  ManualClock clock_;
  MemoryStore store_{clock_};
};

[[maybe_unused]] const bool is_registered =
    register_store({.name = "memory", .make = [] { return std::make_unique<MemoryStoreUnderTest>(); }});

}  // namespace
}  // namespace carillon::conformance
