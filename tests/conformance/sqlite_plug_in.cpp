#include "conformance/store_under_test.hpp"
#include "stores/sqlite/sqlite_store.hpp"
#include "support/manual_clock.hpp"
#include "support/temporary_folder.hpp"

#include <memory>

namespace carillon::conformance {
namespace {

class SqliteStoreUnderTest final : public StoreUnderTest {
 public:
  StorePorts ports() override { return store_->ports(); }
  void set_time(Instant now) override { pass_or_set(clock_, now); }
  void step_clock(Duration by) override { clock_.advance_wall(by); }

 private:
  TemporaryFolder folder_;
  ManualClock clock_;
  std::unique_ptr<SqliteStore> store_ = SqliteStore::open(folder_.path() / "store.db", clock_).value();
};

// Each write waits for the disk.
[[maybe_unused]] const bool is_registered = register_store(
    {.name = "sqlite", .make = [] { return std::make_unique<SqliteStoreUnderTest>(); }, .repetition_count = 20});

}  // namespace
}  // namespace carillon::conformance
