#pragma once

#include <cstddef>
#include <cstdlib>
#include <new>

/// Calls of operator new so far. For the one source file of a benchmark program: this replaces the global operators.
inline std::size_t allocation_count = 0;

// NOLINTBEGIN(misc-new-delete-overloads,misc-definitions-in-headers): counts, and hands on to malloc.
void* operator new(std::size_t size) {
  ++allocation_count;
  if (void* memory = std::malloc(size)) return memory;
  throw std::bad_alloc{};
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
// NOLINTEND(misc-new-delete-overloads,misc-definitions-in-headers)
