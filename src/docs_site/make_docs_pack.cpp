// make_docs_pack ROOT PACK DEPENDENCIES: part of the build. Renders the documentation below ROOT into the file PACK,
// and writes what it has read to DEPENDENCIES, in the form of a makefile.
#include "docs_site/pack.hpp"
#include "docs_site/site.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <span>
#include <string>
#include <vector>

namespace carillon::docs_site {
namespace {

namespace fs = std::filesystem;

class Reader {
 public:
  explicit Reader(fs::path root) : root_{std::move(root)} {}

  SiteSources read() {
    SiteSources sources{.pages = {},
                        .images = {},
                        .description = bytes_of(root_ / "contracts/openapi.yaml"),
                        .style = bytes_of(root_ / "src/docs_site/style.css")};
    for (const char* name : {"ARCHITECTURE.md", "CHANGELOG.md", "CONTRIBUTING.md", "ROADMAP.md", "SECURITY.md"})
      sources.pages.push_back(file_at(root_ / name));
    read_folder(root_ / "docs", sources);
    std::ranges::sort(sources.pages, {}, &SourceFile::path);
    std::ranges::sort(sources.images, {}, &SourceFile::path);
    return sources;
  }

  [[nodiscard]] const std::vector<std::string>& dependencies() const { return dependencies_; }

 private:
  std::string bytes_of(const fs::path& path) {
    dependencies_.push_back(path.string());
    std::ifstream file{path, std::ios::binary};
    return {std::istreambuf_iterator<char>{file}, {}};
  }

  SourceFile file_at(const fs::path& path) {
    return {.path = fs::relative(path, root_).generic_string(), .bytes = bytes_of(path)};
  }

  // A folder changes when a file comes or goes.
  void read_folder(const fs::path& folder, SiteSources& sources) {
    dependencies_.push_back(folder.string());
    for (const fs::directory_entry& entry : fs::directory_iterator{folder}) {
      if (entry.is_directory()) read_folder(entry.path(), sources);
      if (entry.path().extension() == ".md") sources.pages.push_back(file_at(entry.path()));
      if (entry.path().extension() == ".png") sources.images.push_back(file_at(entry.path()));
    }
  }

  fs::path root_;
  std::vector<std::string> dependencies_;
};

bool write_file(const fs::path& path, const std::string& bytes) {
  std::ofstream file{path, std::ios::binary};
  file << bytes;
  return file.flush().good();
}

int make(std::span<char* const> arguments) {
  Reader reader{arguments[1]};
  const auto files = build_site(reader.read());
  if (!files) {
    fmt::print(stderr, "make_docs_pack: {}\n", files.error().message);
    return 1;
  }
  std::string rule = std::string{arguments[2]} + ":";
  for (const std::string& path : reader.dependencies()) rule += " \\\n  " + path;
  return write_file(arguments[2], pack_of(*files)) && write_file(arguments[3], rule + "\n") ? 0 : 1;
}

}  // namespace
}  // namespace carillon::docs_site

int main(int count, char** arguments) {
  if (count != 4) {
    fmt::print(stderr, "usage: make_docs_pack ROOT PACK DEPENDENCIES\n");
    return 2;
  }
  return carillon::docs_site::make({arguments, static_cast<std::size_t>(count)});
}
