#include "executors/process/proc_files.hpp"

#include "executors/process/system_calls.hpp"
#include "executors/process/variables.hpp"
#include "files/file_descriptor.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <memory>
#include <string_view>

namespace carillon {
namespace {

// A process may have no larger environment than this and be recognised by it.
constexpr std::size_t file_size_max = 8 * 1024 * 1024;

FileDescriptor open_to_read(const std::string& path) {
  return FileDescriptor{::open(path.c_str(), O_RDONLY | O_CLOEXEC)};
}

std::optional<std::string> read_whole(const FileDescriptor& file) {
  if (!file.is_open()) return std::nullopt;
  std::string text;
  std::array<char, 16 * 1024> buffer;
  while (text.size() < file_size_max) {
    const ssize_t count = ::read(file.get(), buffer.data(), buffer.size());
    if (count < 0) return std::nullopt;
    if (count == 0) break;
    text.append(buffer.data(), static_cast<std::size_t>(count));
  }
  return text;
}

std::optional<std::string> read_whole(const std::string& path) { return read_whole(open_to_read(path)); }

template <typename Number>
std::optional<Number> number_from(std::string_view text) {
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return number;
}

/// Calls `use` with each word of a text divided by one character.
template <typename Use>
void for_each_word(std::string_view text, char divider, Use use) {
  while (!text.empty()) {
    const std::string_view word = text.substr(0, text.find(divider));
    use(word);
    text.remove_prefix(std::min(text.size(), word.size() + 1));
  }
}

/// What /proc/…/stat says, by the numbers that proc(5) gives its fields.
class Stat {
 public:
  static std::optional<Stat> read(pid_t pid) {
    Stat stat;
    auto text = read_whole(fmt::format("/proc/{}/stat", pid));
    // The second field is a name in parentheses that may hold anything; what follows it does not.
    const std::size_t name_end = text ? text->rfind(')') : std::string::npos;
    if (name_end == std::string::npos) return std::nullopt;
    stat.after_name_ = text->substr(name_end);
    return stat;
  }

  [[nodiscard]] std::string_view field(std::size_t number) const {
    std::string_view found;
    std::size_t current = 2;
    for_each_word(after_name_, ' ', [&](std::string_view word) {
      if (current++ == number) found = word;
    });
    return found;
  }

 private:
  std::string after_name_;
};

/// The entries of a folder that are numbers.
std::vector<pid_t> numbers_in(const std::string& folder) {
  std::vector<pid_t> numbers;
  const std::unique_ptr<DIR, int (*)(DIR*)> entries{::opendir(folder.c_str()), ::closedir};
  if (entries == nullptr) return numbers;
  while (const dirent* entry = ::readdir(entries.get())) {
    if (const auto number = number_from<pid_t>(entry->d_name)) numbers.push_back(*number);
  }
  return numbers;
}

/// Of one whose environment could not be read or was empty. Those who have ended, threads of the kernel, and those who
/// were started with none will not get one.
bool may_get_environment(pid_t pid) {
  const auto stat = Stat::read(pid);
  if (!stat || stat->field(3) == "Z" || stat->field(3) == "X") return false;
  constexpr std::uint32_t kernel_thread = 0x0020'0000;  // PF_KTHREAD
  const auto flags = number_from<std::uint32_t>(stat->field(9));
  if (!flags || (*flags & kernel_thread) != 0) return false;
  const bool is_loaded = stat->field(26) != "0";  // where its code begins, which is noted after the environment
  const bool has_environment = stat->field(50) != stat->field(51);
  return !is_loaded || has_environment;
}

}  // namespace

std::optional<ProcessFacts> read_facts(pid_t pid) {
  const auto stat = Stat::read(pid);
  if (!stat) return std::nullopt;
  const auto group = number_from<pid_t>(stat->field(5));
  const auto session = number_from<pid_t>(stat->field(6));
  const auto start = number_from<std::uint64_t>(stat->field(22));
  if (!group || !session || !start) return std::nullopt;
  return ProcessFacts{.group = *group, .session = *session, .start_ticks = *start};
}

TagProbe probe_tag(pid_t pid) {
  const FileDescriptor file = open_to_read(fmt::format("/proc/{}/environ", pid));
  if (!file.is_open()) return {};  // gone, or none of our business
  const auto text = read_whole(file);
  if (!text || text->empty()) return {.tag = std::nullopt, .is_settled = !may_get_environment(pid)};
  LaunchTag tag;
  for_each_word(*text, '\0', [&](std::string_view entry) {
    const std::size_t equals = entry.find('=');
    if (equals == std::string_view::npos) return;
    if (entry.substr(0, equals) == run_id_variable) tag.run = entry.substr(equals + 1);
    if (entry.substr(0, equals) == attempt_variable) tag.attempt = entry.substr(equals + 1);
  });
  if (tag.run.empty() || tag.attempt.empty()) return {};
  return {.tag = tag};
}

std::string read_cgroup(pid_t pid) { return read_whole(fmt::format("/proc/{}/cgroup", pid)).value_or(""); }

std::optional<std::vector<pid_t>> children_of_thread(pid_t pid, pid_t thread) {
  const auto text = read_whole(fmt::format("/proc/{}/task/{}/children", pid, thread));
  if (!text) return std::nullopt;
  std::vector<pid_t> children;
  for_each_word(*text, ' ', [&](std::string_view word) {
    if (const auto child = number_from<pid_t>(word)) children.push_back(*child);
  });
  return children;
}

std::vector<pid_t> descendants_of(pid_t pid, std::size_t count_max) {
  std::vector<pid_t> found;
  std::size_t visited = 0;
  for (pid_t parent = pid;; parent = found[visited++]) {
    for (const pid_t thread : numbers_in(fmt::format("/proc/{}/task", parent))) {
      const auto children = children_of_thread(parent, thread);
      if (children) found.insert(found.end(), children->begin(), children->end());
    }
    if (visited >= found.size() || found.size() >= count_max) return found;
  }
}

std::vector<pid_t> all_processes() { return numbers_in("/proc"); }

void signal_if_same(pid_t pid, std::uint64_t start_ticks, int signal) {
  // Opened first: what is read then is about the process that is signalled.
  const FileDescriptor process = open_process(pid);
  const auto facts = read_facts(pid);
  if (facts && facts->start_ticks == start_ticks) signal_process(process, signal);
}

}  // namespace carillon
