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
  enum class Mode { rows, filter, question, log };

  void read();
  void draw();
  void draw_log();
  /// False: quit.
  [[nodiscard]] bool take_keys(std::string_view keys);
  [[nodiscard]] bool take_key(std::string_view key);
  [[nodiscard]] bool take_row_key(std::string_view key);
  void take_filter_key(std::string_view key);
  void take_answer(std::string_view key);
  void move(int by);
  void ask(std::string_view verb);
  void perform();
  void open_log();
  void read_log();
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
  std::string message_;  // what came of the last thing that was done
  std::string verb_;     // that is asked about
  WatchRow target_;      // of the question, or the log
  std::string log_;
};

}  // namespace carillon::cli
