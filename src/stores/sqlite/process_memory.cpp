#include "stores/sqlite/process_memory.hpp"

#include "stores/sqlite/small_blocks.hpp"

#include <sqlite3.h>

namespace carillon {
namespace {

// SQLite asks for at most 2 GB.
void* take(int size) { return sqlite::take_block(static_cast<std::size_t>(size)); }
void* resize(void* block, int size) { return sqlite::resize_block(block, static_cast<std::size_t>(size)); }
int size_of(void* block) { return block == nullptr ? 0 : static_cast<int>(sqlite::size_of_block(block)); }
int rounded(int size) { return static_cast<int>(sqlite::rounded_block_size(static_cast<std::size_t>(size))); }
int begin(void* /*own*/) { return SQLITE_OK; }
void end(void* /*own*/) {}

constexpr sqlite3_mem_methods small_block_methods{.xMalloc = take,
                                                  .xFree = sqlite::return_block,
                                                  .xRealloc = resize,
                                                  .xSize = size_of,
                                                  .xRoundup = rounded,
                                                  .xInit = begin,
                                                  .xShutdown = end,
                                                  .pAppData = nullptr};

}  // namespace

void prepare_sqlite_memory() {
  static_cast<void>(sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0));
  static_cast<void>(sqlite3_config(SQLITE_CONFIG_MALLOC, &small_block_methods));
}

}  // namespace carillon
