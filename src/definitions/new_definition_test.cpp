#include "definitions/new_definition.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json/parse.hpp>
#include <fmt/format.h>

#include <string>
#include <string_view>
#include <vector>

namespace carillon {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

ScheduleDocument a_schedule(std::string_view more) {
  return read_schedule(boost::json::parse(fmt::format(R"({{"id":"a",{}}})", more))).value();
}

std::vector<std::string> pointers(const Problems& problems) {
  std::vector<std::string> found;
  for (const Problem& problem : problems) found.push_back(problem.pointer);
  return found;
}

std::vector<std::string> faults_of(std::string_view more) { return pointers(check_definition(a_schedule(more))); }

TEST(NewDefinition, may_have_any_kind_of_action) {
  for (const std::string_view action : {R"("action":{"command":{"argv":["/bin/true"]}})", R"("jobType":"t")",
                                        R"("url":"http://h/")", R"("action":{"pipeline":{"path":"p"}})"})
    EXPECT_THAT(faults_of(action), IsEmpty()) << action;
}

TEST(NewDefinition, has_names_without_characters_that_hide_others) {
  EXPECT_THAT(faults_of(R"("jobType":"t","name":"\u202Egpj.exe")"), ElementsAre("/name"));
  EXPECT_THAT(faults_of(R"("jobType":"t","name":"a\u0085b","labels":{"team":"x\u2066y"})"),
              ElementsAre("/name", "/labels/team"));
  EXPECT_THAT(faults_of(R"("jobType":"t","name":"Ünïcödé 🎉 שלום\u200f","labels":{"team":"données"})"), IsEmpty());
}

TEST(NewDefinition, is_created_under_a_free_id_and_a_namespace_in_lower_case) {
  const auto faults = [](std::string_view name_space, std::string_view id) {
    return pointers(check_new_name(NamespaceId::parse(name_space).value(), ScheduleId::parse(id).value()));
  };
  EXPECT_THAT(faults("default", "nightly"), IsEmpty());
  EXPECT_THAT(faults("default", "Nightly"), IsEmpty());
  EXPECT_THAT(faults("Default", "nightly"), ElementsAre("/namespace"));
  for (const std::string_view word : {"batch", "batch-delete", "preview", "Preview"})
    EXPECT_THAT(faults("default", word), ElementsAre("/id")) << word;
  EXPECT_THAT(faults("default", "preview-2"), IsEmpty());
}

TEST(HiddenCharacters, are_found_anywhere_in_a_text) {
  for (const std::string_view text :
       {"\x1b[2J", "a\nb", "\x7f", "\xc2\x9b", "\xe2\x80\xae", "x\xe2\x81\xa9", "\xe2\x80\xa8"})
    EXPECT_TRUE(has_hidden_character(text)) << text;
  EXPECT_TRUE(has_hidden_character(std::string_view{"\0", 1}));
  for (const std::string_view text : {"", "plain", "\xc2\xa0", "\xe2\x80\x8f", "\xf0\x9f\x8e\x89", "\xff"})
    EXPECT_FALSE(has_hidden_character(text)) << text;
}

}  // namespace
}  // namespace carillon
