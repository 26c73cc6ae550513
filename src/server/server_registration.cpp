#include "server/server_registration.hpp"

#include "base/crypto.hpp"
#include "scheduling/zone_edition.hpp"

#include <unistd.h>

#include <array>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <utility>

namespace carillon {
namespace {

constexpr auto report_period = std::chrono::seconds{10};
/// How many reports are made for one look at the others.
constexpr int reports_for_a_look = 6;

std::string host_name() {
  std::array<char, 65> host{};
  (void)::gethostname(host.data(), host.size() - 1);
  return host.data();
}

std::string random_id() {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string id;
  for (const char byte : random_bytes(8)) {
    id += digits[static_cast<unsigned char>(byte) >> 4];
    id += digits[static_cast<unsigned char>(byte) & 15];
  }
  return id;
}

}  // namespace

ServerRegistration::ServerRegistration(ServerRegistry* registry, Clock& clock, ZoneSource& zones, Log& log,
                                       Options options)
    : registry_{registry}, clock_{clock}, zones_{zones}, log_{log}, options_{std::move(options)} {
  facts_.id = random_id();
  facts_.host = host_name();
  facts_.pid = ::getpid();
  facts_.version = options_.version;
  facts_.roles = options_.roles;
  facts_.started_at = clock.now();
}

void ServerRegistration::set_url(std::string url) {
  const std::scoped_lock lock{mutex_};
  facts_.url = std::move(url);
  facts_.roles.insert(facts_.roles.begin(), "api");
}

ServerFacts ServerRegistration::facts() {
  const std::scoped_lock lock{mutex_};
  facts_.tzdata = zones_.names()->version;
  facts_.zone_edition = zone_edition(facts_.tzdata);
  facts_.running = options_.running_count ? options_.running_count() : 0;
  facts_.now = clock_.now();
  return facts_;
}

void ServerRegistration::start() {
  if (registry_ == nullptr) return;
  thread_ = std::jthread{[this](const std::stop_token& stop) {
    std::mutex mutex;
    std::condition_variable_any ended;
    std::unique_lock lock{mutex};
    for (int count = 0; !stop.stop_requested(); ++count) {
      report(count % reports_for_a_look == 0);
      ended.wait_for(lock, stop, report_period, [&] { return stop.stop_requested(); });
    }
  }};
}

void ServerRegistration::stop() {
  if (!thread_.joinable()) return;
  thread_.request_stop();
  thread_.join();
  // Without it the others see by themselves that it is gone, a little later.
  static_cast<void>(registry_->remove_server(facts().id));
}

// A store that cannot be reached is told of elsewhere.
void ServerRegistration::report(bool must_look) {
  try {
    if (!registry_->report_server(facts())) return;
    if (options_.on_report) options_.on_report();
    if (must_look) look_at_zones();
  } catch (const std::exception&) {
    // Memory is short: the next time comes.
    return;
  }
}

void ServerRegistration::look_at_zones() {
  const auto list = registry_->read_servers();
  if (!list) return;
  const ServerFacts own = facts();
  const bool is_outdated = own.zone_edition < list->zone_edition;
  if (is_outdated && !std::exchange(is_outdated_, is_outdated))
    log_.warn("zone rules of this server are older than those in force: other servers decide schedules in zones",
              {{"version", own.tzdata}, {"help", "update tzdata on this machine; it is taken up by itself"}});
  is_outdated_ = is_outdated;
}

}  // namespace carillon
