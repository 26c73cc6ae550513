#include "api/pages/pages.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

namespace carillon::pages {
namespace {

// Scripts and styles come from files of ours only, and nothing is sent anywhere else.
constexpr std::string_view content_rules =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

constexpr std::string_view not_built =
    "<!doctype html>\n<html lang=\"en\">\n<head><meta charset=\"utf-8\"><title>carillon</title></head>\n<body>\n"
    "<h1>carillon is running</h1>\n"
    "<p>This program was built without its dashboard, because Node.js 18 or newer was not there when it was "
    "built.</p>\n"
    "<p>To get it, install Node.js and npm (on Debian: <code>apt-get install nodejs npm</code>) and run "
    "<code>./start</code> again.</p>\n"
    "<p>Everything works without it: <code>carillon list</code>, <code>carillon watch</code>, and the REST API below "
    "<code>/api/v1</code>, described at <code>/openapi.json</code>.</p>\n"
    "</body>\n</html>\n";

http::HeaderList headers_for(std::string_view type) {
  return {{"Content-Type", std::string{type}},
          {"Content-Security-Policy", std::string{content_rules}},
          {"X-Content-Type-Options", "nosniff"},
          {"X-Frame-Options", "DENY"},
          {"Referrer-Policy", "no-referrer"},
          {"Cross-Origin-Opener-Policy", "same-origin"},
          {"Cross-Origin-Resource-Policy", "same-origin"}};
}

bool wants_html(const http::Request& request) {
  return request.headers.find("Accept").value_or("").contains("text/html");
}

bool takes_gzip(const http::Request& request) {
  return request.headers.find("Accept-Encoding").value_or("").contains("gzip");
}

/// The name of an asset changes with its content; the first page is asked for again, and known by its tag.
http::Response file_response(const PageFile& file, const http::Request& request, bool is_immutable) {
  http::Response response{.headers = headers_for(file.type)};
  const std::string tag = fmt::format("\"{}\"", file.tag);
  response.headers.emplace_back("ETag", tag);
  response.headers.emplace_back("Cache-Control", is_immutable ? "public, max-age=31536000, immutable" : "no-cache");
  response.headers.emplace_back("Vary", is_immutable ? "Accept-Encoding" : "Accept, Accept-Encoding");
  if (request.headers.find("If-None-Match").value_or("").contains(tag)) {
    response.status = 304;
    return response;
  }
  const bool is_gzip = !file.gzip.empty() && takes_gzip(request);
  if (is_gzip) response.headers.emplace_back("Content-Encoding", "gzip");
  response.body = is_gzip ? file.gzip : file.plain;
  return response;
}

http::Response how_to_get_it() {
  http::Response response{.headers = headers_for("text/html; charset=utf-8"), .body = std::string{not_built}};
  response.headers.emplace_back("Cache-Control", "no-store");
  response.headers.emplace_back("Vary", "Accept");
  return response;
}

// Relative, so that it works below a prefix of a proxy too.
http::Response moved_to(std::string_view page) {
  http::Response response{.status = 308, .headers = headers_for("text/plain; charset=utf-8")};
  response.headers.emplace_back("Location", fmt::format("../{}", page.substr(page.rfind('/') + 1)));
  response.headers.emplace_back("Cache-Control", "no-cache");
  return response;
}

http::Response no_such_page(std::string_view path) {
  std::string home = "docs";
  for (auto count = std::ranges::count(path, '/'); count > 0; --count) home = "../" + home;
  http::Response response{
      .status = 404,
      .headers = headers_for("text/html; charset=utf-8"),
      .body =
          fmt::format("<!doctype html>\n<html lang=\"en\">\n<head><meta charset=\"utf-8\"><title>No such page · "
                      "carillon</title></head>\n<body>\n<h1>The documentation has no such page</h1>\n<p>It may have "
                      "moved with a new version. All pages are listed in the <a href=\"{}\">documentation</a>.</p>\n"
                      "</body>\n</html>\n",
                      home)};
  response.headers.emplace_back("Cache-Control", "no-store");
  return response;
}

}  // namespace

// `path` has no slash before it.
std::optional<http::Response> Pages::answer_docs(const http::Request& request, std::string_view path) const {
  if (const auto file = files_.find(path); file != files_.end())
    return file_response(file->second, request, path.starts_with("docs/assets/"));
  if (path.ends_with('/') && files_.contains(path.substr(0, path.size() - 1)))
    return moved_to(path.substr(0, path.size() - 1));
  return wants_html(request) ? std::optional{no_such_page(path)} : std::nullopt;
}

std::optional<http::Response> Pages::answer(const http::Request& request) const {
  if (request.method != http::Method::get && request.method != http::Method::head) return std::nullopt;
  std::string_view path = request.path();
  if (path == "/") {
    if (!wants_html(request)) return std::nullopt;
    const auto index = files_.find("index.html");
    return index == files_.end() ? how_to_get_it() : file_response(index->second, request, false);
  }
  path.remove_prefix(path.empty() ? 0 : 1);
  if (path == "docs" || path.starts_with("docs/")) return answer_docs(request, path);
  if (!path.starts_with("assets/")) return std::nullopt;
  const auto file = files_.find(path);
  if (file == files_.end()) return std::nullopt;
  return file_response(file->second, request, true);
}

}  // namespace carillon::pages
