#include "service/service_fixture.hpp"

#include <set>

namespace carillon {
namespace {

using namespace std::chrono_literals;

class AccessTest : public testing::ServiceTest {
 protected:
  IssuedToken issue(const TokenRequest& command) { return must(access_.issue(admin(), command)); }
  [[nodiscard]] Refusal::Kind refusal_of(std::string_view token) {
    const auto caller = access_.authenticate(token, "127.0.0.1");
    return caller ? Refusal::Kind::internal : caller.error().kind;
  }
};

TEST_F(AccessTest, knows_the_bearer_of_a_token_it_has_issued) {
  const IssuedToken issued = issue({.name = "ci", .role = Role::operator_, .name_space = "blue"});

  const Caller caller = must(access_.authenticate(issued.text, "192.0.2.1"));

  EXPECT_EQ(caller.actor, "token:" + issued.stored.id);
  EXPECT_EQ(caller.role, Role::operator_);
  EXPECT_EQ(caller.name_space->text(), "blue");
  EXPECT_EQ(caller.address, "192.0.2.1");
}

TEST_F(AccessTest, keeps_nothing_that_would_open_the_door) {
  const IssuedToken issued = issue({.name = "ci", .role = Role::viewer});

  const StoredToken stored = must(store_.find_token(issued.stored.id)).value();

  const std::string secret = issued.text.substr(issued.text.rfind('_') + 1);
  EXPECT_EQ(stored.hash.find(secret), std::string::npos);
  EXPECT_EQ(stored.salt.find(secret), std::string::npos);
  EXPECT_GE(secret.size(), 26U) << "at least 128 bits of five each";
}

TEST_F(AccessTest, refuses_everything_else_in_the_same_words) {
  const IssuedToken issued = issue({.name = "ci", .role = Role::viewer});
  std::string wrong = issued.text;
  wrong.back() = wrong.back() == 'a' ? 'b' : 'a';
  std::set<std::string> messages;
  for (const std::string& token :
       {std::string{}, std::string{" "}, std::string{"null"}, wrong, issued.text + "x", std::string(1'000'000, 'a'),
        std::string("carillon_\0", 10), "Carillon_" + issued.text.substr(9)}) {
    const auto caller = access_.authenticate(token, "");
    ASSERT_FALSE(caller);
    EXPECT_EQ(caller.error().kind, Refusal::Kind::unauthenticated);
    messages.insert(caller.error().message);
  }
  EXPECT_EQ(messages.size(), 1U);
}

TEST_F(AccessTest, a_secret_that_was_right_a_moment_ago_opens_for_no_other_and_not_when_the_token_has_ended) {
  const IssuedToken issued = issue({.name = "ci", .role = Role::viewer, .lifetime = 1s});
  std::string wrong = issued.text;
  wrong.back() = wrong.back() == 'a' ? 'b' : 'a';
  static_cast<void>(must(access_.authenticate(issued.text, "")));

  const auto again = access_.authenticate_known(issued.text, "");
  ASSERT_TRUE(again && *again) << "remembered";
  const auto other = access_.authenticate_known(wrong, "");
  ASSERT_TRUE(other);
  EXPECT_FALSE(*other);
  EXPECT_TRUE(*access_.authenticate_known(issued.text, "")) << "a wrong one in between changes nothing";
  clock_.advance(1s);
  const auto late = access_.authenticate_known(issued.text, "");
  ASSERT_TRUE(late) << "still remembered";
  EXPECT_FALSE(*late);
}

TEST_F(AccessTest, ends_when_a_token_does) {
  const IssuedToken issued = issue({.name = "ci", .role = Role::viewer, .lifetime = 1h});
  const Caller caller = must(access_.authenticate(issued.text, ""));
  EXPECT_TRUE(access_.is_still_valid(caller));

  clock_.advance(1h);

  EXPECT_EQ(refusal_of(issued.text), Refusal::Kind::unauthenticated);
  EXPECT_FALSE(access_.is_still_valid(caller));
}

TEST_F(AccessTest, ends_at_once_when_a_token_is_revoked) {
  const IssuedToken issued = issue({.name = "ci", .role = Role::viewer});
  const Caller caller = must(access_.authenticate(issued.text, ""));

  ASSERT_TRUE(access_.revoke(admin(), issued.stored.id));

  EXPECT_EQ(refusal_of(issued.text), Refusal::Kind::unauthenticated);
  EXPECT_FALSE(access_.is_still_valid(caller));
}

TEST_F(AccessTest, of_one_namespace_cannot_reach_into_another) {
  const IssuedToken other = issue({.name = "other", .role = Role::viewer, .name_space = "red"});
  const Caller blue = bound_to("blue");

  const auto widened = access_.issue(blue, {.name = "x", .role = Role::admin, .name_space = "red"});
  const IssuedToken own = must(access_.issue(blue, {.name = "x", .role = Role::viewer}));

  ASSERT_FALSE(widened);
  EXPECT_EQ(widened.error().kind, Refusal::Kind::forbidden);
  EXPECT_EQ(own.stored.name_space, "blue");
  EXPECT_EQ(must(access_.list(blue)).size(), 1U);
  EXPECT_EQ(access_.revoke(blue, other.stored.id).error().kind, Refusal::Kind::not_found);
}

TEST_F(AccessTest, is_on_record) {
  const IssuedToken issued = issue({.name = "ci", .role = Role::viewer});
  ASSERT_TRUE(access_.revoke(admin(), issued.stored.id));

  const auto records = must(system_.audit(admin(), std::nullopt, 10));

  ASSERT_EQ(records.size(), 2U);
  EXPECT_EQ(records[0].entry.operation, "token.revoke");
  EXPECT_EQ(records[1].entry.operation, "token.create");
  EXPECT_EQ(records[1].entry.target, issued.stored.id);
  EXPECT_EQ(records[1].entry.actor, admin().actor);
}

TEST(Roles, allow_what_they_say_and_nothing_else) {
  EXPECT_FALSE(allows(Role::viewer, Scope::operate));
  EXPECT_TRUE(allows(Role::operator_, Scope::operate));
  EXPECT_FALSE(allows(Role::operator_, Scope::edit));
  EXPECT_TRUE(allows(Role::editor, Scope::edit));
  EXPECT_FALSE(allows(Role::editor, Scope::administer));
  EXPECT_FALSE(allows(Role::editor, Scope::work));
  EXPECT_TRUE(allows(Role::worker, Scope::work));
  EXPECT_FALSE(allows(Role::worker, Scope::read));
  for (const Scope scope : {Scope::open, Scope::read, Scope::operate, Scope::edit, Scope::administer, Scope::work})
    EXPECT_TRUE(allows(Role::admin, scope));
}

}  // namespace
}  // namespace carillon
