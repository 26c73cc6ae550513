#pragma once

#include <span>
#include <string>
#include <string_view>

namespace carillon::http {

/// Whether a server answers for the host of a `Host` header (a name or address, with or without port): it is an IP
/// address, `localhost`, or one of `allowed`, where `*` is any. A name that somebody else's DNS leads here is none.
[[nodiscard]] bool is_own_host(std::string_view host, std::span<const std::string> allowed);

}  // namespace carillon::http
