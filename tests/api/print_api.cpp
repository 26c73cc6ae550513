// Prints the route table and the description of the API as the program has them: what the tests compare.
#include "api/rest/probes.hpp"
#include "api/rest/routes.hpp"

#include <fmt/core.h>

#include <string_view>

namespace {

std::string_view scope_word(carillon::Scope scope) {
  switch (scope) {
    case carillon::Scope::open: return "open";
    case carillon::Scope::read: return "read";
    case carillon::Scope::operate: return "operate";
    case carillon::Scope::edit: return "edit";
    case carillon::Scope::execute: return "execute";
    case carillon::Scope::administer: return "administer";
    case carillon::Scope::work: return "work";
  }
  return "";
}

}  // namespace

int main() {
  std::string_view separator;
  fmt::print(R"({{"routes":[)");
  for (const carillon::rest::Route& route : carillon::rest::routes()) {
    const carillon::Operation& operation = carillon::operation_of(route.operation);
    fmt::print(R"({}{{"method":"{}","path":"{}","scope":"{}","operation":"{}","hasDryRun":{},"hasBody":{}}})",
               separator, carillon::rest::word_of(route.method), route.pattern, scope_word(operation.scope),
               operation.name, operation.has_dry_run, route.body != carillon::rest::BodyKind::none);
    separator = ",";
  }
  fmt::print(R"(],"description":{}}})", carillon::rest::openapi_text());
}
