#include "conformance/store_test.hpp"

namespace carillon::conformance {
namespace {

class Definitions : public StoreTest {
 protected:
  std::optional<StoredDefinition> read(Uid uid, std::int64_t revision) {
    const DefinitionName name{.uid = uid, .revision = revision};
    return must(schedules().read_definitions(std::span{&name, 1})).at(0);
  }
};
CARILLON_RUN_FOR_EVERY_STORE(Definitions);

TEST_P(Definitions, are_kept_with_their_schedule) {
  const Uid uid = write(creation(key_of("Nightly", "team"), noon - 1min, "{\"a\":1}")).uid;

  const StoredDefinition stored = read(uid, 1).value();

  EXPECT_EQ(stored.document, "{\"a\":1}");
  EXPECT_EQ(stored.key, key_of("Nightly", "team"));
  EXPECT_EQ(stored.created_at, noon - 1min);
}

TEST_P(Definitions, of_past_revisions_stay_readable) {
  const Uid uid = create("nightly");
  write(next("nightly").edits("{\"a\":2}"));
  write(next("nightly").edits("{\"a\":3}"));

  EXPECT_EQ(read(uid, 1).value().document, "{}");
  EXPECT_EQ(read(uid, 2).value().document, "{\"a\":2}");
  EXPECT_EQ(read(uid, 3).value().document, "{\"a\":3}");
}

TEST_P(Definitions, a_revision_without_a_document_has_the_newest_before_it) {
  const Uid uid = create("nightly");
  auto pause = next("nightly");
  ++pause.next().revision;
  write(pause.changes({.kind = ChangeKind::paused, .revision = 2, .by = "ann"}));
  write(next("nightly").edits("{\"a\":3}"));

  EXPECT_EQ(read(uid, 2).value().document, "{}");
  EXPECT_EQ(read(uid, 3).value().document, "{\"a\":3}");
  EXPECT_EQ(read(uid, 9).value().document, "{\"a\":3}");
}

TEST_P(Definitions, there_are_none_before_the_first_revision_or_of_strangers) {
  const Uid uid = create("nightly");

  EXPECT_EQ(read(uid, 0).has_value(), false);
  EXPECT_EQ(read(Uid{static_cast<std::int64_t>(uid) + 1000}, 1).has_value(), false);
}

TEST_P(Definitions, of_a_deleted_schedule_stay_for_its_runs) {
  const Uid uid = create("nightly");
  write(next("nightly").deletes());
  write(creation(key_of("nightly"), noon, "{\"new\":1}"));

  EXPECT_EQ(read(uid, 1).value().document, "{}");
}

TEST_P(Definitions, of_a_refused_edit_are_not_kept) {
  const Uid uid = create("nightly");
  const auto edit = next("nightly").edits("{\"a\":2}");
  write(next("nightly"));
  commit(edit);

  EXPECT_EQ(read(uid, 2).value().document, "{}");
}

TEST_P(Definitions, are_read_in_the_order_of_their_names) {
  const Uid a = write(creation(key_of("a"), noon, "{\"id\":\"a\"}")).uid;
  const Uid b = write(creation(key_of("b"), noon, "{\"id\":\"b\"}")).uid;
  const std::vector<DefinitionName> names{{b, 1}, {Uid{999'999}, 1}, {a, 1}, {b, 1}};

  const auto stored = must(schedules().read_definitions(names));

  ASSERT_THAT(stored, SizeIs(4));
  EXPECT_EQ(stored[0].value().document, "{\"id\":\"b\"}");
  EXPECT_EQ(stored[1].has_value(), false);
  EXPECT_EQ(stored[2].value().document, "{\"id\":\"a\"}");
  EXPECT_EQ(stored[3].value().document, "{\"id\":\"b\"}");
}

}  // namespace
}  // namespace carillon::conformance
