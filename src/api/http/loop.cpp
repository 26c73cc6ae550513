#include "api/http/loop.hpp"

#include "api/http/connection.hpp"
#include "api/http/response_text.hpp"
#include "base/blocking.hpp"

#include <boost/asio/post.hpp>
#include <unistd.h>

#include <iterator>
#include <utility>

namespace carillon::http {
namespace {

constexpr std::size_t scratch_size = 64 * 1024;
/// So many may be told at a time that they are too many; further ones are cut without a word.
constexpr std::size_t refused_count_max = 64;

}  // namespace

Loop::Loop(std::shared_ptr<ServerState> server)
    : server_{std::move(server)},
      work_{context_.get_executor()},
      timer_{context_.get_executor()},
      grace_timer_{context_.get_executor()},
      deadlines_{server_->options.limits},
      pulse_{pulse_of(server_->options.loops, "api")},
      scratch_(scratch_size) {}

Loop::~Loop() = default;

void Loop::run() {
  thread_ = std::this_thread::get_id();
  const BlockingForbidden forbidden;
  name_this_thread("api");
  const auto pulse = std::exchange(pulse_, {});  // it may exist for longer than it runs
  while (!context_.stopped()) {
    pulse.beat();
    context_.run_for(pulse_interval);
  }
  std::unique_lock lock{mutex_};
  is_over_ = true;
  // Answers that came too late find their connections closed, but streams must hear that they are over.
  auto late = std::exchange(tasks_, {});
  lock.unlock();
  for (Task& task : late) task();
}

bool Loop::submit(Task task) {
  const std::lock_guard lock{mutex_};
  if (is_over_) return false;
  tasks_.push_back(std::move(task));
  if (tasks_.size() == 1) boost::asio::post(context_, [this] { run_tasks(); });
  return true;
}

void Loop::run_tasks() {
  std::unique_lock lock{mutex_};
  auto tasks = std::exchange(tasks_, {});
  lock.unlock();
  for (Task& task : tasks) task();
}

void Loop::adopt(Client client) {
  auto verdict = server_->connections.add_connection(client.peer);
  if (verdict == ConnectionCounter::Verdict::full) {
    close_idle(1);
    verdict = server_->connections.add_connection(client.peer);
  }
  client.is_admitted = verdict == ConnectionCounter::Verdict::admitted;
  if (!client.is_admitted && (client.is_tls || refused_count_ >= refused_count_max)) {
    close(client.socket);
    return;
  }
  serve(client, verdict);
}

void Loop::serve(const Client& client, ConnectionCounter::Verdict verdict) {
  const std::shared_ptr<ClientConnection> connection = client.protocol != nullptr
                                                           ? client.protocol->connect(shared_from_this(), client)
                                                           : std::make_shared<Connection>(shared_from_this(), client);
  connections_.push_back(connection);
  if (!client.is_admitted) ++refused_count_;
  connection->start(std::prev(connections_.end()));
  if (!client.is_admitted) {
    connection->refuse_admission(verdict);
  } else if (is_stopping_) {
    connection->stop();
  }
}

void Loop::remove(Connections::iterator place, bool was_refused) {
  if (was_refused) --refused_count_;
  connections_.erase(place);
  end_if_empty();
}

void Loop::close_idle(std::size_t count_max) {
  for (std::size_t i = 0; i < count_max; ++i) {
    Expiring* idle = deadlines_.longest_waiting(DeadlineKind::idle);
    if (idle == nullptr) return;
    idle->give_way();
  }
}

void Loop::begin_stop(Duration grace) {
  if (std::exchange(is_stopping_, true)) return;
  const auto connections = connections_;
  for (const auto& connection : connections) connection->stop();
  grace_timer_.expires_after(grace);
  grace_timer_.async_wait([this](const boost::system::error_code& code) {
    if (code) return;
    const auto left = connections_;
    for (const auto& connection : left) connection->cut();
  });
  end_if_empty();
}

void Loop::end_if_empty() {
  if (!is_stopping_ || !connections_.empty()) return;
  grace_timer_.cancel();
  timer_.cancel();
  work_.reset();
}

void Loop::expect(Expiring& item, DeadlineKind kind) {
  arm(deadlines_.set(item, kind, std::chrono::steady_clock::now()));
}

/// The timer may go off early, for a deadline that has been moved meanwhile; it is never late.
void Loop::arm(SteadyTime when) {
  if (when >= armed_for_) return;
  armed_for_ = when;
  timer_.expires_at(when);
  timer_.async_wait([this](const boost::system::error_code& code) {
    if (!code) on_timer();
  });
}

void Loop::on_timer() {
  armed_for_ = SteadyTime::max();
  deadlines_.expire(std::chrono::steady_clock::now());
  if (const auto next = deadlines_.earliest()) arm(*next);
}

std::string_view Loop::date() {
  const auto now = std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
  if (now != date_time_) {
    date_time_ = now;
    date_ = http_date(now);
  }
  return date_;
}

}  // namespace carillon::http
