#pragma once

#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <utility>

namespace carillon {

/// Functions that are told of something. Listeners may be added, removed and called from several threads; they are
/// called one after the other, and no two calls overlap.
template <typename Fact>
class ListenerList {
 public:
  using Listener = std::function<void(const Fact&)>;

  /// The listener is called until what this returns is destroyed, which waits for a call that is under way. So a
  /// listener must not destroy its own registration, nor add another one. A registration may outlive the list.
  [[nodiscard]] std::shared_ptr<void> add(Listener listener) {
    return std::make_shared<Registration>(shared_, std::move(listener));
  }

  void call(const Fact& fact) const {
    const std::scoped_lock lock{shared_->mutex};
    for (const Listener& listener : shared_->listeners) listener(fact);
  }

 private:
  struct Shared {
    std::mutex mutex;
    std::list<Listener> listeners;
  };

  class Registration {
   public:
    Registration(std::shared_ptr<Shared> shared, Listener listener) : shared_{std::move(shared)} {
      const std::scoped_lock lock{shared_->mutex};
      place_ = shared_->listeners.insert(shared_->listeners.end(), std::move(listener));
    }
    Registration(const Registration&) = delete;
    Registration& operator=(const Registration&) = delete;
    ~Registration() {
      const std::scoped_lock lock{shared_->mutex};
      shared_->listeners.erase(place_);
    }

   private:
    std::shared_ptr<Shared> shared_;
    typename std::list<Listener>::iterator place_;
  };

  std::shared_ptr<Shared> shared_ = std::make_shared<Shared>();  // with the registrations, which may outlive the list
};

}  // namespace carillon
