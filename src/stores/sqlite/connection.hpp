#pragma once

#include "base/error.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

struct sqlite3;
struct sqlite3_stmt;

namespace carillon::sqlite {

enum class Access {
  read,         // the file may belong to another process
  read_beside,  // beside a writer of this process, which has brought the file in order
  write,        // creates the file if there is none
};

struct ConnectionOptions {
  Access access = Access::write;
  std::size_t cache_bytes = std::size_t{4} << 20;
  std::size_t row_size_max = std::size_t{64} << 20;
  std::optional<std::int64_t> page_count_max{};
};

/// The bounds of transactions, and of what can be taken back inside of one.
enum class Bound { begin, begin_to_write, commit, roll_back, save, release };

/// An open database file. One thread at a time.
class Connection {
 public:
  [[nodiscard]] static Result<std::unique_ptr<Connection>> open(const std::filesystem::path& file,
                                                                const ConnectionOptions& options);
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;
  ~Connection();

  /// Statements whose rows do not matter.
  [[nodiscard]] Result<> execute(const std::string& sql);
  /// The same for what every transaction begins and ends with: prepared once.
  [[nodiscard]] Result<> execute(Bound bound);
  /// The single number that a query answers with.
  [[nodiscard]] Result<std::int64_t> number(const std::string& query);

  /// How many rows the last statement has changed.
  [[nodiscard]] std::int64_t change_count() const;
  /// How many rows have been changed since the connection was opened.
  [[nodiscard]] std::int64_t total_change_count() const;
  [[nodiscard]] bool is_in_transaction() const;
  /// What the write-ahead log holds since this connection last committed.
  [[nodiscard]] std::size_t log_page_count() const { return log_page_count_; }

  /// Copies from the log to the file what nobody needs in the log; never waits.
  [[nodiscard]] Result<> checkpoint();
  /// Copies all of the log to the file and syncs it; waits for those who read.
  [[nodiscard]] Result<> checkpoint_all();

  /// The fault behind the code that a call has just answered with.
  [[nodiscard]] std::unexpected<Error> fault(int code);
  /// After a fault of the disk nothing that this connection remembers may be trusted: open another.
  [[nodiscard]] bool is_broken() const { return is_broken_; }

  /// A value that was read and cannot be: corrupt, with its place, until the flaw is taken.
  [[nodiscard]] Result<> flaw() const;
  void note_flaw(std::string_view place);
  /// The outcome of work on this connection: its own, or the flaw that was met meanwhile, which is forgotten.
  [[nodiscard]] Result<> take_flaw(Result<> outcome);

  [[nodiscard]] sqlite3* handle() const { return handle_; }
  [[nodiscard]] const std::filesystem::path& file() const { return file_; }

 private:
  explicit Connection(std::filesystem::path file) : file_{std::move(file)} {}
  [[nodiscard]] Result<> configure(const ConnectionOptions& options);
  static int note_log(void* connection, sqlite3* handle, const char* database, int page_count);

  std::filesystem::path file_;
  sqlite3* handle_ = nullptr;
  std::array<sqlite3_stmt*, 6> bounds_{};  // by Bound; made when needed
  std::size_t log_page_count_ = 0;
  bool is_broken_ = false;
  std::optional<Error> flaw_;
};

}  // namespace carillon::sqlite
