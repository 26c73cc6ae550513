#pragma once

#include "base/error.hpp"

#include <map>
#include <string>
#include <string_view>

namespace carillon::pages {

/// One file of the built pages. Views into the pack, which outlives it.
struct PageFile {
  std::string_view type;  // media type
  std::string_view tag;   // changes with the content
  std::string_view plain;
  std::string_view gzip;  // the same, compressed; empty where that would not be smaller
};

/// The files of the built pages by their paths below the address of the server, without a slash before them:
/// `index.html`, `assets/main-8f3a.js`, `docs/tutorial`.
using PageFiles = std::map<std::string_view, PageFile, std::less<>>;

/// Reads a pack as `dashboard/tools/pack.mjs` and `docs_site/pack.hpp` write it. An empty pack has no files: the pages
/// were not built.
[[nodiscard]] Result<PageFiles> read_pack(std::string_view pack);

/// The packs that were built into this program: the dashboard, and the documentation.
[[nodiscard]] std::string_view built_in_pack();
[[nodiscard]] std::string_view built_in_docs_pack();

/// The files of both.
[[nodiscard]] PageFiles built_in_files();

}  // namespace carillon::pages
