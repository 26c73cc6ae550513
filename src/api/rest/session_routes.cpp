#include "api/rest/documents.hpp"
#include "api/rest/routes.hpp"
#include "api/rest/session_cookie.hpp"

#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>

namespace carillon::rest {
namespace {

boost::json::object session_document(const SessionAnswer& session) {
  boost::json::array scopes;
  for (const std::string_view scope : session.scopes) scopes.emplace_back(scope);
  return {{"token", session.token},
          {"name", session.name},
          {"role", to_text(session.role)},
          {"scopes", std::move(scopes)},
          {"namespace", session.name_space ? boost::json::value(*session.name_space) : boost::json::value{}},
          {"expiresAt", instant_or_null(session.ends_at)}};
}

}  // namespace

Served<Reply> create_session(Call& call) {
  TRY(call.parameters.finish());
  Sessions& sessions = call.application.sessions();
  const OpenedSession opened = TRY(sessions.open(call.caller));
  Caller caller = call.caller;
  caller.session = CallerSession{.id = {}, .ends_at = opened.ends_at};
  boost::json::object document = session_document(TRY(sessions.describe(caller)));
  document["key"] = opened.key;
  const Duration time_left = opened.ends_at - call.application.clock().now();
  return Reply{.status = 201,
               .body = boost::json::serialize(document),
               .headers = {{"Set-Cookie", session_cookie(call.request, sessions.cookie_name(), opened.text, time_left)},
                           {"Cache-Control", "no-store"}}};
}

Served<Reply> get_session(Call& call) {
  TRY(call.parameters.finish());
  return Reply{.body =
                   boost::json::serialize(session_document(TRY(call.application.sessions().describe(call.caller))))};
}

Served<Reply> close_session(Call& call) {
  TRY(call.parameters.finish());
  Sessions& sessions = call.application.sessions();
  TRY(sessions.close(call.caller));
  return Reply{.status = 204,
               .headers = {{"Set-Cookie", session_cookie(call.request, sessions.cookie_name(), "", Duration{})}}};
}

Served<Reply> create_session_link(Call& call) {
  TRY(call.parameters.finish());
  const SignInLink link = TRY(call.application.sessions().make_link(call.caller));
  return Reply{.status = 201,
               .body = boost::json::serialize(boost::json::object{
                   {"code", link.code}, {"path", "/#sign-in=" + link.code}, {"expiresAt", to_text(link.ends_at)}}),
               .headers = {{"Cache-Control", "no-store"}}};
}

}  // namespace carillon::rest
