#pragma once

#include "conformance/model.hpp"
#include "conformance/model_comparison.hpp"
#include "conformance/store_under_test.hpp"
#include "conformance/transition_builder.hpp"

#include <array>
#include <cstdint>
#include <iosfwd>
#include <memory>
#include <string>
#include <vector>

namespace carillon::conformance {

/// What is done next. The numbers choose among what there is when it is done, so that any part of a sequence of
/// commands is a sequence too, and a failing one can be shortened.
struct Command {
  enum class Kind {
    create,
    decide,
    decide_two,
    delete_schedule,
    quarantine,
    adopt_zone_edition,
    enqueue,
    pause_queue,
    open_session,
    close_session,
    heartbeat,
    claim,
    write,
    write_wrongly,
    expire,
    advance,
  };
  Kind kind = Kind::create;
  std::array<std::uint32_t, 4> choices{};
};
inline constexpr std::size_t command_kind_count = 16;
std::ostream& operator<<(std::ostream& out, const Command& command);

/// A store and the model of it, to which the same is done.
class RandomWorld {
 public:
  explicit RandomWorld(std::unique_ptr<StoreUnderTest> store);

  /// Does it to both. Throws std::runtime_error if they answer differently, or differ afterwards.
  void perform(const Command& command);

  /// How often things happened that a test is there for.
  struct Tally {
    int written = 0;
    int refused = 0;
    int claimed = 0;
    int runs_written = 0;
    int runs_refused = 0;
    int woken_by_finish = 0;
    int woken_by_watch = 0;
    int lost = 0;
  };
  [[nodiscard]] const Tally& tally() const { return tally_; }

 private:
  using Choices = std::array<std::uint32_t, 4>;

  void create(const Choices& choices);
  void decide(const Choices& choices, std::size_t transition_count);
  void delete_schedule(const Choices& choices);
  void quarantine(const Choices& choices);
  void adopt_zone_edition(const Choices& choices);
  void enqueue(const Choices& choices);
  void pause_queue(const Choices& choices);
  void open_session(const Choices& choices);
  void close_session(const Choices& choices);
  void heartbeat(const Choices& choices);
  void claim(const Choices& choices);
  void write(const Choices& choices);
  void write_wrongly(const Choices& choices);
  void expire(const Choices& choices);
  void advance(const Choices& choices);

  void commit(const std::vector<Transition>& transitions, std::optional<ClaimRequest> claim = {});
  void send(const RunUpdate& update);
  void take(const std::vector<ClaimedRun>& claimed, const ClaimRequest& request);
  Transition some_decision(const Model::Schedule& schedule, const Choices& choices);
  DecisionBuilder some_verdict(std::uint32_t choice, std::int64_t revision);
  Starts some_start(std::uint32_t choice, std::int64_t revision);
  ClaimRequest some_claim(const Choices& choices);
  /// As a worker would end it, or have it tried again.
  RunUpdate some_update(const Model::Row& row, std::uint32_t choice);
  std::vector<const Model::Row*> open_rows() const;

  std::unique_ptr<StoreUnderTest> store_;
  Model model_;
  ModelComparison comparison_;
  std::int64_t count_ = 0;  // makes names and requests unique
  Tally tally_;
};

}  // namespace carillon::conformance
