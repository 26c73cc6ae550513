#include "executors/http/http_executor.hpp"
#include "support/http_attempts.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <dlfcn.h>
#include <netdb.h>

#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace carillon {
namespace {

using Outcome = AttemptOutcome;
using testing::HasSubstr;
using testing::SizeIs;

/// What names below `.test`, and `localhost.`, stand for, in place of the resolver of the system.
class ScriptedNames {
 public:
  static ScriptedNames& instance() {
    static ScriptedNames names;
    return names;
  }

  /// Each lookup of the name takes the next answer, and the last one for ever; no addresses: there is no such name.
  void answer(const std::string& name, std::vector<std::vector<std::string>> addresses) {
    const std::lock_guard lock{mutex_};
    answers_[name] = std::move(addresses);
  }
  /// Lookups of the name wait until release(), or until what is returned goes.
  [[nodiscard]] auto hold(const std::string& name) {
    const std::lock_guard lock{mutex_};
    held_ = name;
    const auto release_it = [](ScriptedNames* names) { names->release(); };
    return std::unique_ptr<ScriptedNames, decltype(release_it)>{this, release_it};
  }
  void await_held_lookup() {
    std::unique_lock lock{mutex_};
    changed_.wait(lock, [&] { return held_count_ > 0; });
  }
  /// Lets them go on and waits until they have.
  void release() {
    std::unique_lock lock{mutex_};
    held_.clear();
    changed_.notify_all();
    changed_.wait(lock, [&] { return held_count_ == 0; });
  }

  std::vector<std::string> look_up(const std::string& name) {
    std::unique_lock lock{mutex_};
    if (held_ == name) {
      ++held_count_;
      changed_.notify_all();
      changed_.wait(lock, [&] { return held_ != name; });
      --held_count_;
      changed_.notify_all();
    }
    auto& answers = answers_[name];
    if (answers.empty()) return {};
    std::vector<std::string> first = answers.front();
    if (answers.size() > 1) answers.erase(answers.begin());
    return first;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<std::string, std::vector<std::vector<std::string>>> answers_;
  std::string held_;
  int held_count_ = 0;
};

using Lookup = int (*)(const char*, const char*, const addrinfo*, addrinfo**);

Lookup system_lookup() {
  static const Lookup lookup = reinterpret_cast<Lookup>(::dlsym(RTLD_NEXT, "getaddrinfo"));
  return lookup;
}

int look_up_scripted(const std::string& name, const char* service, const addrinfo* hints, addrinfo** result) {
  addrinfo** end = result;
  *result = nullptr;
  for (const std::string& address : ScriptedNames::instance().look_up(name)) {
    // An address of a family that was not asked for is left out.
    if (system_lookup()(address.c_str(), service, hints, end) != 0) continue;
    while (*end != nullptr) end = &(*end)->ai_next;
  }
  return *result == nullptr ? EAI_NONAME : 0;
}

}  // namespace
}  // namespace carillon

// libcurl calls this one, as programs come before libraries when names are bound.
extern "C" int getaddrinfo(const char* node, const char* service, const addrinfo* hints, addrinfo** result) {
  if (node != nullptr && (std::string_view{node}.ends_with(".test") || std::string_view{node} == "localhost."))
    return carillon::look_up_scripted(node, service, hints, result);
  return carillon::system_lookup()(node, service, hints, result);
}

