#include "service/caller.hpp"

#include "base/quoted.hpp"

namespace carillon {

Served<NamespaceId> Caller::namespace_of(const std::optional<std::string>& named) const {
  if (!named) return name_space ? *name_space : NamespaceId::parse("default").value();
  NamespaceId wanted = TRY(NamespaceId::parse(*named));
  if (!knows(wanted)) return refuse(Refusal::Kind::not_found, "not_found", "namespace {} not found", quoted(*named));
  return wanted;
}

Served<std::optional<std::string>> Caller::namespace_to_list(const std::optional<std::string>& named) const {
  if (!named && !name_space) return std::nullopt;
  return TRY(namespace_of(named)).text();
}

Served<> Caller::expect_all_namespaces() const {
  if (!name_space) return {};
  return refuse(Refusal::Kind::forbidden, "forbidden", "this token is bound to one namespace");
}

}  // namespace carillon
