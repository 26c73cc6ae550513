#include "conformance/store_under_test.hpp"
#include "stores/memory/memory_store.hpp"
#include "support/manual_clock.hpp"

namespace carillon::conformance {
namespace {

class MemoryStoreUnderTest final : public StoreUnderTest {
 public:
  ScheduleStore& schedules() override { return store_; }
  RunQueue& runs() override { return store_; }
  Retention& retention() override { return store_; }
  QueryStore& query_store() override { return store_; }
  EventFeed& feed() override { return store_; }
  AuditLog& audit() override { return store_; }
  TokenStore& tokens() override { return store_; }
  IdempotencyStore& idempotency() override { return store_; }
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
