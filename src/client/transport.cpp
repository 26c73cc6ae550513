#include "client/transport.hpp"

#include <algorithm>

namespace carillon {

std::string_view ServerAnswer::header(std::string_view name) const {
  const auto found =
      std::ranges::find(headers, name, [](const auto& header) { return std::string_view{header.first}; });
  return found == headers.end() ? std::string_view{} : std::string_view{found->second};
}

std::vector<Result<ServerAnswer>> Transport::perform_all(std::span<const ServerRequest> requests) {
  std::vector<Result<ServerAnswer>> answers;
  answers.reserve(requests.size());
  for (const ServerRequest& request : requests) answers.push_back(perform(request));
  return answers;
}

}  // namespace carillon
