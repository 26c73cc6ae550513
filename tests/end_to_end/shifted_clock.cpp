// Preloaded into a program, this moves its time of day: by the seconds in the first eight bytes of the file that
// CARILLON_TEST_CLOCK names, as they are at that moment. The clocks of passing time stay as they are.
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <cstdlib>

namespace {

const std::atomic<std::int64_t>* map_offset() {
  const char* const name = std::getenv("CARILLON_TEST_CLOCK");
  const int file = name == nullptr ? -1 : ::open(name, O_RDONLY | O_CLOEXEC);
  if (file < 0) return nullptr;
  void* const mapped = ::mmap(nullptr, sizeof(std::int64_t), PROT_READ, MAP_SHARED, file, 0);
  ::close(file);
  return mapped == MAP_FAILED ? nullptr : static_cast<const std::atomic<std::int64_t>*>(mapped);
}

std::int64_t offset() {
  static const std::atomic<std::int64_t>* const mapped = map_offset();
  return mapped == nullptr ? 0 : mapped->load();
}

timespec shifted_now(clockid_t clock) {
  timespec now{};
  ::syscall(SYS_clock_gettime, clock, &now);
  now.tv_sec += offset();
  return now;
}

}  // namespace

extern "C" {

int clock_gettime(clockid_t clock, timespec* time) noexcept {
  if (clock != CLOCK_REALTIME && clock != CLOCK_REALTIME_COARSE)
    return static_cast<int>(::syscall(SYS_clock_gettime, clock, time));
  *time = shifted_now(clock);
  return 0;
}

int gettimeofday(timeval* __restrict time, void* __restrict) noexcept {
  const timespec now = shifted_now(CLOCK_REALTIME);
  *time = {.tv_sec = now.tv_sec, .tv_usec = now.tv_nsec / 1000};
  return 0;
}

time_t time(time_t* result) noexcept {
  const time_t now = shifted_now(CLOCK_REALTIME).tv_sec;
  if (result != nullptr) *result = now;
  return now;
}
}
