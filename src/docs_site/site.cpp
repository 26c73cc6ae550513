#include "docs_site/site.hpp"

#include "base/crypto.hpp"
#include "docs_site/address.hpp"
#include "docs_site/api_pages.hpp"
#include "docs_site/html_text.hpp"
#include "docs_site/markdown.hpp"
#include "docs_site/page_frame.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

namespace carillon::docs_site {
namespace {

constexpr std::string_view html_type = "text/html; charset=utf-8";

/// A page that is rendered, but has no frame yet.
struct RenderedPage {
  std::string address;
  MarkdownPage content;
};

std::string folder_of(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return std::string{path.substr(0, slash == std::string_view::npos ? 0 : slash)};
}

std::string asset_path(std::string_view name, std::string_view ending, std::string_view bytes) {
  return fmt::format("docs/assets/{}-{}{}", name, sha256_hex(bytes).substr(0, 12), ending);
}

bool is_outside(std::string_view link) {
  return link.starts_with("https:") || link.starts_with("http:") || link.starts_with("mailto:");
}

/// The word for a folder of pages, as the list of the documentation has it.
std::string group_name(std::string_view folder) {
  static const std::map<std::string_view, std::string_view> names{
      {"docs", "Tutorials"},
      {"docs/how-to", "How-to"},
      {"docs/reference", "Reference"},
      {"docs/reference/reasons", "Reasons"},
      {"docs/reference/lint", "What lint finds"},
      {"docs/explanation", "Explanation"},
      {"docs/formats", "Formats"},
      {"docs/decisions", "Decisions"},
      {"docs/project", "The project"},
      {"docs/api", "API"},
  };
  const auto known = names.find(folder);
  return std::string{known == names.end() ? folder : known->second};
}

class SiteBuilder {
 public:
  explicit SiteBuilder(const SiteSources& sources) : sources_{sources} {}

  Result<std::vector<SiteFile>> build() {
    add_assets();
    for (const SourceFile& source : sources_.pages) addresses_[source.path] = address_of(source.path);
    for (const SourceFile& source : sources_.pages)
      pages_.push_back({.address = address_of(source.path), .content = render(source)});
    const std::vector<ApiPage> api = TRY(render_api(sources_.description));
    for (const ApiPage& page : api) pages_.push_back({.address = page.address, .content = page.content});
    if (!problems_.empty())
      return fail(ErrorCode::invalid_argument, "{} links lead nowhere: {}", problems_.size(), problems_.front());
    TRY(check_anchors());
    for (const RenderedPage& page : pages_) add(page.address, html_type, frame(page));
    return std::move(files_);
  }

 private:
  void add(std::string path, std::string_view type, std::string bytes) {
    files_.push_back({.path = std::move(path), .type = std::string{type}, .bytes = std::move(bytes)});
  }

  void add_assets() {
    style_ = asset_path("style", ".css", sources_.style);
    add(style_, "text/css; charset=utf-8", sources_.style);
    for (const SourceFile& image : sources_.images) {
      const std::string name = image.path.substr(image.path.rfind('/') + 1);
      const std::string path = asset_path(name.substr(0, name.rfind('.')), ".png", image.bytes);
      addresses_[image.path] = path;
      add(path, "image/png", image.bytes);
    }
  }

  MarkdownPage render(const SourceFile& source) {
    const std::string address = address_of(source.path);
    return render_markdown(source.bytes, [&](std::string_view link) -> std::optional<std::string> {
      if (is_outside(link)) return std::string{link};
      const auto path = linked_path(source.path, link);
      const std::size_t hash = link.find('#');
      const std::string anchor{hash == std::string_view::npos ? "" : link.substr(hash)};
      const auto known = path ? addresses_.find(*path) : addresses_.end();
      if (known == addresses_.end()) {
        if (path && path->starts_with("docs/")) problems_.push_back(fmt::format("{} to {}", source.path, link));
        return std::nullopt;
      }
      if (!anchor.empty()) anchors_.push_back({.from = source.path, .to = known->second, .anchor = anchor.substr(1)});
      return known->second == address && !anchor.empty() ? anchor : way(address, known->second) + anchor;
    });
  }

  Result<> check_anchors() const {
    for (const AnchorUse& use : anchors_) {
      const auto page = std::ranges::find(pages_, use.to, &RenderedPage::address);
      const bool is_there = page != pages_.end() && std::ranges::find(page->content.headings, use.anchor,
                                                                      &Heading::anchor) != page->content.headings.end();
      if (!is_there)
        return fail(ErrorCode::invalid_argument, "{} links to the heading #{} of {}, which is not there", use.from,
                    use.anchor, use.to);
    }
    return {};
  }

  /// The pages above this one: those at the begin of its address.
  std::vector<FrameLink> path_to(std::string_view address) const {
    std::vector<FrameLink> path;
    for (std::string above = folder_of(address); !above.empty(); above = folder_of(above))
      if (const auto page = std::ranges::find(pages_, above, &RenderedPage::address); page != pages_.end())
        path.insert(path.begin(), {.address = above, .html = escaped(page->content.title)});
    return path;
  }

  std::vector<FrameLink> beside(std::string_view folder) const {
    std::vector<FrameLink> links;
    for (const RenderedPage& page : pages_)
      if (folder_of(page.address) == folder)
        links.push_back({.address = page.address, .html = escaped(page.content.title)});
    return links;
  }

  std::string frame(const RenderedPage& page) const {
    // A page with pages below it shows those.
    auto links = beside(page.address);
    std::string folder = page.address;
    if (links.empty() || page.address == "docs") {
      folder = folder_of(page.address);
      links = beside(folder);
    }
    Frame frame{.address = page.address,
                .title = page.content.title,
                .style = style_,
                .path = path_to(page.address),
                .on_page = {},
                .group = group_name(folder),
                .beside = folder.empty() ? std::vector<FrameLink>{} : std::move(links)};
    for (const Heading& heading : page.content.headings)
      if (heading.level == 2) frame.on_page.push_back({.address = "#" + heading.anchor, .html = escaped(heading.text)});
    return framed(frame, page.content.html);
  }

  struct AnchorUse {
    std::string from;
    std::string to;
    std::string anchor;
  };

  const SiteSources& sources_;
  std::string style_;
  std::map<std::string, std::string, std::less<>> addresses_;  // of what is served, by path in the repository
  std::vector<RenderedPage> pages_;
  std::vector<std::string> problems_;
  std::vector<AnchorUse> anchors_;
  std::vector<SiteFile> files_;
};

}  // namespace

Result<std::vector<SiteFile>> build_site(const SiteSources& sources) { return SiteBuilder{sources}.build(); }

}  // namespace carillon::docs_site
