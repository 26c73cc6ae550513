#include "stores/postgres/store_url.hpp"

#include <fmt/format.h>
#include <libpq-fe.h>

#include <algorithm>
#include <memory>

namespace carillon::postgres {
namespace {

constexpr std::string_view url_rule = "invalid-store-url";
constexpr std::string_view url_hint =
    "write it as postgres://USER@HOST:5432/DATABASE, and give the password by PGPASSFILE, ~/.pgpass or PGPASSWORD";

std::unexpected<Error> refused_url(std::string_view why) {
  auto error = fail(ErrorCode::invalid_argument, "the address of the store cannot be used: {}", why);
  error.error().hint = url_hint;
  error.error().rule = url_rule;
  return error;
}

/// A name that needs no quotes anywhere.
bool is_plain_name(std::string_view name) {
  const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || c == '_'; };
  const auto is_inside = [&](char c) { return is_letter(c) || (c >= '0' && c <= '9'); };
  return !name.empty() && name.size() <= 63 && is_letter(name.front()) && std::ranges::all_of(name, is_inside);
}

/// Takes `schema=…` out of the text, which is ours and which libpq does not know.
Result<std::string> take_schema(std::string& text, std::string schema) {
  constexpr std::string_view name = "schema=";
  const std::size_t question = text.find('?');
  for (std::size_t at = question; at != std::string::npos; at = text.find('&', at + 1)) {
    if (text.compare(at + 1, name.size(), name) != 0) continue;
    const std::size_t end = text.find('&', at + 1);
    schema = text.substr(at + 1 + name.size(), end == std::string::npos ? end : end - at - 1 - name.size());
    text.erase(at + 1, end == std::string::npos ? end : end - at);
    if (text.ends_with('&') || text.ends_with('?')) text.pop_back();
    break;
  }
  if (is_plain_name(schema)) return schema;
  return refused_url(fmt::format("\"{}\" is no name for a schema; small letters, digits and _ are possible", schema));
}

/// What libpq complains of is not shown: it repeats parts of what was written, a password among them.
std::string complaint_of(char* message) {
  const std::unique_ptr<char, void (*)(void*)> owner{message, PQfreemem};
  return "it cannot be read; is a character missing its %, as in %40 for @?";
}

}  // namespace

bool is_postgres_url(std::string_view text) {
  return text.starts_with("postgres://") || text.starts_with("postgresql://");
}

Result<StoreUrl> parse_store_url(const std::string& text) {
  if (!is_postgres_url(text)) return refused_url("it does not begin with postgres://");
  StoreUrl url;
  std::string rest = text;
  url.schema = TRY(take_schema(rest, url.schema));
  char* message = nullptr;
  const std::unique_ptr<PQconninfoOption, void (*)(PQconninfoOption*)> parsed{PQconninfoParse(rest.c_str(), &message),
                                                                              PQconninfoFree};
  if (!parsed) return refused_url(complaint_of(message));
  std::string host = "local socket";
  std::string port;
  std::string user;
  std::string database;
  for (const PQconninfoOption* option = parsed.get(); option->keyword != nullptr; ++option) {
    if (option->val == nullptr) continue;
    const std::string_view name = option->keyword;
    url.options.emplace_back(name, option->val);
    if (name == "host") host = option->val;
    if (name == "port") port = option->val;
    if (name == "user") user = option->val;
    if (name == "dbname") database = option->val;
    url.has_password |= name == "password";
  }
  if (database.empty() && !user.empty()) database = user;
  url.description = fmt::format("PostgreSQL {}{}{}{}", host, port.empty() ? "" : ":" + port,
                                database.empty() ? "" : ", database " + database, user.empty() ? "" : ", user " + user);
  return url;
}

}  // namespace carillon::postgres
