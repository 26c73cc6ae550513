#pragma once

#include "base/error.hpp"
#include "document/reader.hpp"

#include <expected>
#include <string>

namespace carillon {

/// Why a use case was refused. Each interface translates it into its own form: a problem document, a status, an error
/// value.
struct Refusal {
  enum class Kind {
    malformed,        // cannot be read at all
    invalid,          // can be read, but is not valid: `errors` has all faults
    wrong_status,     // not possible in the status of the schedule
    unauthenticated,  // no valid token
    forbidden,        // known, but not allowed
    not_found,
    gone,         // was there, and is no longer kept
    exists,       // the id is taken
    stale,        // the change was made from an older revision
    in_progress,  // the same request is being carried out now
    key_reused,   // the same key was used for another request
    ended,        // the run has ended, or belongs to another worker
    too_many,     // wait and try again
    too_large,
    wrong_media,  // of a media type that is not read here
    unavailable,  // the store cannot be read or written now
    full,         // nothing more can be stored
    internal,
  };
  Kind kind = Kind::internal;
  std::string code;     // stable, for programs
  std::string message;  // one sentence
  std::string hint{};
  std::string cause{};  // for the log only: it may name files
  Problems errors{};

  Refusal(Kind why, std::string stable_code, std::string sentence, std::string advice = {})
      : kind{why}, code{std::move(stable_code)}, message{std::move(sentence)}, hint{std::move(advice)} {}
  // Implicit, so that TRY passes on what a lower layer refuses: its code and rule choose the kind.
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

/// Refuses a query about time that would take too long. `advice` says what to ask instead.
[[nodiscard]] std::unexpected<Refusal> too_complex(std::string_view advice);
/// Refuses a spec about which every query would take too long.
[[nodiscard]] Refusal too_complex(Problems problems);
[[nodiscard]] std::unexpected<Refusal> no_schedule(std::string_view id);
[[nodiscard]] std::unexpected<Refusal> no_run(std::string_view id);

}  // namespace carillon
