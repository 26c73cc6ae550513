#pragma once

#include "base/error.hpp"
#include "base/instant.hpp"
#include "ports/event_feed.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace carillon::rows {

/// Packs events: a few bytes each, because most differ little from the one before.
class FeedPacker {
 public:
  void add(const FeedEvent& event);

  [[nodiscard]] const std::string& bytes() const { return bytes_; }
  [[nodiscard]] std::int64_t count() const { return place_.count; }
  [[nodiscard]] Instant first_at() const { return first_at_; }

  /// How far it has come. Nothing is left of what was added after a mark that it goes back to.
  struct Mark {
    std::size_t size = 0;
    std::int64_t count = 0;
    Instant at;
    std::int64_t uid = 0;
    std::int64_t subject = 0;
  };
  [[nodiscard]] Mark mark() const { return place_; }
  void go_back(const Mark& mark);

 private:
  std::string bytes_;
  Mark place_;
  Instant first_at_;
};

/// Reads back what was packed; positions ascend from the first one.
[[nodiscard]] Result<std::vector<FeedEvent>> unpack_events(std::string_view bytes, std::int64_t position, Instant at);

}  // namespace carillon::rows
