#include "executors/pipeline/result_file.hpp"

#include "base/crypto.hpp"
#include "files/file_descriptor.hpp"
#include "files/private_file.hpp"

#include <boost/json/serialize.hpp>
#include <boost/json/string.hpp>
#include <fcntl.h>
#include <fmt/format.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <functional>
#include <optional>
#include <span>
#include <system_error>
#include <utility>
#include <vector>

namespace carillon::pipeline {
namespace {

constexpr const char* results_folder = ".results";
constexpr int equal_name_count_max = 1'000;
constexpr std::size_t result_buffer_size = 64 * 1024;

std::unexpected<Error> no_result_file(int error) {
  return fail(ErrorCode::unavailable, "cannot write the result: {}", std::generic_category().message(error));
}

/// `2026-01-27T14-00-00`
std::string result_name(Instant started) {
  std::string name = carillon::to_text(Instant{std::chrono::floor<std::chrono::seconds>(started)});
  for (char& c : name) c = c == ':' ? '-' : c;
  name.pop_back();  // the Z: all of them are in UTC
  return name;
}

/// A folder of the package itself: a link could lead anywhere.
Result<FileDescriptor> open_results_folder(const std::filesystem::path& package) {
  const FileDescriptor folder{::open(package.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
  if (!folder.is_open()) return no_result_file(errno);
  if (::mkdirat(folder.get(), results_folder, 0777) != 0 && errno != EEXIST) return no_result_file(errno);
  FileDescriptor results{::openat(folder.get(), results_folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)};
  if (!results.is_open()) return no_result_file(errno);
  return results;
}

Result<> write_draft(int folder, const std::string& draft, const std::function<Result<>(const Sink&)>& write) {
  const FileDescriptor file{::openat(folder, draft.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666)};
  if (!file.is_open()) return no_result_file(errno);
  std::string buffer;
  std::optional<Error> failure;
  const auto flush = [&] {
    if (failure) return;
    if (auto written = write_open_file(file.get(), "the result", buffer); !written) failure = written.error();
    buffer.clear();
  };
  TRY(write([&](std::string_view bytes) {
    buffer += bytes;
    if (buffer.size() >= result_buffer_size) flush();
  }));
  flush();
  if (failure) return std::unexpected(*failure);
  if (::fsync(file.get()) != 0) return no_result_file(errno);
  return {};
}

/// Gives the draft the first name that is free.
Result<std::string> publish(int folder, const std::string& draft, const std::string& name) {
  for (int number = 1; number <= equal_name_count_max; ++number) {
    const std::string file = number == 1 ? name + ".json" : fmt::format("{}-{}.json", name, number);
    if (::renameat2(folder, draft.c_str(), folder, file.c_str(), RENAME_NOREPLACE) == 0) {
      if (::fsync(folder) != 0) return no_result_file(errno);
      return file;
    }
    if (errno != EEXIST) return no_result_file(errno);
  }
  return no_result_file(EEXIST);
}

/// When the run of a result file began, by its name; none for files that are not ours.
std::optional<Instant> start_in_name(const std::string& name) {
  constexpr std::string_view form = "2026-01-27T14-00-00";
  if (!name.ends_with(".json") || name.size() < form.size() + 5) return std::nullopt;
  std::string text = name.substr(0, form.size());
  if (text[13] != '-' || text[16] != '-') return std::nullopt;
  text[13] = text[16] = ':';
  const auto started = parse_instant(text + 'Z');
  return started ? std::optional{*started} : std::nullopt;
}

/// Results are kept as long as what schedules keep of their past, unless they say otherwise: 30 days, and the
/// newest 50. A file that cannot be removed stays; the next run tries again.
void remove_old_results(const std::filesystem::path& folder, Instant now) {
  constexpr std::size_t kept_count_min = 50;
  constexpr std::chrono::days kept_age_min{30};
  std::vector<std::pair<Instant, std::filesystem::path>> results;
  std::error_code unknown;
  for (const auto& entry : std::filesystem::directory_iterator{folder, unknown})
    if (const auto started = start_in_name(entry.path().filename())) results.emplace_back(*started, entry.path());
  if (results.size() <= kept_count_min) return;
  std::ranges::sort(results, std::greater{});
  for (const auto& [started, file] : std::span{results}.subspan(kept_count_min)) {
    std::error_code ignored;
    if (now - started > kept_age_min) std::filesystem::remove(file, ignored);
  }
}

}  // namespace

Result<std::filesystem::path> write_result_file(const std::filesystem::path& package, Instant started,
                                                const std::function<Result<>(const Sink&)>& write) {
  const FileDescriptor folder = TRY(open_results_folder(package));
  const std::string name = result_name(started);
  const std::string draft = fmt::format(".draft-{:016x}", random_number());
  const auto written = write_draft(folder.get(), draft, write);
  auto published = written ? publish(folder.get(), draft, name) : Result<std::string>{std::unexpected(written.error())};
  if (!published) {
    ::unlinkat(folder.get(), draft.c_str(), 0);
    return std::unexpected(published.error());
  }
  remove_old_results(package / results_folder, started);
  return package / results_folder / *published;
}

void write_escaped(std::string_view text, const Sink& sink) {
  const std::string quoted = boost::json::serialize(boost::json::string{text});
  sink(std::string_view{quoted}.substr(1, quoted.size() - 2));
}

}  // namespace carillon::pipeline
