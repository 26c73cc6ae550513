#include "server/schedule_files.hpp"

#include "document/document.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <map>
#include <memory>
#include <set>
#include <system_error>

namespace carillon {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t file_count_max = 100'000;

bool is_schedule_file(const fs::path& path) {
  const auto kind = path.extension();
  return kind == ".yaml" || kind == ".yml" || kind == ".json";
}

FileProblem problem_of(const fs::path& file, std::string message, std::string hint = {}) {
  return {.file = file, .message = std::move(message), .hint = std::move(hint)};
}

// Names that begin with a dot are editors' and version control's own.
void list_folder(const fs::path& folder, std::vector<fs::path>& files, ScheduleFiles& found) {
  std::error_code error;
  fs::recursive_directory_iterator entries{folder, fs::directory_options::skip_permission_denied, error};
  for (; !error && entries != fs::end(entries) && files.size() < file_count_max; entries.increment(error)) {
    const fs::path& path = entries->path();
    std::error_code ignored;
    if (path.filename().native().starts_with('.')) {
      entries.disable_recursion_pending();
    } else if (entries->is_regular_file(ignored) && is_schedule_file(path)) {
      files.push_back(path);
    }
  }
  if (error) found.problems.push_back(problem_of(folder, fmt::format("cannot be read: {}", error.message())));
}

std::vector<fs::path> list(const std::vector<fs::path>& paths, ScheduleFiles& found) {
  std::vector<fs::path> files;
  for (const fs::path& path : paths) {
    std::error_code error;
    if (fs::is_directory(path, error)) {
      std::vector<fs::path> inside;
      list_folder(path, inside, found);
      std::ranges::sort(inside);
      files.insert(files.end(), inside.begin(), inside.end());
    } else {
      files.push_back(path);
    }
  }
  return files;
}

Result<std::string> text_of(const fs::path& path) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file{std::fopen(path.c_str(), "rbe"), &std::fclose};
  if (!file) return fail(ErrorCode::not_found, "cannot be read: {}", std::strerror(errno));
  std::string text(document_size_max + 1, '\0');
  text.resize(std::fread(text.data(), 1, text.size(), file.get()));
  if (std::ferror(file.get()) != 0) return fail(ErrorCode::unavailable, "cannot be read: {}", std::strerror(errno));
  if (text.size() > document_size_max)
    return fail(ErrorCode::invalid_argument, "is larger than {} MiB", document_size_max / (1024 * 1024));
  return text;
}

void read_file(const fs::path& path, const ReadOptions& options, ScheduleFiles& found) {
  const auto text = text_of(path);
  if (!text) return found.problems.push_back(problem_of(path, text.error().message));
  const auto [document, faults] = parse_schedule_text(path.native(), *text);
  for (const Error& error : faults) {
    const Position place = error.position ? position_of(*text, *error.position) : Position{};
    found.problems.push_back({path, place.line, place.column, error.message, error.hint});
  }
  if (!document) return;
  auto schedules = read_schedule_file(*document, options);
  if (!schedules) {
    for (const Problem& problem : schedules.error()) {
      const Position place = document->position(problem.pointer);
      found.problems.push_back(
          {path, place.line, place.column,
           problem.pointer.empty() ? problem.message : fmt::format("{}: {}", problem.pointer, problem.message),
           problem.hint});
    }
    return;
  }
  // A file is taken as a whole.
  if (!faults.empty()) return;
  for (ScheduleDocument& schedule : *schedules) found.schedules.push_back({path, std::move(schedule)});
}

std::string folded(const ScheduleDocument& document) {
  std::string name = document.name_space.text() + "/" + document.id.text();
  std::ranges::transform(name, name.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 32) : c; });
  return name;
}

void refuse_repeated(ScheduleFiles& found) {
  std::map<std::string, fs::path> first;
  std::erase_if(found.schedules, [&](const FiledSchedule& schedule) {
    const auto [other, is_new] = first.try_emplace(folded(schedule.document), schedule.file);
    if (is_new) return false;
    found.problems.push_back(problem_of(
        schedule.file, fmt::format("schedule {} is already in {}", schedule.document.id.text(), other->second.string()),
        "give it another id"));
    return true;
  });
}

}  // namespace

std::string FileProblem::text() const {
  std::string text = file.string();
  if (line > 0) text += fmt::format(":{}:{}", line, column);
  text += ": " + message;
  if (!hint.empty()) text += fmt::format(" ({})", hint);
  return text;
}

ScheduleFiles read_schedule_files(const std::vector<fs::path>& paths, const ReadOptions& options) {
  ScheduleFiles found;
  for (const fs::path& file : list(paths, found)) read_file(file, options, found);
  refuse_repeated(found);
  return found;
}

}  // namespace carillon
