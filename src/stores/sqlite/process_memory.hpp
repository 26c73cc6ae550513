#pragma once

namespace carillon {

/// For a program that is nobody's library, before its first thread and its first store: SQLite no longer counts the
/// memory that it uses. Counting takes a lock, shared by all connections of the process, with every allocation. Does
/// nothing if SQLite is in use already. Must not be called by libcarillon: its host may have stores of its own.
void stop_counting_sqlite_memory();

}  // namespace carillon
