#include "crontab/proof.hpp"
#include "document/document.hpp"
#include "support/test_zones.hpp"
#include "zones/system_zone_source.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json/value.hpp>

#include <fstream>
#include <map>

namespace carillon {
namespace {

using carillon::testing::at;
using ::testing::ElementsAre;
using Verdict = ImportedLine::Verdict;

std::string example(std::string_view name) {
  std::ifstream file{std::string{CARILLON_EXAMPLES} + "/crontabs/" + std::string{name}, std::ios::binary};
  std::string text{std::istreambuf_iterator<char>{file}, {}};
  EXPECT_FALSE(text.empty()) << name;
  return text;
}

Crontab read_example(std::string_view name) {
  SystemZoneSource zones;
  return read_crontab(example(name), {.timezone = "Europe/Berlin", .home = "/home/joe"}, *zones.names());
}

TEST(ExampleCrontabs, the_system_crontab_is_imported_whole_and_nothing_changes) {
  SystemZoneSource zones;
  const Crontab crontab = read_example("system.crontab");

  EXPECT_EQ(crontab.form, CrontabForm::system);
  std::vector<std::string> ids;
  for (const ImportedLine& line : crontab.lines) {
    EXPECT_TRUE(line.verdict == Verdict::blank || line.verdict == Verdict::setting || line.verdict == Verdict::imported)
        << line.text;
    if (line.schedule) ids.push_back(line.schedule->document.id.text());
  }
  EXPECT_THAT(ids, ElementsAre("cron.hourly", "cron.daily", "cron.weekly", "cron.monthly", "certbot", "debian-sa1",
                               "debian-sa1-2", "sessionclean", "checkarray", "e2scrub_all_cron", "logrotate"));
  const std::vector<Proof> proofs =
      prove(crontab.lines, at("2026-01-01T00:00:00Z"), at("2028-01-01T00:00:00Z"), zones).value();
  for (const Proof& proof : proofs) EXPECT_TRUE(proof.is_clean()) << proof.line;
}

/// The first word of the last comment above a line says what becomes of it.
TEST(ExampleCrontabs, each_line_of_the_nasty_one_meets_the_fate_its_comment_names) {
  SystemZoneSource zones;
  const Crontab crontab = read_example("nasty.crontab");
  const std::vector<Proof> proofs =
      prove(crontab.lines, at("2026-01-01T00:00:00Z"), at("2028-01-01T00:00:00Z"), zones).value();
  std::map<std::size_t, const Proof*> proof_of;
  for (const Proof& proof : proofs) proof_of[proof.line] = &proof;

  std::string comment;
  std::map<std::string, int> count;
  for (const ImportedLine& line : crontab.lines) {
    if (line.verdict == Verdict::blank) comment = line.text;
    if (line.verdict == Verdict::blank || line.verdict == Verdict::setting) continue;
    const bool starts_otherwise = line.schedule && !proof_of.at(line.number)->is_clean();
    const std::string fate = starts_otherwise ? "different" : std::string{to_text(line.verdict)};
    EXPECT_TRUE(comment.contains(fate)) << line.number << ": " << line.text << " is " << fate << ": " << line.reason;
    ++count[fate];
  }
  EXPECT_EQ(crontab.form, CrontabForm::user);
  EXPECT_GE(count["imported"], 12);
  EXPECT_GE(count["different"], 10);
  EXPECT_EQ(count["refused"], 11);
}

TEST(ExampleCrontabs, their_schedules_can_be_applied_as_yaml) {
  for (const std::string_view name : {"system.crontab", "nasty.crontab"}) {
    const std::string yaml = to_yaml(boost::json::value(to_schedule_file(read_example(name).lines)));
    EXPECT_TRUE(read_schedule_file(parse_yaml(yaml).value()).has_value()) << name;
  }
}

}  // namespace
}  // namespace carillon
