#include "base/loop_monitor.hpp"

#include "base/duration_text.hpp"

#include <fmt/format.h>
#include <pthread.h>

#include <algorithm>
#include <map>

namespace carillon {
namespace {

constexpr Duration resting = Duration::max();

Duration steady_now() {
  return std::chrono::duration_cast<Duration>(std::chrono::steady_clock::now().time_since_epoch());
}

}  // namespace

struct LoopMonitor::Entry {
  std::string name;
  int patience;
  const std::function<Duration()>& now;
  std::atomic<Duration::rep> beaten_at;

  Entry(std::string called, int times, const std::function<Duration()>& clock)
      : name{std::move(called)}, patience{times}, now{clock}, beaten_at{clock().count()} {}
};

void LoopMonitor::Pulse::beat() const {
  if (entry_) entry_->beaten_at.store(entry_->now().count(), std::memory_order_relaxed);
}

void LoopMonitor::Pulse::rest() const {
  if (entry_) entry_->beaten_at.store(resting.count(), std::memory_order_relaxed);
}

LoopMonitor::LoopMonitor(Duration silence_max, std::function<Duration()> now)
    : silence_max_{silence_max}, now_{now ? std::move(now) : steady_now} {}

LoopMonitor::Pulse LoopMonitor::add(std::string name, int patience) {
  auto entry = std::make_shared<Entry>(std::move(name), patience, now_);
  const std::lock_guard lock{mutex_};
  std::erase_if(entries_, [](const auto& known) { return known.expired(); });
  entries_.push_back(entry);
  return Pulse{std::move(entry)};
}

std::vector<LoopMonitor::State> LoopMonitor::states() const {
  const Duration now = now_();
  std::map<std::string, State> states;
  const std::lock_guard lock{mutex_};
  for (const auto& known : entries_) {
    const auto entry = known.lock();
    if (!entry) continue;
    const Duration beaten_at{entry->beaten_at.load(std::memory_order_relaxed)};
    const Duration silence = beaten_at == resting ? Duration{0} : std::max(now - beaten_at, Duration{0});
    State& state = states.try_emplace(entry->name, State{.name = entry->name}).first->second;
    state.silence = std::max(state.silence, silence);
    state.is_stalled |= silence > silence_max_ * entry->patience;
  }
  std::vector<State> list;
  for (auto& [name, state] : states) list.push_back(std::move(state));
  return list;
}

std::vector<LoopMonitor::State> LoopMonitor::stalled() const {
  auto list = states();
  std::erase_if(list, [](const State& state) { return !state.is_stalled; });
  return list;
}

LoopMonitor::Pulse pulse_of(LoopMonitor* monitor, std::string name, int patience) {
  return monitor == nullptr ? LoopMonitor::Pulse{} : monitor->add(std::move(name), patience);
}

void name_this_thread(const std::string& name) {
  constexpr std::size_t length_max = 15;  // of Linux
  ::pthread_setname_np(::pthread_self(), name.substr(0, length_max).c_str());
}

std::string to_text(const std::vector<LoopMonitor::State>& stalled) {
  std::string text;
  for (const LoopMonitor::State& state : stalled)
    text += fmt::format("{}{} for {}", text.empty() ? "" : ", ", state.name,
                        to_text(Duration{std::chrono::floor<std::chrono::seconds>(state.silence)}));
  return text;
}

}  // namespace carillon
