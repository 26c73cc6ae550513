// soak FOLDER [HOURS [EDIT_PERIOD]]: see tests/soak/README.md. Exit code: 0 nothing grew, 1 something did.

#include "soak/soak.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>

int main(int argument_count, char** arguments) {
  if (argument_count < 2) {
    fmt::print(stderr, "soak FOLDER [HOURS [EDIT_PERIOD]]\n");
    return 2;
  }
  carillon::testing::SoakOptions options{.folder = arguments[1]};
  if (argument_count > 2) options.hours = std::atoll(arguments[2]);
  if (argument_count > 3) options.edit_period = std::atoll(arguments[3]);
  carillon::testing::Soak soak{options};
  const auto is_steady = soak.run();
  if (!is_steady) fmt::print(stderr, "{}\n", is_steady.error().message);
  return is_steady && *is_steady ? 0 : 1;
}
