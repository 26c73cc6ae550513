#include "runtime/system_clock.hpp"

#include <sys/timex.h>

#include <chrono>
#include <ctime>

namespace carillon {
namespace {

Duration read_clock(clockid_t clock) {
  timespec time{};
  ::clock_gettime(clock, &time);
  return std::chrono::seconds{time.tv_sec} +
         std::chrono::duration_cast<Duration>(std::chrono::nanoseconds{time.tv_nsec});
}

}  // namespace

Instant SystemClock::now() { return Instant{read_clock(CLOCK_REALTIME)}; }

Duration SystemClock::since_boot() { return read_clock(CLOCK_BOOTTIME); }

bool is_clock_synchronised() {
  timex status{};
  const int state = ::adjtimex(&status);
  return state != -1 && state != TIME_ERROR && (status.status & STA_UNSYNC) == 0;
}

}  // namespace carillon
