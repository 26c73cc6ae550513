#pragma once

#include "ports/notifier.hpp"

#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <utility>

namespace carillon {

/// A notifier for a store that has none of its own: the wiring calls `tell` when it learns of a write. May be called
/// from several threads; listeners are called one after the other.
class LocalNotifier final : public Notifier {
 public:
  [[nodiscard]] NotifierSubscription subscribe(std::function<void(const StoreChange&)> listener) override {
    return NotifierSubscription{std::make_shared<Registration>(shared_, std::move(listener))};
  }

  void tell(const StoreChange& change) const {
    const std::scoped_lock lock{shared_->mutex};
    for (const auto& listener : shared_->listeners) listener(change);
  }

 private:
  using Listeners = std::list<std::function<void(const StoreChange&)>>;
  struct Shared {
    std::mutex mutex;
    Listeners listeners;  // guarded
  };

  class Registration {
   public:
    Registration(std::shared_ptr<Shared> shared, std::function<void(const StoreChange&)> listener)
        : shared_{std::move(shared)} {
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
    Listeners::iterator place_;
  };

  std::shared_ptr<Shared> shared_ = std::make_shared<Shared>();  // shared: a registration may outlive this
};

}  // namespace carillon
