#include "main/server_record.hpp"

#include "files/private_file.hpp"
#include "files/private_folder.hpp"

#include <fmt/format.h>

#include <string_view>

namespace carillon {
namespace {

namespace fs = std::filesystem;

/// What servers left that were killed.
void sweep(const fs::path& folder) {
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator{folder, ignored}) {
    const std::string name = entry.path().stem().string();
    const bool is_number = !name.empty() && name.find_first_not_of("0123456789") == std::string::npos;
    if (is_number && !fs::exists("/proc/" + name, ignored)) fs::remove(entry.path(), ignored);
  }
}

}  // namespace

ServerRecord::ServerRecord(const cli::RunningServer& server, const cli::Console& console, Log& log)
    : text_{cli::to_record(server)} {
  files_.push_back(cli::record_in(server.data));
  if (const fs::path folder = cli::record_folder(console); !folder.empty()) {
    if (const auto made = make_private_folder(folder)) {
      sweep(*made);
      files_.push_back(*made / fmt::format("{}.json", server.pid));
    } else {
      log.warn("the command line finds this server only in its data folder", {{"error", made.error().message}});
    }
  }
  for (const fs::path& file : files_) {
    if (const auto written = write_private_file(file, text_); !written)
      log.warn("the command line will not find this server automatically", {{"error", written.error().message}});
  }
}

ServerRecord::~ServerRecord() {
  for (const fs::path& file : files_) {
    // A later server in the same folder may have written its own.
    const auto text = read_private_file(file);
    std::error_code ignored;
    if (text && *text == text_) fs::remove(file, ignored);
  }
}

std::string program_name(const cli::Console& console) {
  std::error_code unknown;
  const fs::path self = fs::read_symlink("/proc/self/exe", unknown);
  if (unknown) return "carillon";
  const std::string path = console.environment("PATH").value_or("");
  for (std::string_view rest = path; !rest.empty();) {
    const std::string_view folder = rest.substr(0, rest.find(':'));
    const fs::path found = fs::path{folder} / "carillon";
    if (fs::exists(found, unknown)) return fs::equivalent(found, self, unknown) ? "carillon" : self.string();
    rest.remove_prefix(std::min(rest.size(), folder.size() + 1));
  }
  return self.string();
}

}  // namespace carillon
