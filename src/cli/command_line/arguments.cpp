#include "cli/command_line/arguments.hpp"

#include "base/assertion.hpp"
#include "base/quoted.hpp"
#include "cli/command_line/command_error.hpp"
#include "cli/terminal/printable.hpp"
#include "document/reader.hpp"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <memory>

namespace carillon::cli {

namespace {

/// `count` of `-n,--count`.
std::string_view key_of(const FlagSpec& flag) {
  const std::size_t dashes = flag.names.rfind('-');
  const std::size_t begin = flag.names.rfind("--");
  return flag.names.substr(begin == std::string_view::npos ? dashes + 1 : begin + 2);
}

/// The flags of one verb, as the library knows them. The only place that knows the library.
class VerbOptions {
 public:
  explicit VerbOptions(const Verb& verb)
      : app_{std::string{verb.summary},
             fmt::format("carillon {}{}{}", verb.name, verb.targets.empty() ? "" : " ", verb.targets)} {
    app_.set_help_flag();
    app_.allow_extras();
    app_.get_formatter()->column_width(26);
    app_.footer(fmt::format("Examples:\n  {}", fmt::join(verb.examples, "\n  ")));
    if (verb.flags != nullptr) {
      for (const FlagSpec& flag : verb.flags()) define(flag);
    }
    define({.names = "-h,--help", .form = {}, .text = "show this help"});
  }

  void parse(std::vector<std::string> words) {
    // The library takes its words from the back.
    std::ranges::reverse(words);
    app_.parse(std::move(words));
  }

  [[nodiscard]] const CLI::App& app() const { return app_; }
  [[nodiscard]] Arguments& arguments() { return arguments_; }

 private:
  void define(const FlagSpec& flag) {
    const std::string names{flag.names};
    const std::string text{flag.text};
    std::vector<std::string>& values = arguments_.declare(key_of(flag));
    if (flag.form.empty()) {
      app_.add_flag_callback(names, [&values] { values = {""}; }, text);
      return;
    }
    // Texts are taken raw, so that the library gives no meaning to brackets and the like.
    if (!flag.may_repeat) {
      app_.add_option_function<std::string>(
              names, [&values](const std::string& word) { values = {word}; }, text)
          ->option_text(std::string{flag.form});
      return;
    }
    app_.add_option_function<std::vector<std::string>>(
            names, [&values](const std::vector<std::string>& words) { values = words; }, text)
        ->option_text(std::string{flag.form})
        ->allow_extra_args(false)
        ->take_all();
  }

  CLI::App app_;
  Arguments arguments_;
};

std::vector<Flag> flags_of(const CLI::App& app) {
  std::vector<Flag> flags;
  for (const CLI::Option* option : app.get_options()) {
    const bool takes_value = option->get_expected_max() > 0 && option->get_type_size() > 0;
    for (const auto& [names, dashes] : {std::pair{option->get_lnames(), "--"}, std::pair{option->get_snames(), "-"}}) {
      for (const std::string& name : names) {
        flags.push_back({.name = dashes + name, .description = option->get_description(), .takes_value = takes_value});
      }
    }
  }
  return flags;
}

std::string nearest_flag(const CLI::App& app, std::string_view word) {
  const std::vector<Flag> flags = flags_of(app);
  std::vector<std::string_view> names;
  for (const Flag& flag : flags) names.push_back(flag.name);
  return std::string{nearest_word(word.substr(0, word.find('=')), names)};
}

Error unknown_flag(const Verb& verb, const CLI::App& app, std::string_view word) {
  const std::string nearest = nearest_flag(app, word);
  return usage_error(fmt::format("unknown flag {} for {}", carillon::quoted(word), verb.name),
                     nearest.empty() ? fmt::format("see all flags: carillon {} --help", verb.name)
                                     : fmt::format("did you mean {}?", nearest));
}

bool looks_like_flag(std::string_view word) { return word.size() > 1 && word.front() == '-'; }

Error stray_target(const Verb& verb, std::string_view word) {
  return usage_error(
      fmt::format("{} takes no arguments, got {}", verb.name, carillon::quoted(word)),
      verb.stray_hint.empty() ? fmt::format("see usage: carillon {} --help", verb.name) : std::string{verb.stray_hint});
}

/// In our words what the library says about flags it cannot use; its texts begin with the name of the flag.
std::string misuse(const CLI::ParseError& error) {
  const std::string_view text = error.what();
  const std::string_view name = text.substr(0, text.find(':'));
  if (text.ends_with("missing")) return fmt::format("{} needs a value", name);
  if (text.contains("received")) return fmt::format("{} is given more than once", name);
  return std::string{text.substr(0, text.find('\n'))};
}

}  // namespace

FlagSpecs joined(std::initializer_list<FlagSpecs> lists) {
  FlagSpecs all;
  for (const FlagSpecs& list : lists) all.insert(all.end(), list.begin(), list.end());
  return all;
}

const std::vector<std::string>& Arguments::values(std::string_view flag) const {
  const auto found = flags_.find(flag);
  CARILLON_ASSERT(found != flags_.end());
  return found->second;
}

std::optional<std::string> Arguments::value(std::string_view flag) const {
  const auto& all = values(flag);
  if (all.empty()) return std::nullopt;
  return all.front();
}

Result<Arguments> parse_arguments(const Verb& verb, std::span<const std::string> words) {
  const auto end_of_flags = std::ranges::find(words, "--");
  VerbOptions options{verb};
  try {
    options.parse({words.begin(), end_of_flags});
  } catch (const CLI::ParseError& error) {
    return std::unexpected(
        usage_error(printable(misuse(error), 200), fmt::format("see usage: carillon {} --help", verb.name)));
  }
  Arguments& arguments = options.arguments();
  if (arguments.has("help")) return std::move(arguments);
  for (const std::string& word : options.app().remaining()) {
    if (looks_like_flag(word)) return std::unexpected(unknown_flag(verb, options.app(), word));
    arguments.targets.push_back(word);
  }
  if (end_of_flags != words.end()) arguments.targets.insert(arguments.targets.end(), end_of_flags + 1, words.end());
  if (verb.targets.empty() && !arguments.targets.empty())
    return std::unexpected(stray_target(verb, arguments.targets.front()));
  return std::move(arguments);
}

std::string help_text(const Verb& verb) { return VerbOptions{verb}.app().help(); }

std::vector<Flag> flags_of(const Verb& verb) { return flags_of(VerbOptions{verb}.app()); }

}  // namespace carillon::cli
