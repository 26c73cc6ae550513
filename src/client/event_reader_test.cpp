#include "client/event_reader.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <rapidcheck/gtest.h>

namespace carillon {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(EventReader, reads_an_event_with_its_name_and_place) {
  EventReader reader;

  EXPECT_THAT(reader.take("id: 7\nevent: run.started\ndata: {}\n\n"),
              ElementsAre(ServerEvent{.id = "7", .name = "run.started", .data = "{}"}));
  EXPECT_EQ(reader.last_id(), "7");
}

TEST(EventReader, passes_over_what_only_keeps_the_line_open) {
  EventReader reader;

  EXPECT_THAT(reader.take(": still here\n\n"), IsEmpty());
}

TEST(EventReader, joins_lines_of_data_and_takes_either_line_end) {
  EventReader reader;

  EXPECT_THAT(reader.take("data: a\r\ndata:b\r\n\r\n"), ElementsAre(ServerEvent{.data = "a\nb"}));
}

RC_GTEST_PROP(EventReader, reads_the_same_in_whatever_pieces_it_comes, ()) {
  const std::string text = "id: 1\nevent: a\ndata: x\n\n: quiet\n\nid: 2\nevent: b\ndata: y\ndata: z\n\n";
  EventReader whole;
  const auto expected = whole.take(text);
  EventReader reader;
  std::vector<ServerEvent> heard;
  std::size_t begin = 0;
  while (begin < text.size()) {
    const auto length = static_cast<std::size_t>(*rc::gen::inRange(1, 9));
    for (ServerEvent& event : reader.take(std::string_view{text}.substr(begin, length)))
      heard.push_back(std::move(event));
    begin += length;
  }
  RC_ASSERT(heard == expected);
}

}  // namespace
}  // namespace carillon
