#include "conformance/store_test.hpp"

namespace carillon::conformance {
namespace {

class Tokens : public StoreTest {
 protected:
  static StoredToken token(std::string id, Instant created_at = noon) {
    return {.id = std::move(id),
            .name = "laptop",
            .role = Role::editor,
            .name_space = "team",
            .salt = std::string{"s\0alt", 5},
            .hash = "\xFF\x01hash",
            .created_at = created_at,
            .expires_at = created_at + 24h,
            .revoked_at = {},
            .may_execute = true};
  }
  static AuditEntry entry(std::string operation) { return *attached(std::move(operation)).audit; }
  std::vector<std::string> operations() {
    std::vector<std::string> found;
    for (const AuditRecord& record : must(audit().read_audit(std::nullopt, std::nullopt, 100)))
      found.push_back(record.entry.operation);
    return found;
  }
};
CARILLON_RUN_FOR_EVERY_STORE(Tokens);

TEST_P(Tokens, are_found_as_they_were_added) {
  StoredToken open = token("bbbbbbbb");
  open.name_space.reset();
  open.expires_at.reset();
  open.role = Role::worker;
  open.may_execute = false;
  must(tokens().add_token(token("aaaaaaaa"), entry("token.create")));
  must(tokens().add_token(open, entry("token.create")));

  EXPECT_EQ(must(tokens().find_token("aaaaaaaa")), token("aaaaaaaa"));
  EXPECT_EQ(must(tokens().find_token("bbbbbbbb")), open);
  EXPECT_EQ(must(tokens().find_token("cccccccc")), std::nullopt);
}

TEST_P(Tokens, are_read_oldest_first) {
  must(tokens().add_token(token("aaaaaaaa", noon + 1min), entry("token.create")));
  must(tokens().add_token(token("cccccccc", noon), entry("token.create")));
  must(tokens().add_token(token("bbbbbbbb", noon), entry("token.create")));

  std::vector<std::string> ids;
  for (const StoredToken& one : must(tokens().read_tokens())) ids.push_back(one.id);

  EXPECT_THAT(ids, ElementsAre("bbbbbbbb", "cccccccc", "aaaaaaaa"));
}

TEST_P(Tokens, have_ids_of_their_own) {
  must(tokens().add_token(token("aaaaaaaa"), entry("token.create")));
  StoredToken other = token("aaaaaaaa");
  other.role = Role::admin;

  const auto refused = tokens().add_token(other, entry("token.create.again"));

  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::conflict);
  EXPECT_EQ(must(tokens().find_token("aaaaaaaa")).value().role, Role::editor);
  EXPECT_THAT(operations(), ElementsAre("token.create"));
}

TEST_P(Tokens, are_revoked_once) {
  must(tokens().add_token(token("aaaaaaaa"), entry("token.create")));

  must(tokens().revoke_token("aaaaaaaa", noon + 1min, entry("token.revoke")));
  must(tokens().revoke_token("aaaaaaaa", noon + 2min, entry("token.revoke.again")));

  EXPECT_EQ(must(tokens().find_token("aaaaaaaa")).value().revoked_at, noon + 1min);
  EXPECT_THAT(operations(), ElementsAre("token.revoke", "token.create"));
}

TEST_P(Tokens, that_are_not_there_cannot_be_revoked) {
  const auto refused = tokens().revoke_token("aaaaaaaa", noon, entry("token.revoke"));

  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::not_found);
  EXPECT_THAT(operations(), IsEmpty());
}

}  // namespace
}  // namespace carillon::conformance
