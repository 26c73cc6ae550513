#include "cli/watch/watch_loop.hpp"

#include "cli/terminal/printable.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace carillon::cli {

namespace {

constexpr Duration tick = std::chrono::seconds{1};
constexpr int ticks_between_readings = 5;  // without news; what changes silently is seen that soon
constexpr std::string_view log_size = "65536";
constexpr std::size_t filter_size_max = 100;
constexpr std::size_t found_count_max = 200;

/// The first key of what was typed: a sequence of the terminal, or one character.
std::string_view first_key(std::string_view keys) {
  if (keys.starts_with("\x1b[") || keys.starts_with("\x1bO")) return keys.substr(0, 3);
  std::size_t length = 1;
  while (length < keys.size() && (static_cast<unsigned char>(keys[length]) & 0xc0U) == 0x80U) ++length;
  return keys.substr(0, length);
}

bool is_up(std::string_view key) { return key == "k" || key == "\x1b[A" || key == "\x1bOA"; }
bool is_down(std::string_view key) { return key == "j" || key == "\x1b[B" || key == "\x1bOB"; }
bool is_enter(std::string_view key) { return key == "\r" || key == "\n"; }
bool is_escape(std::string_view key) { return key == "\x1b"; }
bool is_backspace(std::string_view key) { return key == "\x7f" || key == "\b"; }
bool is_interrupt(std::string_view key) { return key == "\x03"; }

/// Without its last character, however many bytes that has.
void drop_last_character(std::string& text) {
  while (!text.empty() && (static_cast<unsigned char>(text.back()) & 0xc0U) == 0x80U) text.pop_back();
  if (!text.empty()) text.pop_back();
}

std::vector<std::string> lines_in(std::string_view text, std::size_t columns) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    lines.push_back(clipped(printable(line), columns));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
  }
  return lines;
}

/// What is known about a run, and which command tells more.
std::string why_page(const client::Run& run) {
  std::string text = fmt::format("{}\n", run.why);
  for (const client::Attempt& attempt : run.attempts)
    text += fmt::format("attempt {}  {}{}{}\n", attempt.number, attempt.state, attempt.error.empty() ? "" : ": ",
                        attempt.error);
  if (!run.schedule.empty() && run.nominal)
    text += fmt::format("\ncarillon why {} {}\n", run.schedule, to_text(*run.nominal));
  return text;
}

}  // namespace

WatchLoop::WatchLoop(Client& client, Session& session, Screen& screen, ZonePtr zone, std::string title)
    : client_{client}, session_{session}, screen_{screen}, zone_{std::move(zone)}, view_{.title = std::move(title)} {}

Result<ExitCode> WatchLoop::run() {
  data_ = TRY(read_watch_data(client_, session_.console.clock()));
  for (int ticks = 0;;) {
    refresh_rows();
    draw();
    const Screen::Happening what = screen_.wait(tick);
    if (what.is_over) return ExitCode::interrupted;
    if (!what.keys.empty() && !take_keys(what.keys)) return ExitCode::ok;
    if (what.keys.empty()) ++ticks;
    // Progress is no news of its own: it would be read all the time.
    if (!what.has_news && ticks < (has_progress(data_) ? 1 : ticks_between_readings)) continue;
    ticks = 0;
    read();
  }
}

void WatchLoop::read() {
  auto data = read_watch_data(client_, session_.console.clock(), view_.filter);
  found_for_ = view_.filter;
  if (data) {
    // Who has come back has nothing more to say about having been away.
    if (message_.starts_with("cannot reach")) message_.clear();
    data_ = *std::move(data);
  } else {
    message_ = printable(data.error().message);
  }
  if (mode_ == Mode::log) read_log();
}

