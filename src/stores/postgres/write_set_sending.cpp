#include "stores/postgres/columns.hpp"
#include "stores/postgres/write_set.hpp"

#include <algorithm>
#include <string_view>

namespace carillon::postgres {
namespace {

/// How many old requests go when one comes: more than come in at a time, so that the table shrinks after a rush.
constexpr std::int64_t requests_dropped_at_once = 10;
constexpr Duration request_memory = std::chrono::days{1};

std::string array_text(const std::vector<Seq>& seqs) {
  std::string text = "{";
  for (const Seq seq : seqs) {
    if (text.size() > 1) text += ',';
    text += std::to_string(static_cast<std::int64_t>(seq));
  }
  return text + "}";
}

}  // namespace

void WriteSet::send() {
  sent_count_ = 0;
  if (!queues_.empty()) {
    Parameters values;
    values.array(queues_);
    transaction_.send(new_queues_query, values);
    ++sent_count_;
  }
  send_names();
  send_states();
  send_runs();
  send_attempts();
  send_lines();
  send_backfills();
  send_requests();
  send_feed();
}

void WriteSet::send_names() {
  if (!names_.empty()) {
    Parameters values;
    values.column(names_, [](const NewName& name) { return name.uid; });
    values.column(names_, [](const NewName& name) { return std::string_view{name.key.name_space.text()}; });
    values.column(names_, [](const NewName& name) { return std::string_view{name.key.id.text()}; });
    values.column(names_, [](const NewName& name) { return name.incarnation; });
    values.column(names_, [](const NewName& name) { return name.created_at; });
    values.column(names_, [](const NewName& name) { return std::string_view{name.facts.name}; });
    values.column(names_, [](const NewName& name) { return std::string_view{name.facts.action}; });
    values.column(names_, [](const NewName& name) { return std::string_view{name.facts.labels}; });
    values.column(names_, [](const NewName& name) { return std::string_view{name.facts.workflow}; });
    transaction_.send(
        "INSERT INTO schedule(uid, namespace, id, incarnation, created_at, is_deleted, name, action, labels, workflow) "
        "SELECT u.uid, u.namespace, u.id, u.incarnation, u.created_at, false, u.name, u.action, u.labels, u.workflow "
        "FROM unnest($1, $2, $3, $4, $5, $6, $7, $8, $9) AS u(uid, namespace, id, incarnation, created_at, name, "
        "action, labels, workflow)",
        values);
    ++sent_count_;
  }
  if (!facts_.empty()) {
    Parameters values;
    values.column(facts_, [](const auto& entry) { return entry.first; });
    values.column(facts_, [](const auto& entry) { return std::string_view{entry.second.name}; });
    values.column(facts_, [](const auto& entry) { return std::string_view{entry.second.action}; });
    values.column(facts_, [](const auto& entry) { return std::string_view{entry.second.labels}; });
    values.column(facts_, [](const auto& entry) { return std::string_view{entry.second.workflow}; });
    transaction_.send(
        "UPDATE schedule s SET name = u.name, action = u.action, labels = u.labels, workflow = u.workflow "
        "FROM unnest($1, $2, $3, $4, $5) AS u(uid, name, action, labels, workflow) WHERE s.uid = u.uid",
        values);
    ++sent_count_;
  }
  if (!deleted_.empty()) {
    Parameters values;
    values.array(deleted_);
    transaction_.send("UPDATE schedule SET is_deleted = true WHERE uid = ANY($1)", values);
    ++sent_count_;
  }
  if (!documents_.empty()) {
    Parameters values;
    values.column(documents_, [](const auto& entry) { return entry.first.first; });
    values.column(documents_, [](const auto& entry) { return entry.first.second; });
    values.column(documents_, [](const auto& entry) { return std::string_view{entry.second}; });
    transaction_.send(
        "INSERT INTO definition SELECT * FROM unnest($1, $2, $3) ON CONFLICT (uid, revision) DO UPDATE SET "
        "document = excluded.document",
        values);
    ++sent_count_;
  }
}

void WriteSet::send_states() {
  const auto send_some = [&](bool is_new, const std::string& before, const std::string& after) {
    std::vector<const StateEntry*> entries;
    for (const auto& [uid, entry] : states_)
      if (entry.is_changed && entry.is_new == is_new) entries.push_back(&entry);
    if (entries.empty()) return;
    Columns columns{"uid", entries, [](const StateEntry* entry) { return entry->row.uid; }};
    columns.add("version", entries, [](const StateEntry* entry) { return entry->row.version; });
    columns.add("revision", entries, [](const StateEntry* entry) { return entry->revision; });
    columns.add("wake_at", entries, [](const StateEntry* entry) { return entry->row.wake; });
    columns.add("server", entries, [](const StateEntry* entry) { return entry->writer.server; });
    columns.add("batch", entries, [](const StateEntry* entry) { return entry->writer.batch; });
    columns.add("last_seq", entries, [](const StateEntry* entry) { return entry->row.last; });
    columns.add("live", entries, [](const StateEntry* entry) { return array_text(entry->row.live); });
    columns.add("backfills", entries, [](const StateEntry* entry) { return entry->row.backfills; });
    columns.add("flags", entries, [](const StateEntry* entry) { return entry->row.flags; });
    columns.add("body", entries, [](const StateEntry* entry) { return Blob{entry->body}; });
    transaction_.send(before + columns.table() + after, columns.parameters());
    ++sent_count_;
  };
  send_some(true,
            "INSERT INTO state(uid, version, revision, wake_at, server, batch, last_seq, live, backfills, flags, body) "
            "SELECT u.uid, u.version, u.revision, u.wake_at, u.server, u.batch, u.last_seq, u.live::int8[], "
            "u.backfills, u.flags, u.body FROM ",
            "");
  send_some(false,
            "UPDATE state s SET version = u.version, revision = u.revision, wake_at = u.wake_at, server = u.server, "
            "batch = u.batch, last_seq = u.last_seq, live = u.live::int8[], backfills = u.backfills, flags = u.flags, "
            "body = u.body FROM ",
            " WHERE s.uid = u.uid");
  if (!unquarantined_.empty()) {
    Parameters values;
    values.array(unquarantined_);
    transaction_.send("DELETE FROM quarantine WHERE uid = ANY($1)", values);
    ++sent_count_;
  }
  if (!listeners_.empty()) {
    Parameters values;
    values.array(listeners_);
    values.add(now);
    // Locked in their order, as decisions lock them.
    transaction_.send(
        "WITH heard AS MATERIALIZED (SELECT uid FROM state WHERE uid = ANY($1) ORDER BY uid FOR UPDATE) "
        "UPDATE state s SET wake_at = $2 FROM heard h WHERE s.uid = h.uid AND s.flags & 3 = 1 "
        "AND (s.wake_at IS NULL OR s.wake_at > $2)",
        values);
    listeners_place_ = sent_count_++;
  }
}

void WriteSet::send_runs() {
  std::vector<const StoredRun*> fresh;
  std::vector<const StoredRun*> changed;
  for (const Seq seq : run_order_) fresh.push_back(&runs_.at(seq).run);
  for (const auto& [seq, entry] : runs_)
    if (!entry.is_new && entry.is_changed) changed.push_back(&entry.run);
  std::ranges::sort(changed, {}, [](const StoredRun* run) { return run->row.seq; });
  send_new_runs(transaction_, fresh);
  send_changed_runs(transaction_, changed);
  sent_count_ += (fresh.empty() ? 0U : 1U) + (changed.empty() ? 0U : 1U);
  if (results_.empty()) return;
  Parameters values;
  values.column(results_, [](const auto& entry) { return entry.first; });
  values.column(results_, [](const auto& entry) { return std::string_view{entry.second}; });
  transaction_.send(
      "INSERT INTO result SELECT * FROM unnest($1, $2) ON CONFLICT (seq) DO UPDATE SET value = excluded.value", values);
  ++sent_count_;
}

void WriteSet::send_attempts() {
  if (!attempts_.empty()) {
    Columns columns{"seq", attempts_, [](const auto& entry) { return entry.first.seq; }};
    columns.add("uid", attempts_, [](const auto& entry) { return entry.first.uid; });
    columns.add("run_seq", attempts_, [](const auto& entry) { return entry.second.run; });
    columns.add("attempt", attempts_, [](const auto& entry) { return entry.second.attempt; });
    columns.add("session", attempts_, [](const auto& entry) { return entry.second.session; });
    columns.add("at", attempts_, [](const auto& entry) { return entry.first.at; });
    columns.add("claimable_from", attempts_, [](const auto& entry) { return entry.second.claimable_from; });
    transaction_.send(
        "INSERT INTO attempt(seq, uid, run_seq, attempt, session, at, state, claimable_from, claimed_at) "
        "SELECT u.seq, u.uid, u.run_seq, u.attempt, u.session, u.at, 0, u.claimable_from, u.at "
        "FROM " +
            columns.table(),
        columns.parameters());
    ++sent_count_;
  }
  // A statement changes a row once: what changes again goes with the next one.
  std::vector<AttemptChange> left = attempt_changes_;
  while (!left.empty()) {
    std::vector<AttemptChange> round;
    std::vector<AttemptChange> later;
    std::set<Seq> lines;
    for (AttemptChange& one : left) (lines.insert(one.line).second ? round : later).push_back(std::move(one));
    send_attempt_changes(std::move(round));
    left = std::move(later);
  }
}

void WriteSet::send_attempt_changes(std::vector<AttemptChange> changes) {
  std::ranges::sort(changes, {}, &AttemptChange::line);
  const auto if_used = [](const AttemptChange& one, auto pick) {
    return one.end.use ? std::optional{pick(*one.end.use)} : std::nullopt;
  };
  Columns columns{"seq", changes, [](const AttemptChange& one) { return one.line; }};
  columns.add("state", changes, [](const AttemptChange& one) { return one.state; });
  columns.add("now", changes, [](const AttemptChange& one) { return one.now; });
  columns.add("ended", changes, [](const AttemptChange& one) { return one.ended; });
  columns.add("launched_at", changes, [](const AttemptChange& one) { return one.end.launched_at; });
  columns.add("ended_at", changes, [](const AttemptChange& one) { return one.end.ended_at; });
  columns.add("exit_code", changes, [](const AttemptChange& one) { return one.end.exit_code; });
  columns.add("signal", changes, [](const AttemptChange& one) { return one.end.signal; });
  columns.add("reason", changes, [](const AttemptChange& one) {
    return one.end.error.empty() ? std::nullopt : std::optional<std::string_view>{one.end.error};
  });
  columns.add("user_time", changes, [&](const AttemptChange& one) {
    return if_used(one, [](const ResourceUse& use) { return use.user_time; });
  });
  columns.add("system_time", changes, [&](const AttemptChange& one) {
    return if_used(one, [](const ResourceUse& use) { return use.system_time; });
  });
  columns.add("memory_max", changes, [&](const AttemptChange& one) {
    return if_used(one, [](const ResourceUse& use) { return use.memory_max; });
  });
  columns.add("known_as", changes, [](const AttemptChange& one) {
    return one.end.known_as.empty() ? std::nullopt : std::optional<std::string_view>{one.end.known_as};
  });
  transaction_.send(
      "UPDATE attempt a SET at = CASE WHEN a.state < 2 AND u.state IS NOT NULL THEN u.now ELSE a.at END, "
      "state = CASE WHEN a.state < 2 AND u.state IS NOT NULL THEN u.state ELSE a.state END, "
      "launched_at = coalesce(u.launched_at, "
      "a.launched_at, CASE WHEN a.state < 2 AND u.state = 1 THEN u.now END), ended_at = coalesce(u.ended_at, "
      "a.ended_at, "
      "CASE WHEN a.state < 2 AND u.state >= 2 THEN u.ended END), "
      "exit_code = coalesce(u.exit_code, a.exit_code), signal = coalesce(u.signal, a.signal), "
      "reason = coalesce(u.reason, a.reason), user_time = coalesce(u.user_time, a.user_time), "
      "system_time = coalesce(u.system_time, a.system_time), memory_max = coalesce(u.memory_max, a.memory_max), "
      "known_as = coalesce(u.known_as, a.known_as) "
      "FROM " +
          columns.table() + " WHERE a.seq = u.seq",
      columns.parameters());
  ++sent_count_;
}

void WriteSet::send_lines() {
  if (!voids_.empty()) {
    Parameters values;
    values.column(voids_, [](const auto& entry) { return entry.first.seq; });
    values.column(voids_, [](const auto& entry) { return entry.first.uid; });
    values.column(voids_, [](const auto& entry) { return entry.first.at; });
    values.column(voids_, [](const auto& entry) { return entry.second.from; });
    values.column(voids_, [](const auto& entry) { return entry.second.to; });
    transaction_.send("INSERT INTO voided_range SELECT * FROM unnest($1, $2, $3, $4, $5)", values);
    ++sent_count_;
  }
  if (!ranges_.empty()) {
    Parameters values;
    values.column(ranges_, [](const RangeLineRow& line) { return line.place.seq; });
    values.column(ranges_, [](const RangeLineRow& line) { return line.place.uid; });
    values.column(ranges_, [](const RangeLineRow& line) { return line.place.at; });
    values.column(ranges_, [](const RangeLineRow& line) { return line.revision; });
    values.column(ranges_, [](const RangeLineRow& line) { return line.range.from; });
    values.column(ranges_, [](const RangeLineRow& line) { return line.range.to; });
    values.column(ranges_, [](const RangeLineRow& line) { return line.range.count; });
    values.column(ranges_, [](const RangeLineRow& line) { return line.range.reason; });
    transaction_.send("INSERT INTO skipped_range SELECT * FROM unnest($1, $2, $3, $4, $5, $6, $7, $8)", values);
    ++sent_count_;
  }
  if (changes_.empty()) return;
  Parameters values;
  values.column(changes_, [](const auto& entry) { return entry.first.seq; });
  values.column(changes_, [](const auto& entry) { return entry.first.uid; });
  values.column(changes_, [](const auto& entry) { return entry.first.at; });
  values.column(changes_, [](const auto& entry) { return entry.second.revision; });
  values.column(changes_, [](const auto& entry) { return entry.second.kind; });
  values.column(changes_, [](const auto& entry) { return std::string_view{entry.second.by}; });
  values.column(changes_, [](const auto& entry) { return std::string_view{entry.second.reason}; });
  values.column(changes_, [](const auto& entry) { return entry.second.until; });
  values.column(changes_, [](const auto& entry) { return entry.second.document.has_value(); });
  transaction_.send("INSERT INTO change SELECT * FROM unnest($1, $2, $3, $4, $5, $6, $7, $8, $9)", values);
  ++sent_count_;
}

void WriteSet::send_backfills() {
  std::vector<std::pair<Uid, const BackfillEntry*>> fresh;
  std::vector<std::pair<Uid, const BackfillEntry*>> changed;
  for (const auto& [name, entry] : backfills_)
    if (entry.is_changed) (entry.line ? fresh : changed).emplace_back(name.first, &entry);
  const auto values_of = [](const auto& entries) {
    Parameters values;
    values.column(entries, [](const auto& entry) { return entry.second->line; });
    values.column(entries, [](const auto& entry) { return entry.first; });
    values.column(entries, [](const auto& entry) { return entry.second->record.number; });
    values.column(entries, [](const auto& entry) { return entry.second->at; });
    values.column(entries, [](const auto& entry) { return std::string_view{entry.second->record.id}; });
    values.column(entries, [](const auto& entry) { return entry.second->record.from; });
    values.column(entries, [](const auto& entry) { return entry.second->record.to; });
    values.column(entries, [](const auto& entry) { return entry.second->record.order; });
    values.column(entries, [](const auto& entry) { return entry.second->record.reprocess; });
    values.column(entries, [](const auto& entry) { return entry.second->record.concurrency; });
    values.column(entries, [](const auto& entry) { return entry.second->record.is_exclusive; });
    values.column(entries, [](const auto& entry) { return entry.second->record.state; });
    values.column(entries, [](const auto& entry) { return entry.second->record.cursor; });
    values.column(entries, [](const auto& entry) { return entry.second->record.done; });
    values.column(entries, [](const auto& entry) { return entry.second->record.total; });
    values.column(entries, [](const auto& entry) { return entry.second->record.started; });
    values.column(entries, [](const auto& entry) { return entry.second->record.overlap; });
    return values;
  };
  if (!fresh.empty()) {
    transaction_.send(
        "INSERT INTO backfill SELECT * FROM unnest($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, "
        "$16, $17)",
        values_of(fresh));
    ++sent_count_;
  }
  if (changed.empty()) return;
  transaction_.send(
      "UPDATE backfill b SET at = u.at, id = u.id, first = u.first, last = u.last, direction = u.direction, "
      "reprocess = u.reprocess, concurrency = u.concurrency, is_exclusive = u.is_exclusive, state = u.state, "
      "cursor = u.cursor, done = u.done, total = u.total, started = u.started, overlap = u.overlap FROM unnest($1, $2, "
      "$3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17) AS u(seq, uid, number, at, id, first, last, "
      "direction, reprocess, "
      "concurrency, is_exclusive, state, cursor, done, total, started, overlap) WHERE b.uid = u.uid AND b.number = "
      "u.number",
      values_of(changed));
  ++sent_count_;
}

void WriteSet::send_requests() {
  if (requests_.empty()) return;
  Parameters values;
  values.column(requests_, [](const auto& entry) { return entry.first; });
  values.add(now);
  values.column(requests_, [](const auto& entry) { return entry.second.uid; });
  values.column(requests_, [](const auto& entry) { return entry.second.revision; });
  values.column(requests_, [](const auto& entry) { return entry.second.decision; });
  transaction_.send(
      "INSERT INTO request SELECT u.id, $2, u.uid, u.revision, u.decision FROM unnest($1, $3, $4, $5) AS u(id, uid, "
      "revision, decision) ON CONFLICT DO NOTHING",
      values);
  // Rows that another server drops at this moment are left to it.
  transaction_.send(
      "DELETE FROM request WHERE id IN (SELECT id FROM request WHERE at < $1 ORDER BY at LIMIT $2 FOR UPDATE SKIP "
      "LOCKED)",
      Parameters{now - request_memory, requests_dropped_at_once});
  sent_count_ += 2;
}

void WriteSet::send_feed() {
  if (feed_.count() == 0) return;
  transaction_.send("INSERT INTO feed(writer, count, at, events) VALUES ($1, $2, $3, $4) RETURNING id",
                    Parameters{writer_, feed_.count(), feed_.first_at(), Blob{feed_.bytes()}});
  feed_place_ = sent_count_++;
}

}  // namespace carillon::postgres
