#include "stores/sqlite/store_file_test.hpp"

#include <gmock/gmock.h>

#include <fstream>
#include <iterator>

namespace carillon {
namespace {

using namespace conformance;
using testing::IsEmpty;
using testing::SizeIs;

class SqliteRemoval : public StoreFileTest {
 protected:
  static inline const std::string canary = "canary-in-a-payload";

  static Uid uid_of(SqliteStore& store, std::string_view id) { return view(store, id).state.uid; }
  static void delete_schedule(SqliteStore& store, std::string_view id) {
    commit(store, after(view(store, id).state, noon).deletes()).value();
  }
  [[nodiscard]] bool is_on_disk(const std::string& text) const {
    for (const auto& file : std::filesystem::directory_iterator{folder_.path()}) {
      std::ifstream in{file.path(), std::ios::binary};
      const std::string bytes{std::istreambuf_iterator<char>{in}, {}};
      if (bytes.contains(text)) return true;
    }
    return false;
  }
};

TEST_F(SqliteRemoval, of_a_deleted_schedule_leaves_nothing_of_it_in_the_file) {
  auto store = open();
  create(*store, "kept").value();
  create(*store, "secretive", R"({"payload":")" + std::string(9'000, 'x') + canary + R"("})").value();
  const Uid uid = uid_of(*store, "secretive");
  commit(*store, after(view(*store, "secretive").state, noon).edits(R"({"payload":")" + canary + R"("})")).value();
  delete_schedule(*store, "secretive");
  ASSERT_THAT(store->read_deleted({}, 10).value(), SizeIs(1));
  EXPECT_EQ(store->read_deleted({}, 10).value().at(0).uid, uid);
  EXPECT_EQ(store->read_deleted({}, 10).value().at(0).deleted_at, noon);

  ASSERT_TRUE(store->forget_schedule(uid));

  EXPECT_THAT(store->read_deleted({}, 10).value(), IsEmpty());
  EXPECT_FALSE(store->find(key_of("secretive")).value().view);
  EXPECT_THAT(ledger(*store), SizeIs(1)) << "the creation of the other";
  EXPECT_TRUE(store->check_integrity());
  store.reset();
  EXPECT_FALSE(is_on_disk(canary));
  EXPECT_FALSE(is_on_disk("secretive"));
  EXPECT_TRUE(is_on_disk("kept"));
  EXPECT_TRUE(is_written(create(*open(), "secretive"))) << "the id may be used again";
}

TEST_F(SqliteRemoval, waits_until_no_line_is_left) {
  const auto store = open();
  create(*store, "busy").value();
  commit(*store, after(view(*store, "busy").state, noon).decides(skipping(noon, SkipReason::missed))).value();
  const Uid uid = uid_of(*store, "busy");
  delete_schedule(*store, "busy");

  ASSERT_TRUE(store->forget_schedule(uid));
  EXPECT_THAT(store->read_deleted({}, 10).value(), SizeIs(1));
  std::vector<Seq> lines;
  const auto swept = store->read_lines({}, 100).value();
  for (const RetentionCandidate& line : swept) lines.push_back(line.seq);
  ASSERT_TRUE(store->forget_lines(lines));
  ASSERT_TRUE(store->forget_schedule(uid));

  EXPECT_THAT(store->read_deleted({}, 10).value(), IsEmpty());
}

}  // namespace
}  // namespace carillon