void WatchLoop::refresh_rows() {
  const auto kept = selected() != nullptr ? std::optional{*selected()} : std::nullopt;
  find_filtered();
  const Instant now = session_.console.clock();
  rows_ =
      filtered(view_.shows_failures ? failure_rows_of(data_, *zone_, now) : rows_of(data_, *zone_, now, session_.paint),
               view_.filter);
  // The mark stays with what it is on, wherever that has moved to.
  if (kept && view_.selected > 0) {
    const auto found = std::ranges::find_if(rows_, [&](const WatchRow& row) {
      return row.kind == kept->kind && row.schedule == kept->schedule && row.name_space == kept->name_space &&
             (kept->run.empty() || row.kind == WatchRow::Kind::waiting || row.run == kept->run);
    });
    if (found != rows_.end()) view_.selected = static_cast<std::size_t>(found - rows_.begin());
  }
  if (view_.selected >= rows_.size()) view_.selected = rows_.empty() ? 0 : rows_.size() - 1;
}

const WatchRow* WatchLoop::selected() const { return view_.selected < rows_.size() ? &rows_[view_.selected] : nullptr; }

void WatchLoop::draw() {
  if (mode_ == Mode::log || mode_ == Mode::why) return draw_page();
  switch (mode_) {
    case Mode::filter: view_.bottom = fmt::format("/{}_", printable(view_.filter)); break;
    case Mode::question:
      view_.bottom = fmt::format("{} {}{}? y/n", verb_, printable(target_.schedule),
                                 is_about_run() ? " " + printable(target_.run) : "");
      break;
    default: view_.bottom = message_; break;
  }
  if (view_.bottom.empty() && !view_.filter.empty())
    view_.bottom = fmt::format("names with \"{}\" · Esc shows all", printable(view_.filter));
  screen_.show(watch_frame(data_, rows_, view_, screen_.size(), session_.console.clock(), session_.paint));
}

void WatchLoop::draw_page() {
  const Screen::Size size = screen_.size();
  const std::size_t room = size.rows > 2 ? size.rows - 2 : 0;
  std::vector<std::string> log = lines_in(page_, size.columns);
  if (log.size() > room) log.erase(log.begin(), log.end() - static_cast<std::ptrdiff_t>(room));
  std::vector<std::string> lines{
      session_.paint(Colour::bold, clipped(fmt::format("{} {}  {}", mode_ == Mode::log ? "log of" : "why",
                                                       printable(target_.schedule), printable(target_.run)),
                                           size.columns))};
  lines.insert(lines.end(), log.begin(), log.end());
  lines.resize(std::max<std::size_t>(1, size.rows > 0 ? size.rows - 1 : 1));
  if (size.rows > 1)
    lines.push_back(session_.paint(
        Colour::dim, clipped(session_.paint.signs(message_.empty() ? "Esc or q: back" : message_), size.columns)));
  screen_.show(lines);
}

bool WatchLoop::take_keys(std::string_view keys) {
  while (!keys.empty()) {
    const std::string_view key = first_key(keys);
    if (!take_key(key)) return false;
    keys.remove_prefix(key.size());
    refresh_rows();
  }
  return true;
}

bool WatchLoop::take_key(std::string_view key) {
  if (is_interrupt(key)) return false;
  switch (mode_) {
    case Mode::rows: return take_row_key(key);
    case Mode::filter: take_filter_key(key); break;
    case Mode::question: take_answer(key); break;
    case Mode::log:
    case Mode::why:
      if (is_escape(key) || key == "q" || is_enter(key)) mode_ = Mode::rows;
      message_.clear();
      break;
  }
  return true;
}

bool WatchLoop::take_row_key(std::string_view key) {
  const bool had_help = std::exchange(view_.has_help, false);
  message_.clear();
  if (key == "q") return had_help;
  if (key == "?") view_.has_help = !had_help;
  if (is_down(key)) move(1);
  if (is_up(key)) move(-1);
  if (key == "/") {
    mode_ = Mode::filter;
    view_.filter.clear();
  }
  if (is_escape(key) && view_.filter.empty()) view_.shows_failures = false;
  if (is_escape(key)) view_.filter.clear();
  if (key == "f") view_.shows_failures = !view_.shows_failures;
  if (is_enter(key)) open_log();
  if (key == "w") open_why();
  if (key == "t") ask("trigger");
  if (key == "c") ask("cancel");
  if (key == "r") ask("retry");
  if (key == "p" && selected() != nullptr) ask(selected()->kind == WatchRow::Kind::paused ? "resume" : "pause");
  return true;
}

