#include "packages/package_folder.hpp"

#include "support/temporary_folder.hpp"

#include <gmock/gmock.h>

namespace carillon::packages {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;
namespace fs = std::filesystem;

constexpr std::string_view daily = R"(name: "Daily Bug Report"
schedule:
  cron: "0 9 * * *"
  timezone: "America/New_York"

input:
  from: { type: csv, path: "bugs.csv" }
map:
  prompt: "Categorize: {{title}}"
  output: [severity, category]
reduce:
  type: json
)";

constexpr std::string_view unscheduled = R"(name: By hand
input:
  items: [{a: 1}]
map: {prompt: "{{a}}"}
reduce: {type: list}
)";

constexpr std::string_view nightly = "id: nightly\ncron: '0 2 * * *'\ncommand: [/bin/true]\n";

class PackageFolderTest : public ::testing::Test {
 protected:
  FolderContents read(WatchedFiles which = WatchedFiles::packages, const FolderScope& scope = {}) const {
    return PackageFolder{folder_.path(), {.which = which, .default_timezone = "Europe/Berlin"}}.read(scope);
  }
  static std::vector<std::string> files_of(const FolderContents& contents) {
    std::vector<std::string> files;
    for (const FiledSchedule& filed : contents.schedules) files.push_back(filed.file);
    return files;
  }
  static std::vector<std::string> faults_of(const FolderContents& contents) {
    std::vector<std::string> texts;
    for (const pipeline::FileFault& fault : contents.faults) texts.push_back(text_of(fault));
    return texts;
  }

  TemporaryFolder folder_;
};

TEST_F(PackageFolderTest, a_package_with_a_schedule_is_a_schedule_that_runs_it) {
  folder_.write("team/daily-report/pipeline.yaml", daily);

  const FolderContents contents = read();

  EXPECT_THAT(faults_of(contents), IsEmpty());
  ASSERT_EQ(contents.schedules.size(), 1U);
  const FiledSchedule& filed = contents.schedules.front();
  EXPECT_EQ(filed.package, "team/daily-report");
  EXPECT_THAT(filed.document.id.text(), StartsWith("team-daily-report-"));
  EXPECT_EQ(filed.document.name, "Daily Bug Report");
  EXPECT_EQ(filed.document.labels.at("carillon.managed-by"), "file:team/daily-report/pipeline.yaml");
  EXPECT_EQ(std::get<PipelineAction>(filed.document.action).path, "team/daily-report");
  EXPECT_EQ(filed.document.spec.timezone, "America/New_York");
}

TEST_F(PackageFolderTest, a_package_without_a_schedule_is_counted_and_defines_nothing) {
  folder_.write("by-hand/pipeline.yaml", unscheduled);

  const FolderContents contents = read();

  EXPECT_THAT(faults_of(contents), IsEmpty());
  EXPECT_THAT(files_of(contents), IsEmpty());
  EXPECT_EQ(contents.package_count, 1U);
}

TEST_F(PackageFolderTest, packages_lie_at_any_depth_and_hidden_folders_are_passed_over) {
  for (const char* file :
       {"pipeline.yaml", "a/pipeline.yml", "a/b/c/pipeline.yaml", ".git/pipeline.yaml", "a/.results/pipeline.yaml",
        ".carillon/pipeline.yaml", "node_modules/x/pipeline.yaml", "a/old-pipeline.yaml"})
    folder_.write(file, daily);

  EXPECT_THAT(files_of(read()), ElementsAre("pipeline.yaml", "a/pipeline.yml", "a/b/c/pipeline.yaml"));
}

TEST_F(PackageFolderTest, files_of_schedules_count_where_they_are_asked_for_and_not_in_packages) {
  folder_.write("daily/pipeline.yaml", daily);
  folder_.write("daily/other.yaml", "not: a schedule");
  folder_.write("jobs/nightly.yaml", nightly);

  EXPECT_THAT(files_of(read(WatchedFiles::packages_and_schedules)),
              ElementsAre("daily/pipeline.yaml", "jobs/nightly.yaml"));
  EXPECT_THAT(files_of(read(WatchedFiles::packages)), ElementsAre("daily/pipeline.yaml"));
}

TEST_F(PackageFolderTest, a_fault_has_its_place_and_keeps_the_whole_file_out) {
  folder_.write("broken/pipeline.yaml", std::string{daily}.replace(daily.find("0 9"), 3, "0 99"));
  folder_.write("jobs.yaml",
                "schedules:\n  - {id: a, cron: '61 * * * *', command: [x]}\n  - {id: b, every: 1h, command: [x]}\n");

  const FolderContents contents = read(WatchedFiles::packages_and_schedules);

  EXPECT_THAT(files_of(contents), IsEmpty());
  ASSERT_EQ(contents.faults.size(), 2U);
  EXPECT_THAT(faults_of(contents), ElementsAre(StartsWith("jobs.yaml:2:"), StartsWith("broken/pipeline.yaml:3:")));
  EXPECT_TRUE(contents.has_fault("broken/pipeline.yaml"));
  EXPECT_FALSE(contents.has_fault("daily/pipeline.yaml"));
}

TEST_F(PackageFolderTest, an_id_that_two_files_define_is_a_fault_of_the_second) {
  folder_.write("a.yaml", nightly);
  folder_.write("b.yaml", nightly);

  const FolderContents contents = read(WatchedFiles::packages_and_schedules);

  EXPECT_THAT(files_of(contents), ElementsAre("a.yaml"));
  EXPECT_THAT(faults_of(contents),
              ElementsAre("b.yaml: schedule nightly stands in a.yaml already (give it another id)"));
}

TEST_F(PackageFolderTest, nothing_outside_is_read) {
  TemporaryFolder outside;
  outside.write("pipeline.yaml", daily);
  fs::create_directory(folder_.path() / "a");
  fs::create_symlink(outside.path() / "pipeline.yaml", folder_.path() / "a/pipeline.yaml");
  fs::create_symlink(outside.path(), folder_.path() / "b");

  const FolderContents contents = read();

  EXPECT_THAT(files_of(contents), IsEmpty());
  EXPECT_THAT(faults_of(contents), ElementsAre(HasSubstr("leads out of the folder")));
}

TEST_F(PackageFolderTest, a_scope_is_read_alone) {
  folder_.write("a/pipeline.yaml", daily);
  folder_.write("a/b/pipeline.yaml", daily);
  folder_.write("c/pipeline.yaml", daily);

  EXPECT_THAT(files_of(read(WatchedFiles::packages, {.folder = "a", .is_recursive = false})),
              ElementsAre("a/pipeline.yaml"));
  EXPECT_THAT(files_of(read(WatchedFiles::packages, {.folder = "a", .is_recursive = true})),
              ElementsAre("a/pipeline.yaml", "a/b/pipeline.yaml"));
  EXPECT_THAT(files_of(read(WatchedFiles::packages, {.folder = "none", .is_recursive = true})), IsEmpty());
}

TEST_F(PackageFolderTest, of_a_folder_that_is_gone_nothing_is_known) {
  const FolderContents contents = PackageFolder{folder_.path() / "none", {}}.read();

  EXPECT_TRUE(contents.has_fault("daily/pipeline.yaml"));
}

}  // namespace
}  // namespace carillon::packages
