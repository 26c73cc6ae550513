#include "support/tower.hpp"

#include "base/assertion.hpp"
#include "support/sort_by.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <ranges>
#include <utility>

namespace carillon::testing {
namespace {

std::string clock_text(Instant instant) {
  std::string text = to_text(instant);
  text = text.substr(11, text.size() - 12);  // without day and Z
  if (text.ends_with(":00")) text.resize(5);
  return text;
}

RunState state_of(const Tower::Row& row) {
  return row.outcome == DecisionOutcome::waiting ? RunState::waiting : row.run.state;
}

}  // namespace

Instant moment(std::string_view text) {
  if (text.size() > 8) return at(text);
  return at(fmt::format("2027-03-01T{}{}Z", text, text.size() == 5 ? ":00" : ""));
}

Tower::Tower(ScheduleBuilder builder, Instant now) : Tower(builder.definition(1, now), now) {}

Tower::Tower(const ScheduleBuilder& builder, Instant now, const ScheduleState& tombstone)
    : Tower(builder.definition(1, can_be_taken_up(tombstone, now) ? tombstone.created_at : now), now, tombstone) {}

Tower::Tower(Definition definition, Instant now, std::optional<ScheduleState> tombstone, std::optional<OnCreate> first)
    : definition_{std::move(definition)}, now_{now} {
  const Created created{.by = "anna", .document = "{}", .tombstone = std::move(tombstone), .first = std::move(first)};
  CARILLON_ASSERT(happens(created).has_value());
}

ScheduleView Tower::view() const {
  ScheduleView view{.state = state_, .live = {}, .backfills = {}, .standing = {}};
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    if (!is_live_[i]) continue;
    const Row& row = rows_[i];
    const bool is_withdrawn = row.outcome == DecisionOutcome::skipped;
    view.live.push_back({.seq = Seq{row.seq},
                         .nominal = row.nominal,
                         .due = row.due,
                         .source = row.source,
                         .state = state_of(row),
                         .withdrawn = is_withdrawn ? row.reason : std::nullopt,
                         .overlap = row.overlap,
                         .holds_slot = row.holds_slot,
                         .is_stopping = row.run.stop != Stop::none,
                         .is_held_back = row.is_held_back,
                         .backfill = row.backfill});
  }
  for (const Backfill& backfill : backfills_) {
    if (!is_open(backfill.state)) continue;
    BackfillView one{.record = backfill, .past = {}, .known_to = {}};
    one.known_to = backfill.order == BackfillOrder::oldest_first ? backfill.to : backfill.from;
    one.past = past_runs();
    view.backfills.push_back(std::move(one));
  }
  const Instant decided = std::min(state_.cursor, definition_.newest_due(now_).value_or(instant_min));
  for (const Row& row : rows_)
    if (row.outcome == DecisionOutcome::started && is_automatic(row.source) && row.nominal > decided &&
        state_.started_until > std::min(state_.cursor, now_))
      view.standing.push_back(row.nominal);
  std::ranges::sort(view.standing);
  view.outages = outages_;
  return view;
}

std::vector<PastRun> Tower::past_runs() const {
  std::vector<PastRun> past;
  for (const Row& row : rows_ | std::views::reverse)
    if (row.outcome == DecisionOutcome::started)
      past.push_back({.nominal = row.nominal, .state = row.run.state, .is_automatic = is_automatic(row.source)});
  // The newest run of an occurrence stands first now, and is the one that counts.
  sort_by(past, &PastRun::nominal);
  for (std::size_t i = past.size(); i-- > 1;)
    if (past[i - 1].nominal == past[i].nominal) past[i - 1].is_automatic |= past[i].is_automatic;
  const auto older = std::ranges::unique(past, {}, &PastRun::nominal);
  past.erase(older.begin(), older.end());
  return past;
}

void Tower::until(Instant now) {
  while (state_.wake && *state_.wake <= now) {
    now_ = std::max(now_, *state_.wake);
    look();
  }
  now_ = now;
}

