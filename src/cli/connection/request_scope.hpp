#pragma once

#include "cli/connection/json_view.hpp"
#include "client/client.hpp"

namespace carillon::cli {

/// The namespace of a document, so that a request about it means the same one.
[[nodiscard]] inline Query namespace_of(const JsonView& document) {
  return {{"namespace", document.text("namespace")}};
}

/// For requests about the whole server, whose addresses know no namespace: keeps that of the settings out.
[[nodiscard]] inline Query server_wide() { return {{"namespace", ""}}; }

}  // namespace carillon::cli
