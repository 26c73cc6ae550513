#include "service/sessions.hpp"

#include "service/service_fixture.hpp"

#include <gmock/gmock.h>

namespace carillon {
namespace {

using namespace std::chrono_literals;

class SessionsTest : public testing::ServiceTest {
 protected:
  Caller bearer(const TokenRequest& request) {
    issued_ = must(access_.issue(admin(), request));
    return must(access_.authenticate(issued_.text, "192.0.2.1"));
  }
  [[nodiscard]] Refusal::Kind refusal_of(const SessionProof& proof) {
    const auto caller = sessions_.authenticate(proof, "192.0.2.1");
    return caller ? Refusal::Kind::internal : caller.error().kind;
  }
  [[nodiscard]] bool is_open(const OpenedSession& session) {
    return sessions_.authenticate({.text = session.text, .key = session.key}, "192.0.2.1").has_value();
  }
  std::vector<std::string> audited() {
    std::vector<std::string> operations;
    for (const AuditRecord& record : must(store_.read_audit({}, {}, 10))) operations.push_back(record.entry.operation);
    return operations;
  }

  Sessions sessions_{parts_, access_};
  IssuedToken issued_;
};

TEST_F(SessionsTest, a_session_may_do_what_its_token_may) {
  const Caller token = bearer({.name = "ci", .role = Role::operator_, .name_space = "blue"});
  const OpenedSession session = must(sessions_.open(token));

  const Caller caller = must(sessions_.authenticate({.text = session.text, .key = session.key}, "192.0.2.9"));

  EXPECT_EQ(caller.actor, token.actor);
  EXPECT_EQ(caller.role, Role::operator_);
  EXPECT_EQ(caller.name_space->text(), "blue");
  EXPECT_EQ(caller.address, "192.0.2.9");
  EXPECT_THAT(must(sessions_.describe(caller)).scopes, ::testing::ElementsAre("read", "operate"));
}

TEST_F(SessionsTest, cookie_and_key_are_worth_nothing_without_each_other) {
  const Caller token = bearer({.name = "ci", .role = Role::viewer});
  const OpenedSession one = must(sessions_.open(token));
  const OpenedSession other = must(sessions_.open(token));

  EXPECT_EQ(refusal_of({.text = one.text, .key = ""}), Refusal::Kind::unauthenticated);
  EXPECT_EQ(refusal_of({.text = one.text, .key = other.key}), Refusal::Kind::unauthenticated);
  EXPECT_EQ(refusal_of({.text = one.key, .key = one.key}), Refusal::Kind::unauthenticated);
}

TEST_F(SessionsTest, a_text_that_was_changed_anywhere_is_refused) {
  const OpenedSession session = must(sessions_.open(bearer({.name = "ci", .role = Role::viewer})));
  for (std::size_t i = 0; i < session.text.size(); ++i) {
    std::string changed = session.text;
    changed[i] = changed[i] == '7' ? '8' : '7';
    EXPECT_EQ(refusal_of({.text = changed, .key = session.key}), Refusal::Kind::unauthenticated) << changed;
    EXPECT_EQ(refusal_of({.text = session.text.substr(0, i), .key = session.key}), Refusal::Kind::unauthenticated);
  }
  EXPECT_EQ(refusal_of({.text = std::string(100'000, '_'), .key = session.key}), Refusal::Kind::unauthenticated);
}

TEST_F(SessionsTest, a_session_ends_after_a_day_or_with_its_token) {
  const OpenedSession day = must(sessions_.open(bearer({.name = "long", .role = Role::viewer})));
  const OpenedSession hour = must(sessions_.open(bearer({.name = "short", .role = Role::viewer, .lifetime = 1h})));
  const OpenedSession revoked = must(sessions_.open(bearer({.name = "revoked", .role = Role::viewer})));
  EXPECT_TRUE(is_open(revoked));

  must(access_.revoke(admin(), issued_.stored.id));
  EXPECT_FALSE(is_open(revoked));
  clock_.advance(1h);
  EXPECT_TRUE(is_open(day));
  EXPECT_FALSE(is_open(hour));
  clock_.advance(23h);
  EXPECT_FALSE(is_open(day));
}

TEST_F(SessionsTest, a_closed_session_is_over_and_so_are_its_streams) {
  const OpenedSession session = must(sessions_.open(bearer({.name = "ci", .role = Role::viewer})));
  const Caller caller = must(sessions_.authenticate({.text = session.text, .key = session.key}, ""));
  EXPECT_TRUE(access_.is_still_valid(caller));

  must(sessions_.close(caller));

  EXPECT_FALSE(is_open(session));
  EXPECT_FALSE(access_.is_still_valid(caller));
}

TEST_F(SessionsTest, another_server_with_the_same_key_knows_the_session) {
  const OpenedSession session = must(sessions_.open(bearer({.name = "ci", .role = Role::viewer})));
  Access after_restart{parts_};
  Sessions restarted{parts_, after_restart};

  EXPECT_TRUE(restarted.authenticate({.text = session.text, .key = session.key}, ""));
  EXPECT_EQ(restarted.cookie_name(), sessions_.cookie_name());
}

TEST_F(SessionsTest, a_closed_session_stays_closed_after_a_restart_and_on_other_servers) {
  const OpenedSession session = must(sessions_.open(bearer({.name = "ci", .role = Role::viewer})));
  const SessionProof proof{.text = session.text, .key = session.key};
  Access of_another{parts_};
  Sessions another{parts_, of_another};
  EXPECT_TRUE(another.authenticate(proof, ""));

  must(sessions_.close(must(sessions_.authenticate(proof, ""))));

  Access after_restart{parts_};
  EXPECT_FALSE((Sessions{parts_, after_restart}.authenticate(proof, "")));
  // What another server remembers of it lasts for seconds.
  clock_.advance(2s);
  EXPECT_FALSE(another.authenticate_known(proof, "").has_value());
  EXPECT_FALSE(another.authenticate(proof, ""));
  clock_.advance(Sessions::lifetime - 3s);
  Access at_the_end{parts_};
  EXPECT_FALSE((Sessions{parts_, at_the_end}.authenticate(proof, "")));
}

TEST_F(SessionsTest, who_knows_only_the_key_of_a_shared_store_can_make_no_session) {
  ServiceParts other = parts_;
  other.session_secret = "of the data folder";
  Sessions sealed_beside{other, access_};
  const OpenedSession forged = must(sessions_.open(bearer({.name = "ci", .role = Role::admin})));

  EXPECT_FALSE(sealed_beside.authenticate({.text = forged.text, .key = forged.key}, "192.0.2.1"));
}

TEST_F(SessionsTest, a_session_cannot_make_a_token_that_outlasts_it) {
  const OpenedSession session = must(sessions_.open(bearer({.name = "ci", .role = Role::admin})));
  const Caller caller = must(sessions_.authenticate({.text = session.text, .key = session.key}, "192.0.2.1"));

  const auto issued = access_.issue(caller, {.name = "more", .role = Role::viewer});

  ASSERT_FALSE(issued);
  EXPECT_EQ(issued.error().code, "token_needed");
}

TEST_F(SessionsTest, a_session_opens_neither_sessions_nor_links) {
  const OpenedSession session = must(sessions_.open(bearer({.name = "ci", .role = Role::admin})));
  const Caller caller = must(sessions_.authenticate({.text = session.text, .key = session.key}, ""));

  EXPECT_EQ(sessions_.open(caller).error().kind, Refusal::Kind::forbidden);
  EXPECT_EQ(sessions_.make_link(caller).error().kind, Refusal::Kind::forbidden);
}

TEST_F(SessionsTest, a_link_is_good_once) {
  const SignInLink link = must(sessions_.make_link(bearer({.name = "ci", .role = Role::viewer})));
  EXPECT_TRUE(Sessions::is_link_code(link.code));

  EXPECT_EQ(must(sessions_.redeem(link.code, "192.0.2.7")).actor, "token:" + issued_.stored.id);
  EXPECT_EQ(sessions_.redeem(link.code, "").error().kind, Refusal::Kind::unauthenticated);
}

TEST_F(SessionsTest, a_link_does_not_outlive_its_time_or_its_token) {
  const Caller token = bearer({.name = "ci", .role = Role::viewer});
  const SignInLink late = must(sessions_.make_link(token));
  clock_.advance(Sessions::link_lifetime);
  EXPECT_FALSE(sessions_.redeem(late.code, ""));

  const SignInLink revoked = must(sessions_.make_link(token));
  must(access_.revoke(admin(), issued_.stored.id));
  EXPECT_FALSE(sessions_.redeem(revoked.code, ""));
}

TEST_F(SessionsTest, of_too_many_links_the_oldest_is_forgotten) {
  const Caller token = bearer({.name = "ci", .role = Role::viewer});
  const SignInLink first = must(sessions_.make_link(token));
  clock_.advance(1s);
  SignInLink last;
  for (std::size_t i = 0; i < Sessions::link_count_max; ++i) last = must(sessions_.make_link(token));

  EXPECT_FALSE(sessions_.redeem(first.code, ""));
  EXPECT_TRUE(sessions_.redeem(last.code, ""));
}

TEST_F(SessionsTest, everything_about_them_is_in_the_audit_log) {
  const Caller token = bearer({.name = "ci", .role = Role::viewer});
  must(sessions_.make_link(token));
  const OpenedSession session = must(sessions_.open(token));
  must(sessions_.close(must(sessions_.authenticate({.text = session.text, .key = session.key}, ""))));

  EXPECT_THAT(audited(), ::testing::ElementsAre("session.close", "session.create", "session.link", "token.create"));
}

}  // namespace
}  // namespace carillon
