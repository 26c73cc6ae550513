#pragma once

#include "ports/executor.hpp"

#include <chrono>
#include <condition_variable>
#include <map>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace carillon {

/// Notes what an executor tells, and waits for it.
class AttemptRecord final : public AttemptEvents {
 public:
  struct Story {
    int launched_count = 0;
    std::string output;
    std::string errors;
    std::vector<AttemptEnd> ends;
    bool is_in_order = true;  // launched at most once and first, nothing after the end
  };

  void launched(const AttemptKey& key) override {
    change(key, [](Story& story) {
      story.is_in_order &= story.launched_count == 0 && story.output.empty() && story.ends.empty();
      ++story.launched_count;
    });
  }
  void output(const AttemptKey& key, OutputStream stream, std::string_view bytes) override {
    change(key, [&](Story& story) {
      story.is_in_order &= story.launched_count == 1 && story.ends.empty();
      (stream == OutputStream::out ? story.output : story.errors) += bytes;
    });
  }
  void ended(const AttemptKey& key, AttemptEnd end) override {
    change(key, [&](Story& story) {
      story.is_in_order &= story.ends.empty();
      story.ends.push_back(std::move(end));
    });
  }

  /// Waits until the attempt has ended.
  AttemptEnd await_end(const AttemptKey& key) {
    await([&] { return !stories_[key].ends.empty(); }, "the end of an attempt");
    return story(key).ends.front();
  }
  void await_launch(const AttemptKey& key) {
    await([&] { return stories_[key].launched_count > 0; }, "the launch of an attempt");
  }
  void await_output(const AttemptKey& key, std::size_t size) {
    await([&] { return stories_[key].output.size() >= size; }, "output of an attempt");
  }
  void await_end_count(std::size_t count) {
    await([&] { return end_count_ >= count; }, "the end of many attempts");
  }

  [[nodiscard]] Story story(const AttemptKey& key) {
    const std::lock_guard lock{mutex_};
    return stories_[key];
  }
  [[nodiscard]] std::map<AttemptKey, Story> stories() {
    const std::lock_guard lock{mutex_};
    return stories_;
  }

 private:
  template <typename Change>
  void change(const AttemptKey& key, Change how) {
    const std::lock_guard lock{mutex_};
    Story& story = stories_[key];
    const std::size_t before = story.ends.size();
    how(story);
    end_count_ += story.ends.size() - before;
    changed_.notify_all();
  }

  template <typename Condition>
  void await(Condition condition, const char* what) {
    std::unique_lock lock{mutex_};
    if (!changed_.wait_for(lock, std::chrono::minutes{4}, condition))
      throw std::runtime_error{std::string{"waited in vain for "} + what};
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<AttemptKey, Story> stories_;
  std::size_t end_count_ = 0;
};

}  // namespace carillon
