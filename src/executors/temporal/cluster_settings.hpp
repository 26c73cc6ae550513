#pragma once

#include "document/reader.hpp"

#include <boost/json/value.hpp>

#include <optional>
#include <string>
#include <vector>

namespace carillon::workflows {

/// How the connection to a cluster is protected. Files are read when the server starts.
struct ClusterTls {
  std::string ca_file{};           // who may have signed the cluster's certificate; empty: whom this machine trusts
  std::string certificate_file{};  // ours; empty: none
  std::string key_file{};
  std::string server_name{};  // in the cluster's certificate; empty: the host of its address
  friend bool operator==(const ClusterTls&, const ClusterTls&) = default;
};

/// A Temporal cluster, or a namespace of one, that workflows are started on.
struct ClusterSettings {
  std::string name;
  std::string host{};
  std::string port{};
  std::string name_space{"default"};
  std::optional<ClusterTls> tls{};  // none: without
  std::string web{};                // where people look at its workflows: https://…; empty: not known
  std::string api_key{};            // a reference, never the key: `${secret:name}`; empty: none
  std::string callback_url{};       // of this server, as the cluster reaches it; empty: it does not call back
  friend bool operator==(const ClusterSettings&, const ClusterSettings&) = default;
};

/// Reads `{main: {address: HOST:PORT, namespace: …, web: https://…, tls: {ca: …, certificate: …, key: …, serverName:
/// …}, apiKey: …, callbackUrl: …}}`. TLS is on with `tls: true`, with any member of it, and with an API key; `tls:
/// false` is without.
[[nodiscard]] std::vector<ClusterSettings> read_clusters(const boost::json::value& document, std::string pointer,
                                                         Problems& problems);

}  // namespace carillon::workflows
