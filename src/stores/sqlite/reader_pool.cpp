#include "stores/sqlite/reader_pool.hpp"

#include "base/blocking.hpp"

#include <utility>

namespace carillon::sqlite {
namespace {

Result<> read_at_one_moment(Tables& tables, const std::function<Result<>(Tables&)>& work) {
  TRY(tables.connection->execute(Bound::begin));
  auto outcome = tables.connection->take_flaw(work(tables));
  auto ended = tables.connection->execute(Bound::roll_back);
  return outcome ? ended : outcome;
}

}  // namespace

ReaderPool::ReaderPool(Open open, std::size_t count_max) : open_{std::move(open)}, count_free_{count_max} {}

Result<> ReaderPool::read(const std::function<Result<>(Tables&)>& work) {
  std::unique_ptr<Tables> tables = borrow();
  Result<> outcome{};
  if (!tables) {
    auto opened = open_();
    if (opened) {
      tables = *std::move(opened);
    } else {
      outcome = std::unexpected(std::move(opened).error());
    }
  }
  if (tables) outcome = read_at_one_moment(*tables, work);
  give_back(std::move(tables));
  return outcome;
}

// None: the caller may open another.
std::unique_ptr<Tables> ReaderPool::borrow() {
  assert_may_block();
  std::unique_lock lock{mutex_};
  is_free_.wait(lock, [&] { return count_free_ > 0; });
  --count_free_;
  if (idle_.empty()) return nullptr;
  std::unique_ptr<Tables> tables = std::move(idle_.back());
  idle_.pop_back();
  return tables;
}

void ReaderPool::give_back(std::unique_ptr<Tables> tables) {
  const bool is_fit = tables && !tables->connection->is_broken() && !tables->connection->is_in_transaction();
  {
    const std::scoped_lock lock{mutex_};
    ++count_free_;
    if (is_fit) idle_.push_back(std::move(tables));
  }
  is_free_.notify_one();
}

}  // namespace carillon::sqlite
