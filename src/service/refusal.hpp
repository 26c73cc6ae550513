#pragma once

#include "base/error.hpp"
#include "document/reader.hpp"

#include <expected>
#include <string>

namespace carillon {

/// Why a caller does not get what it asked for: what every interface tells in its own words.
struct Refusal {
  enum class Kind {
    malformed,        // cannot be read at all
    invalid,          // can be read, but says what cannot be: `errors` has all faults
    wrong_status,     // not in the state the schedule is in
    unauthenticated,  // nobody we know
    forbidden,        // known, but not allowed
    not_found,
    exists,       // the id is taken
    stale,        // decided from an older revision
    in_progress,  // the same request is being carried out
    key_reused,   // the same key, another request
    ended,        // what it is about has ended, or belongs to somebody else
    too_many,     // wait and try again
    too_large,
    wrong_media,  // not in a form that is read here
    unavailable,  // the store cannot be read or written now
    full,         // nothing more can be stored
    internal,
  };
  Kind kind = Kind::internal;
  std::string code;     // stable, for programs
  std::string message;  // one sentence
  std::string hint{};
  std::string cause{};  // for the log alone: it may name files
  Problems errors{};

  Refusal(Kind why, std::string stable_code, std::string sentence, std::string advice = {})
      : kind{why}, code{std::move(stable_code)}, message{std::move(sentence)}, hint{std::move(advice)} {}
  // Implicit: what a lower layer refuses is refused here, by what its code and rule mean to a caller.
  Refusal(const Error& error);  // NOLINT(google-explicit-constructor)
  Refusal(Problems problems);   // NOLINT(google-explicit-constructor)
};

template <typename T = void>
using Served = std::expected<T, Refusal>;

template <typename... Args>
[[nodiscard]] std::unexpected<Refusal> refuse(Refusal::Kind kind, std::string code, fmt::format_string<Args...> format,
                                              Args&&... args) {
  return std::unexpected(Refusal{kind, std::move(code), fmt::format(format, std::forward<Args>(args)...)});
}

/// A question about time whose answer would take too long. `advice` says what to ask instead.
[[nodiscard]] std::unexpected<Refusal> too_complex(std::string_view advice);
/// A spec that would make every question about it take too long.
[[nodiscard]] Refusal too_complex(Problems problems);
[[nodiscard]] std::unexpected<Refusal> no_schedule(std::string_view id);
[[nodiscard]] std::unexpected<Refusal> no_run(std::string_view id);

}  // namespace carillon
