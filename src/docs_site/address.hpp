#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace carillon::docs_site {

/// The address of a page below that of the server, without a slash before it, from its path in the repository:
/// `docs/how-to/x.md` is `docs/how-to/x`, `docs/reference/lint/README.md` is `docs/reference/lint`, and `ROADMAP.md` is
/// `docs/project/roadmap`.
[[nodiscard]] std::string address_of(std::string_view path);

/// The way from one address to another, as a relative reference; so the pages work below any prefix. An empty `to` is
/// the address of the server itself.
[[nodiscard]] std::string way(std::string_view from, std::string_view to);

/// The path that a link in a file leads to, without its anchor: `../x.md` in `docs/how-to/y.md` is `docs/x.md`. None if
/// it leads out of the repository.
[[nodiscard]] std::optional<std::string> linked_path(std::string_view file, std::string_view link);

}  // namespace carillon::docs_site
