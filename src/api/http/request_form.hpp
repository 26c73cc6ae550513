#pragma once

#include <optional>
#include <string_view>

namespace carillon::http {

/// The faults of single parts of a request, in words for the client; empty if there is none.
/// A target is a path with an optional query, in visible ASCII without `#`; for OPTIONS also `*`.
[[nodiscard]] std::string_view fault_of_target(std::string_view target, bool is_options);
/// A host is a name or an address (IPv6 in brackets), and may have a port.
[[nodiscard]] std::string_view fault_of_host(std::string_view host);
/// A length is nothing but digits, and few enough of them.
[[nodiscard]] std::string_view fault_of_length(std::string_view length);

/// Whether the first line of a head ends with a version of HTTP, which is then none that Beast reads.
[[nodiscard]] bool names_other_version(std::string_view head);

/// The place of a header in the list of those that may stand only once; none if it may stand more often. Below 32.
[[nodiscard]] std::optional<unsigned> single_header(std::string_view name);

/// A token as methods and header names are.
[[nodiscard]] bool is_token(std::string_view text);
/// A header's value: no control characters except tabs.
[[nodiscard]] bool is_field_value(std::string_view text);

}  // namespace carillon::http
