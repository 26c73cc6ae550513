#include "executors/temporal/cluster_settings.hpp"

#include "base/ids.hpp"
#include "base/quoted.hpp"
#include "definitions/secret_references.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace carillon::workflows {
namespace {

namespace json = boost::json;

std::string text_member(ObjectReader& reader, std::string_view key) {
  return std::string{reader.text(key).value_or("")};
}

void read_address(ObjectReader& reader, ClusterSettings& cluster) {
  const std::string address = text_member(reader, "address");
  const std::size_t colon = address.rfind(':');
  const bool has_port = colon != address.npos && colon > 0 && colon + 1 < address.size() &&
                        std::ranges::all_of(address.substr(colon + 1), [](char c) { return c >= '0' && c <= '9'; });
  if (!has_port)
    return reader.problem("address", "invalid-address", fmt::format("{} is no address of a cluster", quoted(address)),
                          "write address: temporal.example.com:7233");
  cluster.host = address.substr(0, colon);
  if (cluster.host.starts_with('[') && cluster.host.ends_with(']'))
    cluster.host = cluster.host.substr(1, cluster.host.size() - 2);
  cluster.port = address.substr(colon + 1);
}

void read_callback_url(ObjectReader& reader, ClusterSettings& cluster) {
  std::string url = text_member(reader, "callbackUrl");
  if (url.empty()) return;
  while (url.ends_with('/')) url.pop_back();
  const std::size_t host = url.starts_with("https://") ? 8 : url.starts_with("http://") ? 7 : url.npos;
  const bool has_host = host != url.npos && url.size() > host;
  if (!has_host || url.find_first_of(" ?#\"") != url.npos)
    return reader.problem("callbackUrl", "invalid-address", fmt::format("{} is no address of a server", quoted(url)),
                          "write callbackUrl: https://carillon.example.com:7070, as the cluster reaches this server");
  cluster.callback_url = std::move(url);
}

void read_cluster_tls(ObjectReader& reader, ClusterSettings& cluster, Problems& problems) {
  const json::value* tls = reader.member("tls");
  if (tls == nullptr) {
    if (!cluster.api_key.empty()) cluster.tls.emplace();
    return;
  }
  if (tls->is_bool()) {
    if (tls->get_bool()) cluster.tls.emplace();
    return;
  }
  ObjectReader members{*tls, reader.pointer("tls"), problems};
  cluster.tls = ClusterTls{.ca_file = text_member(members, "ca"),
                           .certificate_file = text_member(members, "certificate"),
                           .key_file = text_member(members, "key"),
                           .server_name = text_member(members, "serverName")};
  if (cluster.tls->certificate_file.empty() != cluster.tls->key_file.empty())
    members.problem("certificate", "missing", "a client certificate needs both certificate and key",
                    "write certificate: FILE and key: FILE");
  members.finish();
}

ClusterSettings read_cluster(std::string_view name, const json::value& document, std::string pointer,
                             Problems& problems) {
  ClusterSettings cluster{.name = std::string{name}};
  ObjectReader reader{document, std::move(pointer), problems};
  read_address(reader, cluster);
  if (const auto name_space = reader.text("namespace")) cluster.name_space = *name_space;
  cluster.web = text_member(reader, "web");
  while (cluster.web.ends_with('/')) cluster.web.pop_back();
  if (!cluster.web.empty() && !cluster.web.starts_with("https://") && !cluster.web.starts_with("http://"))
    reader.problem("web", "invalid-address", fmt::format("{} is no address of a web page", quoted(cluster.web)),
                   "write web: https://temporal.example.com");
  cluster.api_key = text_member(reader, "apiKey");
  // Without the text: it may well be the key.
  if (!cluster.api_key.empty() && !parse_reference(cluster.api_key))
    reader.problem("apiKey", "plain-secret", "apiKey is not a reference to a secret",
                   "write ${env:NAME}, ${file:path} or ${secret:name}; the key itself is never written here");
  read_cluster_tls(reader, cluster, problems);
  read_callback_url(reader, cluster);
  reader.finish();
  return cluster;
}

}  // namespace

std::vector<ClusterSettings> read_clusters(const json::value& document, std::string pointer, Problems& problems) {
  std::vector<ClusterSettings> clusters;
  ObjectReader reader{document, pointer, problems};
  const json::object* const object = document.if_object();
  for (const auto& entry : object == nullptr ? json::object{} : *object) {
    const json::value* member = reader.member(entry.key());
    if (!is_id_text(entry.key())) reader.problem(entry.key(), detail::bad_id("cluster", entry.key()));
    if (member != nullptr)
      clusters.push_back(read_cluster(entry.key(), *member, reader.pointer(entry.key()), problems));
    else
      reader.problem(entry.key(), "missing", "the cluster is empty", "write {address: HOST:PORT}");
  }
  reader.finish();
  return clusters;
}

}  // namespace carillon::workflows