namespace carillon {
namespace {

void say_ok(SinkConnection& connection, const SinkRequest&) { connection.answer("200 OK"); }

bool has_ipv6() {
  const int socket = ::socket(AF_INET6, SOCK_STREAM, 0);
  if (socket >= 0) ::close(socket);
  return socket >= 0;
}

struct Target {
  std::string host;
  std::string error;
};

TEST_F(HttpAttempts, reach_no_inner_address_by_default_in_whatever_form_it_is_written) {
  start({});
  HttpSink sink{say_ok, "0.0.0.0"};
  ScriptedNames::instance().answer("localhost.", {{"127.0.0.1", "::1"}});
  std::vector<Target> targets{
      {"127.0.0.1", "127.0.0.1 may not be called (egress rule loopback)"},
      {"127.1", "127.0.0.1 may not be called (egress rule loopback)"},
      {"0x7f000001", "127.0.0.1 may not be called (egress rule loopback)"},
      {"0x7f.0.0.0x1", "127.0.0.1 may not be called (egress rule loopback)"},
      {"017700000001", "127.0.0.1 may not be called (egress rule loopback)"},
      {"2130706433", "127.0.0.1 may not be called (egress rule loopback)"},
      {"0", "0.0.0.0 may not be called (egress rule unspecified)"},
      {"169.254.169.254", "169.254.169.254 may not be called (egress rule metadata)"},
      {"10.0.0.1", "10.0.0.1 may not be called (egress rule private)"},
      {"100.64.0.1", "100.64.0.1 may not be called (egress rule shared)"},
      {"224.0.0.1", "224.0.0.1 may not be called (egress rule multicast)"},
      {"localhost", "may not be called (egress rule loopback)"},
      {"localhost.", "may not be called (egress rule loopback)"},
      {"LOCALHOST", "may not be called (egress rule loopback)"},
  };
  if (has_ipv6()) {
    targets.push_back({"[::1]", "::1 may not be called (egress rule loopback)"});
    targets.push_back({"[::ffff:127.0.0.1]", "127.0.0.1 may not be called (egress rule loopback)"});
    targets.push_back({"[::ffff:7f00:1]", "127.0.0.1 may not be called (egress rule loopback)"});
    targets.push_back({"[fd00::1]", "fd00::1 may not be called (egress rule private)"});
    targets.push_back({"[fe80::1]", "fe80::1 may not be called (egress rule link-local)"});
    targets.push_back({"[64:ff9b::7f00:1]", "64:ff9b::7f00:1 may not be called (egress rule loopback)"});
    targets.push_back({"[2002:7f00:1::]", "2002:7f00:1:: may not be called (egress rule loopback)"});
  }
  for (const Target& target : targets) {
    const AttemptKey key = launch(sink.url(target.host));
    const AttemptEnd end = record_.await_end(key);
    EXPECT_EQ(end.outcome, Outcome::failed) << target.host;
    EXPECT_THAT(end.error, HasSubstr(target.error)) << target.host;
    EXPECT_EQ(record_.story(key).launched_count, 0);
  }
  EXPECT_EQ(sink.connection_count(), 0U);
}

TEST_F(HttpAttempts, do_not_read_user_information_or_other_schemes_into_a_url) {
  HttpSink sink{say_ok};
  for (const std::string& url :
       {"http://ok@127.0.0.1:" + std::to_string(sink.port()), std::string{"unix:///run/docker.sock"},
        std::string{"file:///etc/passwd"}, std::string{"gopher://127.0.0.1/"}, std::string{"dict://127.0.0.1/"}})
    EXPECT_THAT(performed(url).error, HasSubstr("invalid URL")) << url;
  EXPECT_EQ(sink.connection_count(), 0U);
}

TEST_F(HttpAttempts, reach_what_a_range_opens_and_nothing_beside_it) {
  HttpOptions one_open = options();
  one_open.allowed_egress = {*Cidr::parse("127.0.0.2")};
  start(one_open);
  HttpSink sink{say_ok, "0.0.0.0"};

  EXPECT_EQ(performed(sink.url("127.0.0.2")).outcome, Outcome::succeeded);
  EXPECT_THAT(performed(sink.url("127.0.0.1")).error, HasSubstr("egress rule loopback"));
  EXPECT_EQ(sink.connection_count(), 1U);
}

TEST_F(HttpAttempts, are_judged_by_the_address_that_a_name_has_at_that_moment) {
  HttpOptions one_open = options();
  one_open.allowed_egress = {*Cidr::parse("127.0.0.2")};
  start(one_open);
  HttpSink sink{say_ok, "0.0.0.0"};
  ScriptedNames::instance().answer("rebinding.test", {{"127.0.0.2"}, {"127.0.0.1"}});

  EXPECT_EQ(performed(sink.url("rebinding.test")).outcome, Outcome::succeeded);
  EXPECT_THAT(performed(sink.url("rebinding.test")).error, HasSubstr("127.0.0.1 may not be called"));
  EXPECT_EQ(sink.connection_count(), 1U);
}

TEST_F(HttpAttempts, go_to_the_open_one_of_several_addresses) {
  HttpOptions one_open = options();
  one_open.allowed_egress = {*Cidr::parse("127.0.0.2")};
  start(one_open);
  HttpSink inner{say_ok, "127.0.0.1"};
  ScriptedNames::instance().answer("mixed.test", {{"127.0.0.1", "127.0.0.2", "::1"}});
  ScriptedNames::instance().answer("inner.test", {{"127.0.0.1", "127.0.0.3", "::1"}});

  EXPECT_EQ(performed(inner.url("mixed.test")).error, "cannot connect: Connection refused");
  EXPECT_THAT(performed(inner.url("inner.test")).error, HasSubstr("egress rule loopback"));
  EXPECT_EQ(inner.connection_count(), 0U);
}

TEST_F(HttpAttempts, fail_when_there_is_no_such_name) {
  const AttemptEnd end = performed("http://missing.test/");

  EXPECT_EQ(end.outcome, Outcome::failed);
  EXPECT_EQ(end.error, "Could not resolve host: missing.test");
}

TEST_F(HttpAttempts, do_not_wait_for_the_slow_lookups_of_others) {
  HttpSink sink{say_ok};
  const auto held = ScriptedNames::instance().hold("slow.test");
  const AttemptKey stopped = launch(sink.url("slow.test"));
  const AttemptKey destroyed = launch(sink.url("slow.test"));
  ScriptedNames::instance().await_held_lookup();

  executor().stop(stopped, Stop::cancel);
  EXPECT_EQ(record_.await_end(stopped).outcome, Outcome::cancelled);
  EXPECT_EQ(performed(sink.url()).outcome, Outcome::succeeded);
  destroy_executor();
  ScriptedNames::instance().release();

  EXPECT_THAT(record_.story(destroyed).ends, SizeIs(0));
}

TEST_F(HttpAttempts, whose_lookup_takes_until_it_is_too_late_are_not_launched) {
  HttpSink sink{say_ok};
  ScriptedNames::instance().answer("late.test", {{"127.0.0.1"}});
  const auto held = ScriptedNames::instance().hold("late.test");
  const AttemptKey key = launch(sink.url("late.test"));
  ScriptedNames::instance().await_held_lookup();

  clock_.set_boot(lease_end);
  ScriptedNames::instance().release();

  EXPECT_EQ(record_.await_end(key).outcome, Outcome::released);
  EXPECT_EQ(sink.connection_count(), 0U);
}

TEST_F(HttpAttempts, may_call_the_server_that_sends_them_when_its_address_is_opened) {
  HttpSink sink{say_ok};
  HttpOptions own = options();
  own.own_ports = {sink.port()};
  start(own);

  EXPECT_EQ(performed(sink.url()).outcome, Outcome::succeeded);
}

}  // namespace
}  // namespace carillon