void WatchLoop::take_filter_key(std::string_view key) {
  if (is_escape(key)) view_.filter.clear();
  if (is_escape(key) || is_enter(key)) mode_ = Mode::rows;
  if (is_backspace(key)) drop_last_character(view_.filter);
  const bool is_text = static_cast<unsigned char>(key.front()) >= ' ' && !is_backspace(key);
  if (is_text && view_.filter.size() < filter_size_max) view_.filter += key;
}

void WatchLoop::take_answer(std::string_view key) {
  mode_ = Mode::rows;
  if (key == "y" || key == "Y") perform();
}

void WatchLoop::move(int by) {
  if (by < 0 && view_.selected > 0) --view_.selected;
  if (by > 0 && view_.selected + 1 < rows_.size()) ++view_.selected;
}

void WatchLoop::ask(std::string_view verb) {
  if (selected() == nullptr) return;
  verb_ = verb;
  target_ = *selected();
  if (verb == "retry" && !target_run()) return;
  if (target_.schedule.empty() && !is_about_run()) {
    message_ = "this is not a schedule";
    return;
  }
  mode_ = Mode::question;
}

bool WatchLoop::is_about_run() const {
  return verb_ == "retry" || (verb_ == "cancel" && !target_.run.empty() && target_.kind != WatchRow::Kind::failed);
}

std::string WatchLoop::path_of_question() const {
  return is_about_run() ? fmt::format("/runs/{}/{}", path_part(target_.run), verb_)
                        : fmt::format("/schedules/{}/{}", path_part(target_.schedule), verb_);
}

void WatchLoop::perform() {
  const auto answer = client_.post(path_of_question(), boost::json::object{}, {{"namespace", target_.name_space}});
  const std::string& name = target_.schedule.empty() ? target_.run : target_.schedule;
  message_ = answer ? fmt::format("{}: {} done", printable(name), verb_) : printable(answer.error().message);
  if (!answer) return;
  if (auto data = read_watch_data(client_, session_.console.clock(), view_.filter)) data_ = *std::move(data);
}

bool WatchLoop::target_run() {
  if (selected() == nullptr) return false;
  target_ = *selected();
  if (!target_.run.empty()) return true;
  const auto found = client_.list_runs_of(target_.schedule, target_.name_space, {}, 1);
  if (!found || found->items.empty()) {
    message_ = found ? "it has not run yet" : printable(found.error().message);
    return false;
  }
  target_.run = found->items.front().id;
  return true;
}

void WatchLoop::open_log() {
  if (!target_run()) return;
  mode_ = Mode::log;
  page_.clear();
  read_log();
}

void WatchLoop::open_why() {
  if (!target_run()) return;
  const auto run = client_.get_run(target_.run, target_.name_space);
  if (!run) {
    message_ = printable(run.error().message);
    return;
  }
  mode_ = Mode::why;
  page_ = why_page(run->value);
}

// What happens to few schedules is not among the rows, but people know its name.
void WatchLoop::find_filtered() {
  if (view_.filter == found_for_) return;
  found_for_ = view_.filter;
  data_.found.clear();
  if (view_.filter.empty()) return;
  if (auto found = client_.list_schedules({{"q", view_.filter}}, found_count_max))
    data_.found = std::move(found->items);
}

void WatchLoop::read_log() {
  auto log = client_.bytes(fmt::format("/runs/{}/logs", path_part(target_.run)),
                           {{"tail", std::string{log_size}}, {"namespace", target_.name_space}});
  if (log)
    page_ = std::move(log->body);
  else
    message_ = log.error().rule == "not_found" ? "no output yet" : printable(log.error().message);
}

}  // namespace carillon::cli
