#include "stores/sqlite/checkpointer.hpp"

#include <exception>
#include <utility>

namespace carillon::sqlite {

Checkpointer::Checkpointer(Open open, WriteQueue& writer, std::size_t page_count_max)
    : open_{std::move(open)},
      writer_{writer},
      page_count_max_{page_count_max},
      thread_{[this](const std::stop_token& stop) { work(stop); }} {}

Checkpointer::~Checkpointer() {
  thread_.request_stop();
  wake_.notify_all();
}

void Checkpointer::note_log(std::size_t page_count) {
  bool is_long = false;
  {
    const std::scoped_lock lock{mutex_};
    page_count_ = page_count;
    // It has begun anew since.
    if (page_count < done_at_) done_at_ = 0;
    is_long = page_count >= done_at_ + page_count_max_;
  }
  if (is_long) wake_.notify_one();
}

void Checkpointer::watch(LoopMonitor& loops) {
  // A long log takes its time.
  constexpr int patience = 4;
  const std::scoped_lock lock{mutex_};
  pulse_ = loops.add("store-copy", patience);
}

void Checkpointer::work(const std::stop_token& stop) {
  name_this_thread("store-copy");
  std::unique_lock lock{mutex_};
  while (!stop.stop_requested()) {
    pulse_.beat();
    if (!wake_.wait_for(lock, stop, pulse_interval, [&] { return page_count_ >= done_at_ + page_count_max_; }))
      continue;
    done_at_ = page_count_;
    lock.unlock();
    // A fault leaves the log as it is; the next time tries again, and a writer who cannot write says so.
    if (try_copy()) writer_.run_alone([&] { static_cast<void>(try_copy()); });
    lock.lock();
  }
}

bool Checkpointer::try_copy() {
  try {
    return copy().has_value();
  } catch (const std::exception&) {
    return false;  // memory is short
  }
}

Result<> Checkpointer::copy() {
  // What a disk has failed to keep is written again, not only synced again.
  if (!connection_ || connection_->is_broken()) {
    connection_.reset();
    connection_ = TRY(open_());
  }
  return connection_->checkpoint();
}

}  // namespace carillon::sqlite
