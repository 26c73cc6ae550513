// A fuzz target without libFuzzer: gives it every input of a folder, and the same number of changed ones of each,
// always the same. So that every ./test, with the objects it has, finds what breaks the kept inputs and what is near
// them.
//
//     replay_TARGET FOLDER COUNT
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size);

namespace {

using Random = std::mt19937;

constexpr std::size_t input_size_max = 64 * 1024;
constexpr std::size_t change_count_max = 4;

/// Which input is being tried, for whoever is told of a crash.
std::array<char, 512> trying{};

extern "C" void tell_input(int signal) {
  const ssize_t ignored = ::write(STDERR_FILENO, trying.data(), std::strlen(trying.data()));
  (void)ignored;
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

std::size_t below(Random& random, std::size_t end) { return end == 0 ? 0 : random() % end; }

void change_once(std::string& input, const std::string& other, Random& random) {
  const std::size_t place = below(random, input.size() + 1);
  switch (random() % 5) {
    case 0: input.insert(place, 1, static_cast<char>(random())); break;
    case 1: input.erase(std::min(place, input.size()), 1 + below(random, 8)); break;
    case 2: input.insert(place, other.substr(below(random, other.size()), below(random, 32))); break;
    case 3: input.insert(place, input.substr(below(random, input.size()), below(random, 32))); break;
    default:
      if (place < input.size()) input[place] = static_cast<char>(input[place] ^ (1 << (random() % 8)));
  }
}

std::string changed(std::string input, const std::vector<std::string>& all, Random& random) {
  for (std::size_t left = 1 + below(random, change_count_max); left > 0; --left)
    change_once(input, all[below(random, all.size())], random);
  input.resize(std::min(input.size(), input_size_max));
  return input;
}

void try_input(const std::string& input, const std::filesystem::path& file, std::size_t change) {
  std::snprintf(trying.data(), trying.size(), "change %zu of %s\n", change, file.c_str());
  LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(input.data()), input.size());
}

std::string content_of(const std::filesystem::path& file) {
  std::ifstream stream{file, std::ios::binary};
  return {std::istreambuf_iterator<char>{stream}, {}};
}

}  // namespace

int main(int argc, char** argv) {
  std::size_t count = 0;
  if (argc != 3 || std::from_chars(argv[2], argv[2] + std::strlen(argv[2]), count).ec != std::errc{}) {
    std::fprintf(stderr, "usage: %s FOLDER COUNT\n", argv[0]);
    return 2;
  }
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator{argv[1]}) files.push_back(entry.path());
  std::ranges::sort(files);
  std::vector<std::string> inputs;
  std::ranges::transform(files, std::back_inserter(inputs), content_of);
  if (inputs.empty()) {
    std::fprintf(stderr, "%s has no inputs\n", argv[1]);
    return 1;
  }

  for (const int signal : {SIGABRT, SIGSEGV, SIGFPE, SIGILL}) std::signal(signal, tell_input);
  Random random{20'261'030};
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    try_input(inputs[i], files[i], 0);
    for (std::size_t change = 1; change <= count; ++change)
      try_input(changed(inputs[i], inputs, random), files[i], change);
  }
  std::printf("%zu inputs\n", inputs.size() * (count + 1));
}
