#include "data_folder/run_id_key.hpp"

#include "base/crypto.hpp"
#include "files/private_file.hpp"

#include <algorithm>
#include <string_view>

namespace carillon {

Result<RunIds> open_run_ids(const std::filesystem::path& file) {
  RunIds::Key key{};
  const auto stored = TRY(read_private_file(file));
  if (!stored) {
    fill_randomly(key);
    TRY(write_private_file(file, {reinterpret_cast<const char*>(key.data()), key.size()}));
    return RunIds{key};
  }
  // Half a key would keep every later start away; another one would lead to other runs.
  if (stored->size() < key.size())
    return fail(ErrorCode::corrupt,
                "{} is truncated; without it the ids of past runs are unknown: restore it, or remove it",
                file.string());
  std::copy_n(stored->begin(), key.size(), key.begin());
  return RunIds{key};
}

}  // namespace carillon
