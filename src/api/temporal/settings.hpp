#pragma once

#include "api/temporal/messages.hpp"
#include "document/reader.hpp"

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <temporal/enums.pb.h>

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace carillon::temporal {

/// What this server is to clients of Temporal.
struct Settings {
  std::vector<std::string> namespaces{"default"};  // that exist for them
  std::map<std::string, enums_pb::IndexedValueType, std::less<>> search_attributes{};
  /// What is done in place of a workflow, by its type; `*` is any other. Each is an action as documents have it, of
  /// which some members may be left out: see `action_for`.
  std::map<std::string, boost::json::object, std::less<>> workflows{};
  /// Clusters that workflows are started on, by their names; in the same file, but not read here.
  std::vector<std::string> clusters{};
  std::string server_version{"1.32.0"};  // of Temporal, that clients are told
  std::string carillon_version{};
};

/// Reads `{namespaces: […], searchAttributes: {Name: Keyword}, workflows: {Type: {job: {…}}}}`; `clusters` may stand
/// beside them.
[[nodiscard]] Checked<Settings> read_settings(const boost::json::value& document);

/// `Keyword`, `Int`, …; as attributes carry it.
[[nodiscard]] std::string_view type_name(enums_pb::IndexedValueType type);

}  // namespace carillon::temporal
