#pragma once

#include "cli/command_line/arguments.hpp"
#include "cli/connection/session.hpp"

#include <boost/json/array.hpp>
#include <boost/json/value.hpp>

#include <cstddef>
#include <optional>
#include <string_view>

namespace carillon::cli {

/// Prints documents of the server as they are if `-o`, `--json` or `-q` asks for that: the keys are those of the
/// interface. False if people are to read it: then the caller shows a table.
[[nodiscard]] Result<bool> print_documents(const Arguments& arguments, Session& session,
                                           const boost::json::array& documents, std::string_view name_key = "id");

/// Whether people are to read a list: neither `-o` with a form for programs, nor `--json`, nor `-q`.
[[nodiscard]] Result<bool> wants_table(const Arguments& arguments);

/// The same as print_documents for a single document.
[[nodiscard]] Result<bool> print_document(const Arguments& arguments, Session& session,
                                          const boost::json::value& document);

/// Most entries of any list.
inline constexpr std::size_t list_count_max = 1'000'000;

/// How many entries a list may have: `--limit`; when it is left out, 50 for people at a terminal. Programs, files and
/// pipes get all of them: list_count_max.
[[nodiscard]] Result<std::size_t> limit_of(const Arguments& arguments, const Session& session);

/// What a list shows of all there is.
struct ListExtent {
  std::string_view what;  // `schedules`
  std::size_t shown = 0;
  std::optional<std::size_t> total{};  // none: nobody has counted them
  bool has_more = false;
};

/// Says on standard error what was left out and how to see it. Nothing, if all is shown, or a program has asked for
/// just so many.
void note_left_out(const Arguments& arguments, Session& session, const ListExtent& extent);

}  // namespace carillon::cli
