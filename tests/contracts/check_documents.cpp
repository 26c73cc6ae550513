// check_documents words: the enums of documents and the ledger as one JSON object, name → words.
// check_documents read:  one JSON document per line of standard input; answers each with one line, its canonical form
// or
//                        the pointers of its problems.

#include "document/document.hpp"
#include "engine/schedule_document.hpp"
#include "engine/words.hpp"

#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>

#include <iostream>
#include <string>

namespace {

namespace json = boost::json;
using namespace carillon;

json::object words() {
  json::object enums;
  for (const WordList& list : all_words()) {
    json::array words;
    for (const std::string_view word : list.words) words.push_back(json::value(word));
    enums[list.name] = std::move(words);
  }
  return enums;
}

json::object answer(std::string_view line) {
  const auto schedule = read_schedule(parse_json(line).value(), {.default_timezone = "UTC", .ignore_read_only = true});
  json::object out;
  if (schedule) {
    out["canonical"] = write_schedule(*schedule);
    return out;
  }
  json::array problems;
  for (const Problem& problem : schedule.error()) problems.push_back(json::value(problem.pointer));
  out["problems"] = std::move(problems);
  return out;
}

}  // namespace

int main(int count, char** arguments) {
  const std::string_view verb = count == 2 ? arguments[1] : "";
  if (verb == "words") {
    std::cout << json::serialize(words()) << "\n";
    return 0;
  }
  if (verb != "read") return 2;
  for (std::string line; std::getline(std::cin, line);) std::cout << json::serialize(answer(line)) << "\n";
}
