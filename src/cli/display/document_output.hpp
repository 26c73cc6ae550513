#pragma once

#include "cli/command_line/arguments.hpp"
#include "cli/connection/session.hpp"

#include <boost/json/array.hpp>
#include <boost/json/value.hpp>

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

/// `--limit`, at most 100000; 50 when it is left out.
[[nodiscard]] Result<std::size_t> limit_of(const Arguments& arguments);

}  // namespace carillon::cli
