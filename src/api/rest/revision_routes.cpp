#include "api/rest/documents.hpp"
#include "api/rest/page_token.hpp"
#include "api/rest/routes.hpp"

#include <boost/json/serialize.hpp>
#include <fmt/format.h>

#include <charconv>

namespace carillon::rest {
namespace {

namespace json = boost::json;

json::object revision_document(const ChangeLine& change, std::int64_t current) {
  return {
      {"revision", change.revision},  {"at", to_text(change.head.at)},         {"by", change.by},
      {"kind", to_text(change.kind)}, {"reason", text_or_null(change.reason)}, {"current", change.revision == current}};
}

/// What cannot be a number is no revision.
std::int64_t revision_in(std::string_view text) {
  std::int64_t revision = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), revision);
  return error == std::errc{} && stop == text.data() + text.size() ? revision : 0;
}

}  // namespace

Served<Reply> list_revisions(Call& call) {
  const ScheduleName name = call.schedule();
  RevisionListRequest request{.definitions_only = call.parameters.flag("definitions")};
  request.count_max = static_cast<std::size_t>(call.parameters.integer("limit", 1, 500).value_or(50));
  request.before = place_of_page(call.parameters, number_after);
  TRY(call.parameters.finish());
  const RevisionPage page = TRY(call.application.revisions().list(call.caller, name, request));
  json::array items;
  for (const ChangeLine& change : page.items) items.push_back(revision_document(change, page.current));
  return Reply{.body = page_text(std::move(items), token_of(page.next))};
}

Served<Reply> get_revision(Call& call) {
  const ScheduleName name = call.schedule();
  TRY(call.parameters.finish());
  const RevisionAnswer answer = TRY(call.application.revisions().get(call.caller, name, revision_in(call.ids.at(1))));
  std::string body = json::serialize(revision_document(answer.change, answer.current));
  body.pop_back();
  // The stored definition goes into the answer as it is.
  body += fmt::format(R"(,"definition":{}}})", answer.document);
  return Reply{.body = std::move(body)};
}

}  // namespace carillon::rest