void Tower::sleep_until(Instant now) {
  // Its number is that of the next row: what stands there already has a lower one.
  if (now - now_ > outage_min)
    outages_.push_back({.seq = Seq{static_cast<std::int64_t>(rows_.size()) + 1}, .from = now_, .to = now});
  now_ = now;
  look();
}

void Tower::look() {
  do {
    CARILLON_ASSERT(happens(BecameDue{}).has_value());
  } while (state_.wake && *state_.wake <= now_);
}

Result<> Tower::happens(const Event& event) {
  CARILLON_ASSERT(commit(TRY(step(definition_, view(), event, now_)), event));
  return {};
}

bool Tower::commit(const Transition& transition, const Event& event) {
  if (transition.decided_from() != state_.version) return false;
  write(transition);
  if (const auto* edited = std::get_if<Edited>(&event)) definition_ = *edited->next;
  definition_.revision = state_.revision;
  return true;
}

Result<> Tower::edit(ScheduleBuilder builder) {
  const Definition next = builder.definition(state_.revision + 1, state_.created_at);
  return happens(Edited{.by = "anna", .document = "{}", .next = &next});
}

void Tower::write(const Transition& transition) {
  CARILLON_ASSERT(transition.decided_from() == state_.version);
  state_ = transition.next;
  for (const VoidedRange& range : transition.voids) {
    voids_.push_back(range);
    lines_.push_back({3, voids_.size() - 1});
  }
  for (const Resolution& resolution : transition.resolutions)
    resolve(rows_[static_cast<std::size_t>(resolution.seq) - 1], resolution.verdict, transition);
  for (const SkippedRange& range : transition.ranges) {
    ranges_.push_back(range);
    lines_.push_back({1, ranges_.size() - 1});
  }
  for (const Decision& decision : transition.decisions) add_row(decision, transition);
  for (const Change& change : transition.changes) {
    changes_.push_back(change);
    change_times_.push_back(transition.decided_at);
    lines_.push_back({2, changes_.size() - 1});
  }
  for (const Backfill& backfill : transition.backfills) {
    const auto known = std::ranges::find(backfills_, backfill.number, &Backfill::number);
    if (known == backfills_.end()) {
      backfills_.push_back(backfill);
    } else {
      *known = backfill;
    }
  }
  for (const RunOrder& order : transition.orders) carry_out(order);
  for (const Seq seq : transition.counted) is_live_[static_cast<std::size_t>(seq) - 1] = false;
  for (const Seq seq : transition.watched)
    if (is_terminal(state_of(rows_[static_cast<std::size_t>(seq) - 1]))) state_.wake = now_;
}

void Tower::add_row(const Decision& decision, const Transition& transition) {
  rows_.push_back({.seq = static_cast<std::int64_t>(rows_.size()) + 1,
                   .nominal = decision.nominal,
                   .due = decision.due,
                   .source = decision.source,
                   .revision = transition.decided_under,
                   .decided_at = transition.decided_at,
                   .holds_slot = decision.holds_slot,
                   .overlap = decision.overlap,
                   .backfill = decision.backfill,
                   .trigger = decision.trigger,
                   .run = {}});
  is_live_.push_back(true);
  lines_.push_back({0, rows_.size() - 1});
  resolve(rows_.back(), decision.verdict, transition);
}

void Tower::resolve(Row& row, const Verdict& verdict, const Transition& transition) {
  CARILLON_ASSERT(row.outcome == DecisionOutcome::waiting);
  row.decided_at = transition.decided_at;
  if (const auto* starts = std::get_if<Starts>(&verdict)) {
    row.outcome = DecisionOutcome::started;
    row.revision = starts->revision;
    row.last_success = starts->last_success;
    row.last_failure = starts->last_failure;
    row.is_held_back = false;
    row.run = {.queued_at = starts->queued_at, .claimable_from = starts->queued_at, .expires_at = starts->expires_at};
  } else if (const auto* skips = std::get_if<Skips>(&verdict)) {
    row.outcome = DecisionOutcome::skipped;
    row.reason = skips->reason;
    is_live_[static_cast<std::size_t>(row.seq) - 1] = false;
  }
}

