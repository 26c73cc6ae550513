#include "soak/vitals.hpp"

#include <malloc.h>
#include <sqlite3.h>

#include <fstream>
#include <iterator>
#include <string>

namespace carillon::testing {
namespace {

std::int64_t count_entries(const char* folder) {
  const std::filesystem::directory_iterator entries{folder};
  return std::distance(begin(entries), end(entries));
}

}  // namespace

Vitals read_vitals() {
  Vitals vitals;
  // The descriptor of the folder being listed is one of its entries.
  vitals.files = count_entries("/proc/self/fd") - 1;
  vitals.threads = count_entries("/proc/self/task");
  std::ifstream status{"/proc/self/status"};
  for (std::string word; status >> word;) {
    std::int64_t kibibytes = 0;
    if (word == "VmRSS:" && status >> kibibytes) vitals.resident = kibibytes * 1024;
    if (word == "RssAnon:" && status >> kibibytes) vitals.anonymous = kibibytes * 1024;
  }
  const auto heap = ::mallinfo2();
  vitals.allocated = static_cast<std::int64_t>(heap.uordblks + heap.hblkhd);
  vitals.sqlite = ::sqlite3_memory_used();
  return vitals;
}

std::int64_t size_of(const std::filesystem::path& file) {
  std::error_code none;
  const auto size = std::filesystem::file_size(file, none);
  return none ? 0 : static_cast<std::int64_t>(size);
}

}  // namespace carillon::testing
