#include "crontab/program_name.hpp"

#include <algorithm>
#include <array>
#include <vector>

namespace carillon {
namespace {

// Enough of a command to name it.
constexpr std::size_t looked_at_max = 4096;

constexpr std::array<std::string_view, 6> guards{"cd", "test", "[", "command", "export", "sleep"};
constexpr std::array<std::string_view, 6> keywords{"if", "then", "while", "for", "do", "else"};
constexpr std::array<std::string_view, 15> wrappers{"nice",  "ionice", "chronic", "exec",   "env",
                                                    "sudo",  "nohup",  "setsid",  "time",   "timeout",
                                                    "flock", "chrt",   "anacron", "stdbuf", "run-parts"};
constexpr std::array<std::string_view, 11> interpreters{"sh",   "bash", "dash", "zsh",  "python", "python3",
                                                        "perl", "php",  "ruby", "node", "java"};
constexpr std::array<std::string_view, 8> endings{".sh", ".py", ".pl", ".php", ".rb", ".js", ".jar", ".bash"};

bool is_in(std::string_view word, auto& words) { return std::ranges::find(words, word) != std::ranges::end(words); }

/// Words by blanks, quotes and brackets gone, the operators of a shell as words of their own.
std::vector<std::string> words_of(std::string_view command) {
  std::vector<std::string> words(1);
  for (const char c : command.substr(0, looked_at_max)) {
    const bool is_operator = c == ';' || c == '|' || c == '&';
    const bool is_divider = c == ' ' || c == '\t' || c == '(' || c == ')' || c == '{' || c == '}' || is_operator;
    if (is_divider && !words.back().empty()) words.emplace_back();
    if (is_operator) words.back() = ";";
    if (is_operator) words.emplace_back();
    if (!is_divider && c != '\'' && c != '"' && c != '`') words.back() += c;
  }
  return words;
}

std::string_view base_name(std::string_view path) {
  while (path.size() > 1 && path.ends_with('/')) path.remove_suffix(1);
  const std::size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

std::string_view without_ending(std::string_view name) {
  for (const std::string_view ending : endings)
    if (name.size() > ending.size() && name.ends_with(ending)) return name.substr(0, name.size() - ending.size());
  return name;
}

bool is_assignment(std::string_view word) {
  const std::size_t equals = word.find('=');
  return equals != std::string_view::npos && equals > 0 && !word.substr(0, equals).contains('/');
}

bool is_number(std::string_view word) { return word.find_first_not_of("0123456789.smhd") == std::string_view::npos; }

/// Options, numbers, assignments, redirections and the like.
bool is_passed_over(std::string_view word) {
  return word.empty() || std::string_view{"-<>!$#*?\\"}.contains(word.front()) || is_assignment(word) ||
         is_number(word) || is_in(word, keywords);
}

}  // namespace

std::string program_name(std::string_view command) {
  const std::vector<std::string> words = words_of(command);
  std::string_view fallback;
  bool is_guard = false;
  bool has_interpreter = false;
  bool names_a_lock = false;
  for (const std::string_view word : words) {
    if (word == ";") {
      is_guard = false;
      has_interpreter = false;
      continue;
    }
    // Text for `perl -e` is no command.
    if (has_interpreter && word == "-e") is_guard = true;
    if (is_guard || is_passed_over(word)) continue;
    const std::string_view name = base_name(word);
    if (names_a_lock) {
      names_a_lock = false;
      continue;
    }
    if (fallback.empty()) fallback = name;
    if (!has_interpreter && is_in(name, guards)) {
      is_guard = true;
    } else if (is_in(name, wrappers)) {
      names_a_lock = name == "flock";
    } else if (!has_interpreter && is_in(name, interpreters)) {
      has_interpreter = true;
    } else {
      return std::string{without_ending(name)};
    }
  }
  return std::string{without_ending(fallback)};
}

}  // namespace carillon
