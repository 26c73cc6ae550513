#pragma once

#include "cli/connection/session.hpp"
#include "cli/watch/screen.hpp"
#include "cli/watch/watch_data.hpp"
#include "cli/watch/watch_view.hpp"
#include "client/client.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace carillon::cli {

/// The live view: draws, waits for keys and news, does what they say.
class WatchLoop {
 public:
  WatchLoop(Client& client, Session& session, Screen& screen, ZonePtr zone, std::string title);

  /// Until people quit or the screen is gone. An error only if there is nothing to show from the beginning.
  [[nodiscard]] Result<ExitCode> run();

 private:
  enum class Mode { rows, filter, question, log, why };

  void read();
  void draw();
  /// A text in place of the rows: the log, or why.
  void draw_page();
  /// False: quit.
  [[nodiscard]] bool take_keys(std::string_view keys);
  [[nodiscard]] bool take_key(std::string_view key);
  [[nodiscard]] bool take_row_key(std::string_view key);
  void take_filter_key(std::string_view key);
  void take_answer(std::string_view key);
  void move(int by);
  void ask(std::string_view verb);
  void perform();
  /// Where the question's verb is done: below the run if it is about one, else below the schedule.
  [[nodiscard]] std::string path_of_question() const;
  [[nodiscard]] bool is_about_run() const;
  /// Makes the selected row the target, with the newest run of its schedule where it has none; false, with a message,
  /// if there is none.
  [[nodiscard]] bool target_run();
  void open_log();
  void open_why();
  void read_log();
  void find_filtered();
  [[nodiscard]] const WatchRow* selected() const;
  void refresh_rows();

  Client& client_;
  Session& session_;
  Screen& screen_;
  ZonePtr zone_;
  WatchData data_;
  std::vector<WatchRow> rows_;
  WatchView view_;
  Mode mode_ = Mode::rows;
  std::string message_;    // what came of the last thing that was done
  std::string verb_;       // that is asked about
  WatchRow target_;        // of the question, or the page
  std::string page_;       // the log, or why
  std::string found_for_;  // the filter that the server was last asked for
};

}  // namespace carillon::cli
