#pragma once

#include "base/instant.hpp"
#include "calendar/zone.hpp"
#include "cli/terminal/console.hpp"
#include "cli/terminal/table.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace carillon::cli {

/// States, times and lengths as every list shows them: the same sign, colour and words everywhere.

/// A run state or the outcome of an occurrence as one character: ✔ ✗ ⊘ ▶ ⧗ ↻.
[[nodiscard]] Cell state_sign(std::string_view state);
/// `✔ ok`, `✗ failed`, `⊘ skipped`.
[[nodiscard]] Cell state_words(std::string_view state);
/// `Fri 30 Oct 09:00 EDT`; with the year when it is another one than now's.
[[nodiscard]] std::string time_text(Instant instant, const Zone& zone, Instant now);
/// The same without the zone: `Fri 30 Oct 09:00`.
[[nodiscard]] std::string short_time_text(Instant instant, const Zone& zone, Instant now);
/// As part of a sentence, where nothing has to line up: `Mon 2 Nov 09:00 EST`.
[[nodiscard]] std::string prose_time(Instant instant, const Zone& zone, Instant now);
/// A sentence of the server, whose times are RFC 3339 in UTC, with each of them as prose_time shows it.
[[nodiscard]] std::string with_local_times(std::string_view sentence, const Zone& zone, Instant now);
/// `0.1s`, `2m35s`, `1h02m`.
[[nodiscard]] std::string length_text(std::optional<std::int64_t> milliseconds);

/// How many columns a line may have on the terminal people look at: COLUMNS, else what it says itself. Nothing when
/// standard output is no terminal: then nothing is cut.
[[nodiscard]] std::optional<std::size_t> width_max(const Console& console);

/// One bar, full for the largest; a digit where there is no UTF-8.
[[nodiscard]] std::string bar(std::int64_t value, std::int64_t largest, const Paint& paint);
/// Bars of different height, the largest one full; digits 0 to 8 where there is no UTF-8.
[[nodiscard]] std::string sparkline(const std::vector<std::int64_t>& values, const Paint& paint);

}  // namespace carillon::cli
