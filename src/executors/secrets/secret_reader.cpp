#include "executors/secrets/secret_reader.hpp"

#include "base/duration_text.hpp"

#include <fmt/format.h>
#include <pthread.h>

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <list>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <system_error>
#include <utility>

namespace carillon {
namespace {

using SteadyTime = std::chrono::steady_clock::time_point;

struct Request {
  std::set<std::string> missing;
  TextMap secrets;
  SteadyTime deadline;
  SecretReader::Done done;
};

/// A request that is over, to be told without the lock.
struct Answer {
  SecretReader::Done done;
  Result<TextMap> secrets;
};

struct Finished {
  std::string reference;
  Result<std::string> secret;
};

}  // namespace

struct SecretReader::State {
  State(Read read_one, SecretReaderOptions given) : read{std::move(read_one)}, options{given} {}

  const Read read;
  const SecretReaderOptions options;

  std::mutex mutex;
  std::condition_variable_any changed;   // for the thread that tells
  std::condition_variable_any has_work;  // for those that read
  // Guarded.
  std::list<Request> requests;
  std::set<std::string> reading;   // queued or under way
  std::deque<std::string> queued;  // of those, not begun
  std::vector<Finished> finished;
  std::size_t thread_count = 0;
  std::size_t idle_count = 0;
  bool has_news = false;  // for the thread that tells: a request, or something finished
  bool is_stopped = false;

  void begin(const std::string& reference);
  void drop_unwanted();
  [[nodiscard]] std::vector<Answer> take_answers(SteadyTime now);
  [[nodiscard]] std::optional<Answer> answer_of(Request& request, SteadyTime now);
  [[nodiscard]] SteadyTime next_look() const;
  void tell(const std::stop_token& token, const LoopMonitor::Pulse& pulse);

  static void start_thread(const std::shared_ptr<State>& state);
  static void read_all(const std::shared_ptr<State>& state);
};

void SecretReader::State::begin(const std::string& reference) {
  if (!reading.insert(reference).second) return;
  queued.push_back(reference);
}

/// What nobody waits for any more is not begun.
void SecretReader::State::drop_unwanted() {
  std::erase_if(queued, [this](const std::string& reference) {
    const auto wants = [&](const Request& request) { return request.missing.contains(reference); };
    if (std::ranges::any_of(requests, wants)) return false;
    reading.erase(reference);
    return true;
  });
}

std::optional<Answer> SecretReader::State::answer_of(Request& request, SteadyTime now) {
  for (const Finished& one : finished) {
    if (request.missing.erase(one.reference) == 0) continue;
    if (!one.secret) return Answer{.done = std::move(request.done), .secrets = std::unexpected(one.secret.error())};
    request.secrets.insert_or_assign(one.reference, *one.secret);
  }
  if (request.missing.empty()) return Answer{.done = std::move(request.done), .secrets = std::move(request.secrets)};
  if (now < request.deadline) return std::nullopt;
  Error error = fail(ErrorCode::unavailable, "reading {} took longer than {}", *request.missing.begin(),
                     to_text(options.deadline))
                    .error();
  error.hint = "check the file system of the secret directory";
  return Answer{.done = std::move(request.done), .secrets = std::unexpected(std::move(error))};
}

std::vector<Answer> SecretReader::State::take_answers(SteadyTime now) {
  std::vector<Answer> answers;
  std::erase_if(requests, [&](Request& request) {
    auto answer = answer_of(request, now);
    if (!answer) return false;
    answers.push_back(*std::move(answer));
    return true;
  });
  finished.clear();
  drop_unwanted();
  return answers;
}

SteadyTime SecretReader::State::next_look() const {
  SteadyTime next = std::chrono::steady_clock::now() + pulse_interval;
  for (const Request& request : requests) next = std::min(next, request.deadline);
  return next;
}

void SecretReader::State::tell(const std::stop_token& token, const LoopMonitor::Pulse& pulse) {
  std::unique_lock lock{mutex};
  while (!token.stop_requested()) {
    pulse.beat();
    std::vector<Answer> answers = take_answers(std::chrono::steady_clock::now());
    if (!answers.empty()) {
      lock.unlock();
      for (Answer& answer : answers) answer.done(std::move(answer.secrets));
      lock.lock();
      continue;
    }
    changed.wait_until(lock, token, next_look(), [&] { return has_news; });
    has_news = false;
  }
}

// Detached: a read that hangs must not keep the server from ending.
void SecretReader::State::start_thread(const std::shared_ptr<State>& state) {
  try {
    std::thread thread{[state] { read_all(state); }};
    ::pthread_setname_np(thread.native_handle(), "secret-reader");
    thread.detach();
    ++state->thread_count;
  } catch (const std::system_error&) {
    // Another one will do it, or it takes too long.
  }
}

void SecretReader::State::read_all(const std::shared_ptr<State>& state) {
  std::unique_lock lock{state->mutex};
  while (!state->is_stopped) {
    if (state->queued.empty()) {
      ++state->idle_count;
      state->has_work.wait(lock, [&] { return state->is_stopped || !state->queued.empty(); });
      --state->idle_count;
      continue;
    }
    const std::string reference = std::move(state->queued.front());
    state->queued.pop_front();
    lock.unlock();
    auto secret = state->read(reference);
    lock.lock();
    state->reading.erase(reference);
    state->finished.push_back({.reference = reference, .secret = std::move(secret)});
    state->has_news = true;
    state->changed.notify_all();
  }
}

SecretReader::SecretReader(Read read, SecretReaderOptions options)
    : state_{std::make_shared<State>(std::move(read), options)},
      thread_{watched_thread(state_->options.loops, "secrets",
                             [state = state_](const auto& token, const auto& pulse) { state->tell(token, pulse); })} {}

SecretReader::~SecretReader() {
  {
    const std::lock_guard lock{state_->mutex};
    state_->is_stopped = true;
  }
  state_->has_work.notify_all();
  thread_.request_stop();
  thread_.join();
  const std::lock_guard lock{state_->mutex};
  state_->requests.clear();
}

void SecretReader::read(const std::vector<std::string>& references, Done done) {
  const std::lock_guard lock{state_->mutex};
  state_->requests.push_back({.missing = {references.begin(), references.end()},
                              .secrets = {},
                              .deadline = std::chrono::steady_clock::now() + state_->options.deadline,
                              .done = std::move(done)});
  for (const std::string& reference : references) state_->begin(reference);
  for (std::size_t i = state_->idle_count;
       i < state_->queued.size() && state_->thread_count < state_->options.thread_count_max; ++i)
    State::start_thread(state_);
  state_->has_news = true;
  state_->has_work.notify_all();
  state_->changed.notify_all();
}

}  // namespace carillon
