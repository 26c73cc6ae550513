#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace carillon {

/// One server-sent event.
struct ServerEvent {
  std::string id{};
  std::string name{"message"};
  std::string data{};

  friend bool operator==(const ServerEvent&, const ServerEvent&) = default;
};

/// Puts events together from the pieces in which a stream comes.
class EventReader {
 public:
  /// What has become complete by this piece.
  [[nodiscard]] std::vector<ServerEvent> take(std::string_view piece);

  /// The id of the newest event: where to go on.
  [[nodiscard]] const std::string& last_id() const { return last_id_; }

 private:
  void take_line(std::string_view line, std::vector<ServerEvent>& complete);

  std::string rest_;
  ServerEvent event_;
  bool has_data_ = false;
  std::string last_id_;
};

}  // namespace carillon
