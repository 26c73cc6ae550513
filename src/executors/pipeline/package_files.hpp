#pragma once

#include "base/error.hpp"
#include "files/file_descriptor.hpp"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace carillon::pipeline {

inline constexpr std::uint64_t csv_size_max = std::uint64_t{1} << 30;

/// Where a package lies.
struct PackagePlace {
  std::filesystem::path folder;     // of pipelines: nothing outside it is read but skills
  std::filesystem::path package;    // below it, relative
  std::filesystem::path workspace;  // skills are in its .github/skills; empty: as workspace_of says
};

/// The workspace of a folder of pipelines: what holds `.vscode/pipelines`, or `pipelines`.
[[nodiscard]] std::filesystem::path workspace_of(const std::filesystem::path& folder);

/// The place of a package that is named alone, as on a command line: its folder, or its pipeline.yaml.
[[nodiscard]] Result<PackagePlace> place_of(const std::filesystem::path& path);

/// Where the files of a run are kept as its first attempt found them, beside its journal.
struct SnapshotPlace {
  std::filesystem::path texts;  // the document, prompts and skills in one file; it is written last
  std::filesystem::path rows;   // the CSV file, if there is one
};
[[nodiscard]] SnapshotPlace snapshot_beside(const std::filesystem::path& journal);

/// Gives another run the files that one has begun with; fine if that one has none.
[[nodiscard]] Result<> copy_snapshot(const SnapshotPlace& from, const SnapshotPlace& to);

/// The files of one package. Files are opened beneath the folder of pipelines, skills beneath the workspace: a path may
/// go up and links may be followed, as long as they stay there. Only regular files are read, and none that is larger
/// than its kind may be. Remembers a digest of all that was read. One thread's.
///
/// With a place for a snapshot, all that is read is kept there, and read from there once it has been kept: whoever
/// edits a package changes its next run, and none that has begun.
class PackageFiles {
 public:
  [[nodiscard]] static Result<PackageFiles> open(const PackagePlace& place,
                                                 const std::optional<SnapshotPlace>& snapshot = {});

  /// To be called when all that a run needs has been read: from now on its attempts read the snapshot.
  [[nodiscard]] Result<> keep();

  /// The pipeline.yaml, or pipeline.yml, and its name.
  struct NamedText {
    std::string name;
    std::string text;
  };
  [[nodiscard]] Result<NamedText> read_document();

  /// A prompt file. A bare name is looked for in the package, in its `prompts` and in `../prompts`; others are relative
  /// to the package. Error: "Prompt file not found: sub/none.md".
  [[nodiscard]] Result<std::string> read_prompt(std::string_view name);

  /// The guidance of a skill, `.github/skills/NAME/SKILL.md` of the workspace.
  [[nodiscard]] Result<std::string> read_skill(std::string_view name);

  /// Opens a CSV file of at most csv_size_max bytes. Error: "CSV file not found: /…/none.csv".
  [[nodiscard]] Result<FileDescriptor> open_csv(std::string_view path);
  /// Notes the digest of what was read elsewhere.
  void note_digest(std::string_view name, std::string digest) { digests_.insert_or_assign(std::string{name}, digest); }

  /// The folder of the package.
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  /// Digests of what was read so far, by name.
  [[nodiscard]] const std::map<std::string, std::string, std::less<>>& digests() const { return digests_; }

 private:
  PackageFiles(const PackagePlace& place, std::optional<SnapshotPlace> snapshot, FileDescriptor folder);

  [[nodiscard]] Result<std::string> read_beneath(int folder, const std::filesystem::path& file, std::string_view name,
                                                 std::size_t size_max);
  [[nodiscard]] Result<> load_snapshot();
  [[nodiscard]] Result<FileDescriptor> open_live_csv(std::string_view path);

  PackagePlace place_;
  std::optional<SnapshotPlace> snapshot_;
  bool is_kept_ = false;                                   // files are read from the snapshot
  std::map<std::string, std::string, std::less<>> texts_;  // that are in the snapshot, or will be
  std::filesystem::path path_;
  FileDescriptor folder_;
  std::map<std::string, std::string, std::less<>> digests_;
};

}  // namespace carillon::pipeline
