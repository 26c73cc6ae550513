#pragma once

namespace carillon {

/// For a program that is nobody's library, before its first thread and its first store: SQLite no longer counts the
/// memory that it uses, which takes a lock, shared by all connections of the process, with every allocation; and each
/// thread keeps small blocks for its next statement (small_blocks.hpp). Does nothing if SQLite is in use already. Must
/// not be called by libcarillon: its host may have stores of its own.
void prepare_sqlite_memory();

}  // namespace carillon
