// What most files include, read by the compiler once for all of them (cmake/carillon_precompiled.cmake). A file still
// includes what it uses: the preset `clang` compiles without this one.
#pragma once

#include <boost/json.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <expected>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <ranges>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <variant>
#include <vector>
