#include "executors/pipeline/package_files.hpp"

#include "files/private_file.hpp"
#include "support/temporary_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sys/stat.h>

#include <string>

namespace carillon::pipeline {
namespace {

using testing::HasSubstr;

struct APackage : testing::Test {
  APackage() { folder.write("root/.vscode/pipelines/pkg/pipeline.yaml", "name: p\n"); }

  void write(const std::string& name, std::string_view text) { folder.write("root/.vscode/pipelines/" + name, text); }
  [[nodiscard]] PackageFiles files() const {
    return PackageFiles::open({.folder = pipelines, .package = "pkg", .workspace = {}}).value();
  }
  [[nodiscard]] Result<std::string> csv(const std::string& path) const {
    PackageFiles package = files();
    const FileDescriptor file = TRY(package.open_csv(path));
    return read_open_file(file.get(), path, 1024);
  }

  TemporaryFolder folder;
  const std::filesystem::path pipelines = std::filesystem::canonical(folder.path()) / "root/.vscode/pipelines";
};

TEST_F(APackage, finds_a_bare_prompt_in_the_package_then_in_its_prompts_then_in_the_shared_ones) {
  write("prompts/ask.md", "third");
  EXPECT_EQ(files().read_prompt("ask.md"), "third");
  write("pkg/prompts/ask.md", "second");
  EXPECT_EQ(files().read_prompt("ask.md"), "second");
  write("pkg/ask.md", "own");
  EXPECT_EQ(files().read_prompt("ask.md"), "own");
}

TEST_F(APackage, looks_for_a_prompt_with_a_separator_in_one_place_alone) {
  write("pkg/prompts/sub/ask.md", "elsewhere");

  EXPECT_EQ(files().read_prompt("sub/ask.md").error().message, "Prompt file not found: sub/ask.md");
}

TEST_F(APackage, says_which_csv_file_is_missing) {
  EXPECT_EQ(csv("none.csv").error().message, "CSV file not found: " + (pipelines / "pkg/none.csv").string());
}

TEST_F(APackage, reads_from_neighbours_beneath_the_folder_of_pipelines) {
  write("shared/in.csv", "a\n1\n");
  std::filesystem::create_symlink("../shared/in.csv", pipelines / "pkg/linked.csv");

  EXPECT_EQ(csv("../shared/in.csv"), "a\n1\n");
  EXPECT_EQ(csv((pipelines / "shared/in.csv").string()), "a\n1\n");
  EXPECT_EQ(csv("linked.csv"), "a\n1\n");
}

TEST_F(APackage, reads_nothing_outside_the_folder_of_pipelines) {
  folder.write("root/secret.csv", "a\nsecret\n");
  std::filesystem::create_symlink(folder.path() / "root/secret.csv", pipelines / "pkg/linked.csv");

  EXPECT_THAT(csv("../../../secret.csv").error().message, HasSubstr("leads out of the folder"));
  EXPECT_THAT(csv("/etc/passwd").error().message, HasSubstr("leads out of the folder"));
  EXPECT_THAT(csv("linked.csv").error().message, HasSubstr("leads out of the folder"));
  EXPECT_THAT(files().read_prompt("../../../secret.csv").error().message, HasSubstr("leads out of the folder"));
}

TEST_F(APackage, reads_regular_files_alone) {
  ASSERT_EQ(::mkfifo((pipelines / "pkg/pipe.csv").c_str(), 0600), 0);
  std::filesystem::create_directory(pipelines / "pkg/folder.md");

  EXPECT_THAT(csv("pipe.csv").error().message, HasSubstr("not a regular file"));
  EXPECT_THAT(files().read_prompt("folder.md").error().message, HasSubstr("not a regular file"));
}

TEST_F(APackage, refuses_a_prompt_that_is_too_large) {
  write("pkg/huge.md", std::string(1024 * 1024 + 1, 'x'));

  EXPECT_THAT(files().read_prompt("huge.md").error().message, HasSubstr("more than 1048576 bytes"));
}

TEST_F(APackage, finds_skills_in_the_workspace_by_a_plain_name) {
  folder.write("root/.github/skills/review/SKILL.md", "be kind");

  EXPECT_EQ(files().read_skill("review"), "be kind");
  EXPECT_FALSE(files().read_skill("../review"));
}

TEST_F(APackage, says_where_it_has_looked_for_a_skill) {
  const std::string skills = (std::filesystem::canonical(folder.path()) / "root/.github/skills").string();
  std::filesystem::create_directories(skills + "/empty");

  EXPECT_EQ(files().read_skill("none").error().message, "Skill \"none\" not found. Expected directory: " + skills +
                                                            "/none\nSkills should be located in: " + skills);
  EXPECT_EQ(files().read_skill("empty").error().message,
            "Skill \"empty\" is missing SKILL.md. Expected: " + skills + "/empty/SKILL.md");
}

TEST_F(APackage, takes_pipeline_yml_where_there_is_no_yaml) {
  EXPECT_EQ(files().read_document()->name, "pipeline.yaml");
  std::filesystem::rename(pipelines / "pkg/pipeline.yaml", pipelines / "pkg/pipeline.yml");
  EXPECT_EQ(files().read_document()->name, "pipeline.yml");
}

TEST_F(APackage, remembers_what_it_has_read_by_digests_that_change_with_the_file) {
  write("pkg/ask.md", "one");
  PackageFiles before = files();
  ASSERT_TRUE(before.read_prompt("ask.md"));
  write("pkg/ask.md", "two");
  PackageFiles after = files();
  ASSERT_TRUE(after.read_prompt("ask.md"));

  EXPECT_NE(before.digests(), after.digests());
}

TEST_F(APackage, is_named_by_its_folder_or_its_document) {
  EXPECT_EQ(place_of(pipelines / "pkg")->folder, pipelines);
  EXPECT_EQ(place_of(pipelines / "pkg/pipeline.yaml")->package, "pkg");
  EXPECT_FALSE(place_of(pipelines / "none"));
}

}  // namespace
}  // namespace carillon::pipeline
