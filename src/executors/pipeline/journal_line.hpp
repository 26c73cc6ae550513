#pragma once

#include "base/error.hpp"
#include "executors/pipeline/provider.hpp"
#include "executors/pipeline/question_key.hpp"

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

namespace carillon::pipeline {

/// What the answers of a journal belong to: a run, and the files as they were when it began, by a digest of each.
struct JournalStart {
  std::string run;
  std::map<std::string, std::string, std::less<>> inputs;
  friend bool operator==(const JournalStart&, const JournalStart&) = default;
};

/// A question is about to be sent.
struct AskedRecord {
  QuestionKey key;
  friend bool operator==(const AskedRecord&, const AskedRecord&) = default;
};
/// Its answer, as it came.
struct AnsweredRecord {
  QuestionKey key;
  ProviderAnswer answer;
  std::optional<double> cost{};
  bool is_reused = false;  // it was given to another run, and spent by that one
  friend bool operator==(const AnsweredRecord&, const AnsweredRecord&) = default;
};
/// It got none, or one that cannot be used. Takes an answer back that stands before it.
struct FailedRecord {
  QuestionKey key;
  FailureClass kind = FailureClass::transient;
  std::string message{};
  friend bool operator==(const FailedRecord&, const FailedRecord&) = default;
};

using JournalRecord = std::variant<JournalStart, AskedRecord, AnsweredRecord, FailedRecord>;

/// One line, its line end included: sixteen digits of a checksum, a space, JSON.
[[nodiscard]] std::string to_line(const JournalRecord& record);

/// Reads a line without its line end. An error `corrupt` if the checksum does not fit, or it is of a later version.
[[nodiscard]] Result<JournalRecord> parse_line(std::string_view line);

}  // namespace carillon::pipeline
