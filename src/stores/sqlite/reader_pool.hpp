#pragma once

#include "base/error.hpp"
#include "stores/sqlite/tables.hpp"

#include <condition_variable>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

namespace carillon::sqlite {

/// Connections for reading beside the writer, opened when they are first needed. Who comes when all are in use waits.
class ReaderPool {
 public:
  using Open = std::function<Result<std::unique_ptr<Tables>>()>;

  ReaderPool(Open open, std::size_t count_max);

  /// All that `work` reads is of one moment.
  [[nodiscard]] Result<> read(const std::function<Result<>(Tables&)>& work);

 private:
  [[nodiscard]] std::unique_ptr<Tables> borrow();
  void give_back(std::unique_ptr<Tables> tables);

  Open open_;
  std::mutex mutex_;
  std::condition_variable is_free_;
  std::size_t count_free_;
  std::vector<std::unique_ptr<Tables>> idle_;
};

}  // namespace carillon::sqlite
