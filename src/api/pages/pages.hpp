#pragma once

#include "api/http/message.hpp"
#include "api/pages/page_files.hpp"

#include <optional>
#include <utility>

namespace carillon::pages {

/// The dashboard's static files. They are for everybody and hold no secret; what they show comes from the REST
/// interface. May be called from several threads; nothing waits.
class Pages {
 public:
  explicit Pages(PageFiles files) : files_{std::move(files)} {}

  /// None if the request is not for a page: then the REST interface answers it. At `/` a browser, which asks for HTML,
  /// gets the dashboard, or is told how to get it where it was not built.
  [[nodiscard]] std::optional<http::Response> answer(const http::Request& request) const;

 private:
  PageFiles files_;
};

}  // namespace carillon::pages
