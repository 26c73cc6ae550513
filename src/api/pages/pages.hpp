#pragma once

#include "api/http/message.hpp"
#include "api/pages/page_files.hpp"

#include <optional>
#include <string_view>
#include <utility>

namespace carillon::pages {

/// The static files of the dashboard and the documentation. They are for everybody and hold no secret; what the
/// dashboard shows comes from the REST interface. May be called from several threads; nothing waits.
class Pages {
 public:
  explicit Pages(PageFiles files) : files_{std::move(files)} {}

  /// None if the request is not for a page: then the REST interface answers it. At `/` a browser, which asks for HTML,
  /// gets the dashboard, or is told how to get it where it was not built. The documentation is at `/docs` and below.
  [[nodiscard]] std::optional<http::Response> answer(const http::Request& request) const;

 private:
  [[nodiscard]] std::optional<http::Response> answer_docs(const http::Request& request, std::string_view path) const;

  PageFiles files_;
};

}  // namespace carillon::pages
