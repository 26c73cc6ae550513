#pragma once

#include "api/http/http_server.hpp"

#include <boost/intrusive/list.hpp>

#include <array>
#include <chrono>
#include <cstddef>
#include <optional>
#include <string_view>

namespace carillon::http {

using SteadyTime = std::chrono::steady_clock::time_point;

/// What a client may take its time for.
enum class DeadlineKind { head, body, idle, write, linger };
[[nodiscard]] std::string_view to_text(DeadlineKind kind);

/// Something that must not take too long. Leaves its queue when it is destroyed.
class Expiring : public boost::intrusive::list_base_hook<boost::intrusive::link_mode<boost::intrusive::auto_unlink>> {
 public:
  virtual ~Expiring() = default;
  virtual void on_deadline(DeadlineKind kind) = 0;
  /// Somebody else needs its place.
  virtual void give_way() = 0;

 private:
  friend class Deadlines;
  SteadyTime deadline_{};
};

/// Who must be done by when. As all that wait for the same thing are given the same time, each kind of patience is a
/// queue in order of deadlines, and every operation takes constant time.
class Deadlines {
 public:
  explicit Deadlines(const Limits& limits);

  /// In place of the deadline it had. Returns the new one.
  SteadyTime set(Expiring& item, DeadlineKind kind, SteadyTime now);
  static void clear(Expiring& item);

  [[nodiscard]] std::optional<SteadyTime> earliest() const;
  /// Takes those whose time has come out of their queues, and tells them.
  void expire(SteadyTime now);
  /// The one that has waited longest, nullptr if there is none.
  [[nodiscard]] Expiring* longest_waiting(DeadlineKind kind);

 private:
  struct Queue {
    std::chrono::steady_clock::duration length;
    boost::intrusive::list<Expiring, boost::intrusive::constant_time_size<false>> items;
  };

  [[nodiscard]] Queue& queue_of(DeadlineKind kind) { return queues_[static_cast<std::size_t>(kind)]; }

  std::array<Queue, 5> queues_;
};

}  // namespace carillon::http
