#include "executors/process/inbox.hpp"

#include "base/assertion.hpp"

#include <sys/eventfd.h>

#include <utility>

namespace carillon {

Inbox::Inbox() : event_{::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)} { CARILLON_ASSERT(event_.is_open()); }

void Inbox::put(ExecutorCommand command) {
  {
    const std::lock_guard lock{mutex_};
    contents_.commands.push_back(std::move(command));
  }
  wake();
}

void Inbox::put_lease(Duration until) {
  {
    const std::lock_guard lock{mutex_};
    contents_.lease = until;
  }
  wake();
}

void Inbox::wake() const { ::eventfd_write(event_.get(), 1); }

Inbox::Contents Inbox::take() {
  ::eventfd_t ignored = 0;
  ::eventfd_read(event_.get(), &ignored);
  const std::lock_guard lock{mutex_};
  return std::exchange(contents_, {});
}

}  // namespace carillon