void Tower::carry_out(const RunOrder& order) {
  orders_.push_back(order);
  Row& row = rows_[static_cast<std::size_t>(order.seq) - 1];
  Run run = row.run;
  run.state = state_of(row);
  if (row.outcome == DecisionOutcome::skipped) return;
  const auto after = obey(order, run, now_);
  if (!after) return;
  row.run = *after;
  if (order.kind == RunOrder::Kind::withdraw) {
    row.outcome = DecisionOutcome::skipped;
    row.reason = order.reason;
  } else if (order.kind == RunOrder::Kind::hold_back) {
    row.outcome = DecisionOutcome::waiting;
    row.is_held_back = true;
  } else if (row.outcome == DecisionOutcome::waiting && is_terminal(row.run.state)) {
    row.outcome = DecisionOutcome::started;
  }
}

Tower::Row& Tower::row(std::string_view nominal) {
  const Instant when = moment(nominal);
  const auto is_it = [&](const Row& row) { return row.nominal == when && row.outcome != DecisionOutcome::skipped; };
  const auto found = std::ranges::find_if(rows_.rbegin(), rows_.rend(), is_it);
  CARILLON_ASSERT(found != rows_.rend());
  return *found;
}

void Tower::launch(std::string_view nominal) {
  Run& run = row(nominal).run;
  run = carillon::launch(claim(run, now_).value(), run.attempt + 1, now_).value();
}

void Tower::finish(std::string_view nominal, RunState how) {
  end_run(row(nominal).seq, how);
  if (state_.wake && *state_.wake <= now_) look();
}

void Tower::end_run(std::int64_t seq, RunState how) {
  Row& row = rows_[static_cast<std::size_t>(seq) - 1];
  row.run.state = how;
  row.run.ended_at = now_;
  if (state_.listens && !state_.deleted_at) state_.wake = std::min(state_.wake.value_or(now_), now_);
}

std::size_t Tower::started_count() const {
  return static_cast<std::size_t>(std::ranges::count(rows_, DecisionOutcome::started, &Row::outcome));
}

std::vector<std::string> Tower::triggers() const {
  std::vector<std::string> ids;
  for (const Row& row : rows_)
    if (row.source == Source::trigger) ids.push_back(row.trigger);
  return ids;
}

std::string Tower::text_of(const Row& row) const {
  std::string text = clock_text(row.nominal);
  if (row.source != Source::schedule) text += fmt::format(" {}", carillon::to_text(row.source));
  text += fmt::format(" {}", carillon::to_text(row.outcome));
  if (row.reason) text += fmt::format("({})", carillon::to_text(*row.reason));
  return text;
}

std::string Tower::text_of(const Line& line) const {
  switch (line.kind) {
    case 0: return text_of(rows_[line.index]);
    case 1: {
      const SkippedRange& range = ranges_[line.index];
      return fmt::format("{} … {} ({}) skipped({})", clock_text(range.from), clock_text(range.to), range.count,
                         carillon::to_text(range.reason));
    }
    case 2: return std::string{carillon::to_text(changes_[line.index].kind)};
    default:
      return fmt::format("{} … {} voided", clock_text(voids_[line.index].from), clock_text(voids_[line.index].to));
  }
}

std::vector<std::string> Tower::ledger() const {
  std::vector<std::string> texts;
  for (const Line& line : lines_) texts.push_back(text_of(line));
  return texts;
}

std::vector<std::string> Tower::new_lines() {
  std::vector<std::string> texts;
  for (; told_ < lines_.size(); ++told_) texts.push_back(text_of(lines_[told_]));
  return texts;
}

}  // namespace carillon::testing
