#include "client/event_reader.hpp"

#include <algorithm>

namespace carillon {

std::vector<ServerEvent> EventReader::take(std::string_view piece) {
  std::vector<ServerEvent> complete;
  rest_ += piece;
  std::size_t begin = 0;
  for (std::size_t end = rest_.find('\n'); end != std::string::npos; end = rest_.find('\n', begin)) {
    std::string_view line = std::string_view{rest_}.substr(begin, end - begin);
    if (line.ends_with('\r')) line.remove_suffix(1);
    take_line(line, complete);
    begin = end + 1;
  }
  rest_.erase(0, begin);
  return complete;
}

void EventReader::take_line(std::string_view line, std::vector<ServerEvent>& complete) {
  if (line.empty()) {
    if (has_data_) complete.push_back(std::move(event_));
    event_ = {};
    event_.id = last_id_;
    has_data_ = false;
    return;
  }
  const std::string_view field = line.substr(0, line.find(':'));
  std::string_view value = line.substr(std::min(line.size(), field.size() + 1));
  if (value.starts_with(' ')) value.remove_prefix(1);
  if (field == "data") {
    if (has_data_) event_.data += '\n';
    event_.data += value;
    has_data_ = true;
  } else if (field == "event") {
    event_.name = value;
  } else if (field == "id") {
    event_.id = last_id_ = value;
  }
}

}  // namespace carillon
