#include "api/rest/routes.hpp"
#include "document/reader.hpp"

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

namespace carillon::rest {
namespace {

namespace json = boost::json;

Reply lock_reply(const LockAnswer& answer) {
  json::object document{{"name", answer.name},
                        {"owner", answer.lock.owner},
                        {"fence", answer.lock.fence},
                        {"acquiredAt", to_text(answer.lock.acquired_at)},
                        {"expiresAt", to_text(answer.lock.until)}};
  if (!answer.token.empty()) document["token"] = answer.token;
  return Reply{.body = json::serialize(document), .headers = {{"Cache-Control", "no-store"}}};
}

/// The body of all three: what is missing in it is for the use case to judge.
struct LockBody {
  LockTerms terms{};
  std::string token{};
};

Served<LockBody> read_lock_body(Call& call) {
  const auto body = TRY(call.body());
  Problems problems;
  ObjectReader reader{body, "", problems};
  LockBody read;
  read.terms.ttl = reader.duration("ttl");
  if (const auto owner = reader.text("owner")) read.terms.owner = std::string{*owner};
  if (const auto token = reader.text("token")) read.terms.token = std::string{*token};
  read.token = read.terms.token.value_or("");
  reader.finish();
  if (!problems.empty()) return std::unexpected(Refusal{std::move(problems)});
  return read;
}

}  // namespace

Served<Reply> acquire_lock(Call& call) {
  const auto name_space = call.parameters.text("namespace");
  TRY(call.parameters.finish());
  const LockBody body = TRY(read_lock_body(call));
  return lock_reply(TRY(call.application.locks().acquire(call.caller, name_space, call.ids.front(), body.terms)));
}

Served<Reply> extend_lock(Call& call) {
  const auto name_space = call.parameters.text("namespace");
  TRY(call.parameters.finish());
  const LockBody body = TRY(read_lock_body(call));
  return lock_reply(
      TRY(call.application.locks().extend(call.caller, name_space, call.ids.front(), body.token, body.terms.ttl)));
}

Served<Reply> release_lock(Call& call) {
  const auto name_space = call.parameters.text("namespace");
  TRY(call.parameters.finish());
  const LockBody body = TRY(read_lock_body(call));
  TRY(call.application.locks().release(call.caller, name_space, call.ids.front(), body.token));
  return Reply{.status = 204};
}

Served<Reply> get_lock(Call& call) {
  const auto name_space = call.parameters.text("namespace");
  TRY(call.parameters.finish());
  return lock_reply(TRY(call.application.locks().find(call.caller, name_space, call.ids.front())));
}

}  // namespace carillon::rest
