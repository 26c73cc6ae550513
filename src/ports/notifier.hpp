#pragma once

#include <functional>
#include <memory>
#include <utility>

namespace carillon {

/// What was written that somebody may be waiting for.
struct StoreChange {
  bool has_events = false;     // the event feed has grown
  bool has_claimable = false;  // a run may be claimed now, or at a time that is known
  bool has_wake = false;       // a schedule wants to be looked at earlier than before

  StoreChange& operator|=(const StoreChange& other) {
    has_events |= other.has_events;
    has_claimable |= other.has_claimable;
    has_wake |= other.has_wake;
    return *this;
  }
  friend bool operator==(const StoreChange&, const StoreChange&) = default;
};

/// Keeps a listener registered; destroying it ends that. After the destructor has returned the listener is not called
/// any more, and no call of it is under way.
class NotifierSubscription {
 public:
  NotifierSubscription() = default;
  explicit NotifierSubscription(std::shared_ptr<void> registration) : registration_{std::move(registration)} {}

 private:
  std::shared_ptr<void> registration_;
};

/// Tells that something was written to the store, by this process or, where the store can tell, by another one. It is a
/// hint that saves waiting: a change may be told late, twice, or not at all if another process made it. So a listener
/// must also look by itself from time to time.
class Notifier {
 public:
  virtual ~Notifier() = default;

  /// The listener is called after a change has become durable, from the thread that wrote it or from one of the
  /// store's; never by two threads at once. It must return quickly, must not throw, must not call the store, and must
  /// not end its own subscription. May be called from any thread.
  [[nodiscard]] virtual NotifierSubscription subscribe(std::function<void(const StoreChange&)> listener) = 0;

  /// Whether what other processes write is told within a moment, as far as is known: then a listener looks by itself
  /// less often. May change at any time. From any thread.
  [[nodiscard]] virtual bool is_prompt() const { return false; }
};

}  // namespace carillon
