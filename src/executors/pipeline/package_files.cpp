#include "executors/pipeline/package_files.hpp"

#include "base/crypto.hpp"
#include "base/quoted.hpp"
#include "document/document.hpp"
#include "files/private_file.hpp"

#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <fcntl.h>
#include <fmt/format.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <vector>

namespace carillon::pipeline {
namespace {

namespace fs = std::filesystem;
namespace json = boost::json;

constexpr std::size_t prompt_size_max = 1024 * 1024;
constexpr std::size_t snapshot_size_max = 128 * 1024 * 1024;  // a document, four prompts and four skills, escaped
constexpr std::size_t copy_step = 256 * 1024;

/// A file beneath a folder, or nothing: neither `..` nor a link may lead out. Without O_NONBLOCK a FIFO would wait.
FileDescriptor open_beneath(int folder, const fs::path& file) {
  open_how how{};
  how.flags = O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK;
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS;
  for (;;) {
    const long opened = ::syscall(SYS_openat2, folder, file.c_str(), &how, sizeof how);
    // A rename elsewhere in the meantime makes the kernel unsure of `..`.
    if (opened >= 0 || errno != EAGAIN) return FileDescriptor{static_cast<int>(opened)};
  }
}

std::unexpected<Error> not_readable(std::string_view name, int error) {
  if (error == ENOENT || error == ENOTDIR) return fail(ErrorCode::not_found, "{} is not there", carillon::quoted(name));
  if (error == EXDEV || error == ELOOP)
    return fail(ErrorCode::invalid_argument, "{} leads out of the folder that packages may read from",
                carillon::quoted(name));
  return fail(ErrorCode::unavailable, "cannot read {}: {}", carillon::quoted(name),
              std::generic_category().message(error));
}

Result<FileDescriptor> open_regular_beneath(int folder, const fs::path& file, std::string_view name) {
  FileDescriptor opened = open_beneath(folder, file);
  if (!opened.is_open() && errno != ENXIO) return not_readable(name, errno);
  struct stat facts{};
  if (!opened.is_open() || ::fstat(opened.get(), &facts) != 0 || !S_ISREG(facts.st_mode))
    return fail(ErrorCode::invalid_argument, "{} is not a regular file", carillon::quoted(name));
  return opened;
}

/// All of a file, on disk, under a name of our own.
Result<> copy_file(int from, const fs::path& to) {
  std::error_code ignored;
  fs::remove(to, ignored);
  const FileDescriptor copy = TRY(create_private_file(to));
  std::string buffer(copy_step, '\0');
  for (std::uint64_t offset = 0;;) {
    const ssize_t count = ::pread(from, buffer.data(), buffer.size(), static_cast<off_t>(offset));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return not_readable(to.native(), errno);
    if (count == 0) break;
    TRY(write_open_file(copy.get(), to, std::string_view{buffer}.substr(0, static_cast<std::size_t>(count))));
    offset += static_cast<std::uint64_t>(count);
  }
  if (::fsync(copy.get()) != 0)
    return fail(ErrorCode::unavailable, "cannot write {}: {}", carillon::quoted(to.native()),
                std::generic_category().message(errno));
  return {};
}

bool is_bare(std::string_view name) { return name.find('/') == name.npos; }

}  // namespace

fs::path workspace_of(const fs::path& folder) {
  const fs::path above = folder.parent_path();
  return above.filename() == ".vscode" ? above.parent_path() : above;
}

Result<PackagePlace> place_of(const fs::path& path) {
  std::error_code error;
  fs::path package = fs::canonical(path, error);
  if (error) return fail(ErrorCode::not_found, "{} is not there", carillon::quoted(path.native()));
  if (!fs::is_directory(package, error)) package = package.parent_path();
  return PackagePlace{.folder = package.parent_path(), .package = package.filename(), .workspace = {}};
}

SnapshotPlace snapshot_beside(const fs::path& journal) {
  return {.texts = journal.native() + ".inputs.json", .rows = journal.native() + ".rows.csv"};
}

Result<> copy_snapshot(const SnapshotPlace& from, const SnapshotPlace& to) {
  const auto texts = TRY(read_private_file(from.texts, {.size_max = snapshot_size_max}));
  if (!texts) return {};
  std::error_code unknown;
  if (fs::exists(from.rows, unknown)) {
    const FileDescriptor rows = TRY(open_private_file(from.rows));
    TRY(copy_file(rows.get(), to.rows));
  }
  return write_private_file(to.texts, *texts);
}

PackageFiles::PackageFiles(const PackagePlace& place, std::optional<SnapshotPlace> snapshot, FileDescriptor folder)
    : place_{place},
      snapshot_{std::move(snapshot)},
      path_{(place.folder / place.package).lexically_normal()},
      folder_{std::move(folder)} {
  if (place_.workspace.empty()) place_.workspace = workspace_of(place_.folder);
}

Result<PackageFiles> PackageFiles::open(const PackagePlace& place, const std::optional<SnapshotPlace>& snapshot) {
  std::error_code error;
  PackagePlace found = place;
  found.folder = fs::canonical(place.folder, error);
  if (error) return fail(ErrorCode::not_found, "the folder {} is not there", carillon::quoted(place.folder.native()));
  FileDescriptor folder{::open(found.folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
  if (!folder.is_open()) return not_readable(place.folder.native(), errno);
  PackageFiles files{found, snapshot, std::move(folder)};
  if (snapshot) TRY(files.load_snapshot());
  return files;
}

Result<> PackageFiles::load_snapshot() {
  const auto bytes = TRY(read_private_file(snapshot_->texts, {.size_max = snapshot_size_max}));
  if (!bytes) return {};
  boost::system::error_code error;
  const json::value document = json::parse(*bytes, error, {}, {.allow_invalid_utf8 = true});
  const json::value* texts = document.is_object() ? document.get_object().if_contains("texts") : nullptr;
  if (error || texts == nullptr || !texts->is_object())
    return fail(ErrorCode::corrupt, "{} is damaged", carillon::quoted(snapshot_->texts.native()));
  for (const auto& [name, text] : texts->get_object())
    if (const auto* kept = text.if_string()) texts_.emplace(std::string{name}, std::string{*kept});
  is_kept_ = true;
  return {};
}

Result<> PackageFiles::keep() {
  if (!snapshot_ || is_kept_) return {};
  json::object texts;
  for (const auto& [name, text] : texts_) texts.emplace(name, text);
  TRY(write_private_file(snapshot_->texts, json::serialize(json::object{{"version", 1}, {"texts", std::move(texts)}})));
  is_kept_ = true;
  return {};
}

Result<std::string> PackageFiles::read_beneath(int folder, const fs::path& file, std::string_view name,
                                               std::size_t size_max) {
  std::string text;
  if (is_kept_) {
    const auto kept = texts_.find(name);
    if (kept == texts_.end()) return not_readable(name, ENOENT);
    text = kept->second;
  } else {
    const FileDescriptor opened = TRY(open_regular_beneath(folder, file, name));
    text = TRY(read_open_file(opened.get(), fs::path{name}, size_max));
    texts_.insert_or_assign(std::string{name}, text);
  }
  digests_.insert_or_assign(std::string{name}, sha256_hex(text));
  return text;
}

Result<PackageFiles::NamedText> PackageFiles::read_document() {
  for (const char* name : {"pipeline.yaml", "pipeline.yml"}) {
    auto text = read_beneath(folder_.get(), place_.package / name, name, yaml_size_max);
    if (text) return NamedText{.name = name, .text = *std::move(text)};
    if (text.error().code != ErrorCode::not_found) return std::unexpected(text.error());
  }
  return fail(ErrorCode::not_found, "{} has no pipeline.yaml", carillon::quoted(path_.native()));
}

Result<std::string> PackageFiles::read_prompt(std::string_view name) {
  std::vector<fs::path> places{place_.package / name};
  if (is_bare(name)) {
    places.push_back(place_.package / "prompts" / name);
    places.push_back(place_.package / "../prompts" / name);
  }
  for (const fs::path& file : places) {
    auto text = read_beneath(folder_.get(), file, name, prompt_size_max);
    if (text || text.error().code != ErrorCode::not_found) return text;
  }
  return fail(ErrorCode::not_found, "Prompt file not found: {}", name);
}

Result<std::string> PackageFiles::read_skill(std::string_view name) {
  if (name.empty()) return fail(ErrorCode::invalid_argument, "Skill name must be a non-empty string");
  if (name.find_first_of("/\\") != name.npos || name.find("..") != name.npos || name == ".")
    return fail(ErrorCode::invalid_argument,
                "Invalid skill name \"{}\": skill names cannot contain path separators or \"..\"", name);
  const FileDescriptor workspace{::open(place_.workspace.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
  if (!workspace.is_open() && !is_kept_) return not_readable(place_.workspace.native(), errno);
  const fs::path skills = ".github/skills";
  auto text = read_beneath(workspace.get(), skills / name / "SKILL.md", fmt::format("skill {}", name), prompt_size_max);
  if (text || text.error().code != ErrorCode::not_found) return text;
  const fs::path folder = place_.workspace / skills / name;
  std::error_code unknown;
  if (fs::is_directory(folder, unknown))
    return fail(ErrorCode::not_found, "Skill \"{}\" is missing SKILL.md. Expected: {}", name,
                (folder / "SKILL.md").native());
  return fail(ErrorCode::not_found, "Skill \"{}\" not found. Expected directory: {}\nSkills should be located in: {}",
              name, folder.native(), (place_.workspace / skills).native());
}

Result<FileDescriptor> PackageFiles::open_csv(std::string_view path) {
  if (is_kept_) return open_private_file(snapshot_->rows);
  FileDescriptor live = TRY(open_live_csv(path));
  if (!snapshot_) return live;
  TRY(copy_file(live.get(), snapshot_->rows));
  return open_private_file(snapshot_->rows);
}

Result<FileDescriptor> PackageFiles::open_live_csv(std::string_view path) {
  const fs::path wanted{path};
  // An absolute path may name what lies beneath the folder.
  const fs::path absolute = (path_ / wanted).lexically_normal();
  const fs::path file = wanted.is_absolute() ? absolute.lexically_relative(place_.folder) : place_.package / wanted;
  auto opened = open_regular_beneath(folder_.get(), file, path);
  if (!opened && opened.error().code == ErrorCode::not_found)
    return fail(ErrorCode::not_found, "CSV file not found: {}", absolute.native());
  struct stat facts{};
  if (opened && ::fstat(opened->get(), &facts) == 0 && static_cast<std::uint64_t>(facts.st_size) > csv_size_max)
    return fail(ErrorCode::invalid_argument, "{} has more than {} bytes", carillon::quoted(path), csv_size_max);
  return opened;
}

}  // namespace carillon::pipeline
