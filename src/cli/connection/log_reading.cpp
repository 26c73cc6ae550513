#include "cli/connection/log_reading.hpp"

#include "cli/terminal/printable.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace carillon::cli {

namespace {

constexpr std::size_t page_size = 1 << 20;        // the largest part that a server gives
constexpr std::size_t line_size_max = 64 * 1024;  // of what is held back for the end of a line

std::size_t number_in(std::string_view text) {
  std::size_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

/// The last lines of a text.
std::string_view last_lines(std::string_view text, std::size_t count) {
  std::size_t begin = text.ends_with('\n') ? text.size() - 1 : text.size();
  while (count > 0 && begin > 0) {
    const std::size_t end = text.rfind('\n', begin - 1);
    --count;
    if (end == std::string_view::npos) return text;
    if (count == 0) return text.substr(end + 1);
    begin = end;
  }
  return count == 0 ? std::string_view{} : text;
}

/// One log of one attempt of a run, read on from where it was left.
class LogReading {
 public:
  LogReading(Client& client, const client::Run& run, Session& session, PollBackoff& backoff)
      : client_{client},
        path_{fmt::format("/runs/{}/logs", path_part(run.id))},
        run_id_{run.id},
        namespace_{run.name_space},
        printer_{session.console},
        session_{session},
        backoff_{backoff} {}

  /// Begins with an attempt, 0: the newest.
  void begin(std::size_t attempt) {
    attempt_ = attempt;
    offset_ = 0;
  }

  Result<> print_tail(std::size_t line_count) {
    const ServerAnswer part = TRY(client_.bytes(path_, query({{"tail", fmt::format("{}", page_size)}})));
    note_place(part);
    static_cast<void>(printer_.take(last_lines(part.body, line_count)));
    return {};
  }

  /// All there is by now.
  Result<> print_rest() {
    for (;;) {
      const ServerAnswer part = TRY(client_.bytes(path_, query({{"offset", fmt::format("{}", offset_)}})));
      note_place(part);
      if (!printer_.take(part.body)) return {};
      if (part.header("carillon-log-truncated") == "true" && part.header("carillon-log-end") == "true")
        session_.console.write_error("the middle of the log was left out; the first and last 512 KiB are kept\n");
      if (part.body.empty() || part.header("carillon-log-end") == "true") return {};
    }
  }

  /// Follows until the run, or the one attempt, has ended, or nobody reads any more.
  Result<> follow(std::optional<std::size_t> only_attempt) {
    while (is_read_) {
      const client::Run run = TRY(fetch_run());
      const auto newest = static_cast<std::size_t>(run.attempt);
      if (attempt_ == 0 && newest > 0) attempt_ = newest;
      // Seen as ended before the log is read to its end: then nothing can be missing.
      const bool is_over = has_ended(run) || (only_attempt && newest > *only_attempt);
      const bool is_newer = !only_attempt && newest > attempt_;
      if (is_over || is_newer) {
        if (attempt_ > 0) TRY(print_rest());
        if (is_newer) begin(newest);
        if (is_over && !is_newer) return {};
        continue;
      }
      if (attempt_ == 0 || !TRY(stream())) static_cast<void>(backoff_.pause());
    }
    return {};
  }

  void finish() { printer_.finish(); }

  [[nodiscard]] bool has_printed() const { return has_printed_; }
  [[nodiscard]] std::size_t attempt() const { return attempt_; }

 private:
  Query query(Query more) const {
    if (attempt_ > 0) more.emplace_back("attempt", fmt::format("{}", attempt_));
    more.emplace_back("namespace", namespace_);
    return more;
  }

  void note_place(const ServerAnswer& part) {
    offset_ = number_in(part.header("carillon-log-next-offset"));
    attempt_ = number_in(part.header("carillon-log-attempt"));
    has_printed_ |= !part.body.empty();
  }

  /// The run as it is now; a server that is away for a while is waited for.
  Result<client::Run> fetch_run() {
    for (;;) {
      auto run = client_.get_run(run_id_, namespace_);
      if (run) {
        backoff_.note_success();
        return std::move(run->value);
      }
      if (!TRY(retry_or_fail(run.error()))) return std::unexpected(std::move(run).error());
    }
  }

  /// False when it ended without a byte.
  Result<bool> stream() {
    const std::size_t before = offset_;
    const auto answer = client_.stream(path_, query({{"offset", fmt::format("{}", offset_)}, {"follow", "true"}}),
                                       [this](std::string_view piece) {
                                         offset_ += piece.size();
                                         is_read_ = printer_.take(piece);
                                         return is_read_;
                                       });
    if (!answer) return retry_or_fail(answer.error());
    if (offset_ > before) backoff_.reset();
    return offset_ > before;
  }

  Result<bool> retry_or_fail(const Error& error) {
    if (error.rule != "unreachable" || !backoff_.may_retry()) return std::unexpected(error);
    session_.console.write_error(fmt::format("{}; retrying\n", printable(error.message)));
    return backoff_.pause();
  }

  Client& client_;
  std::string path_;
  std::string run_id_;
  std::string namespace_;
  LogPrinter printer_;
  Session& session_;
  PollBackoff& backoff_;
  std::size_t attempt_ = 0;
  std::size_t offset_ = 0;
  bool is_read_ = true;
  bool has_printed_ = false;
};

}  // namespace

bool LogPrinter::take(std::string_view piece) {
  if (!is_terminal_) {
    if (!piece.empty()) console_.write(piece);
    return console_.output_state() == Console::OutputState::open;
  }
  rest_ += piece;
  std::string shown;
  std::size_t begin = 0;
  for (std::size_t end = 0; (end = rest_.find('\n', begin)) != std::string::npos; begin = end + 1) {
    std::string_view line{rest_.data() + begin, end - begin};
    if (line.ends_with('\r')) line.remove_suffix(1);
    shown += printable(line, line_size_max) + '\n';
  }
  rest_.erase(0, begin);
  if (rest_.size() > line_size_max) shown += printable(std::exchange(rest_, {}), line_size_max);
  if (!shown.empty()) console_.write(shown);
  return console_.output_state() == Console::OutputState::open;
}

void LogPrinter::finish() {
  if (!rest_.empty()) console_.write(printable(std::exchange(rest_, {}), line_size_max) + '\n');
}

namespace {

/// Why a log is empty, for standard error: a command that could not be started looks like a silent one otherwise.
std::string empty_log_text(const client::Run& run, std::size_t attempt) {
  const std::string id = printable(run.id);
  if (attempt == 0) return fmt::format("{} is {}: it has not started yet\n", id, printable(run.state));
  std::string error = attempt == static_cast<std::size_t>(run.attempt) ? run.error : "";
  for (const client::Attempt& each : run.attempts)
    if (static_cast<std::size_t>(each.number) == attempt) error = each.error;
  return fmt::format("attempt {} of {} wrote no output{}{}\n", attempt, id, has_ended(run) ? "" : " so far",
                     error.empty() ? "" : ": " + printable(error));
}

}  // namespace

Result<> print_log(Client& client, const client::Run& run, const LogQuery& query, Session& session,
                   PollBackoff& backoff) {
  LogReading reading{client, run, session, backoff};
  reading.begin(query.attempt.value_or(0));
  // A run that has not begun has no log yet, which is no error.
  const bool has_log = query.attempt || run.attempt > 0;
  if (has_log && query.line_count) TRY(reading.print_tail(*query.line_count));
  if (query.is_followed)
    TRY(reading.follow(query.attempt));
  else if (has_log && !query.line_count)
    TRY(reading.print_rest());
  reading.finish();
  if (!query.is_followed && !reading.has_printed())
    session.console.write_error(empty_log_text(run, has_log ? reading.attempt() : 0));
  return {};
}

}  // namespace carillon::cli
