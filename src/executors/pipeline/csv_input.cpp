#include "executors/pipeline/csv_input.hpp"

#include "base/crypto.hpp"
#include "base/quoted.hpp"
#include "executors/pipeline/package_files.hpp"

#include <openssl/evp.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <deque>
#include <system_error>
#include <utility>
#include <vector>

namespace carillon::pipeline {
namespace {

/// SHA-256 of what comes piece by piece.
class RunningDigest {
 public:
  RunningDigest() : context_{EVP_MD_CTX_new(), EVP_MD_CTX_free} {
    EVP_DigestInit_ex(context_.get(), EVP_sha256(), nullptr);
  }
  void add(std::string_view bytes) { EVP_DigestUpdate(context_.get(), bytes.data(), bytes.size()); }
  [[nodiscard]] std::string hex() {
    std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
    unsigned int size = 0;
    EVP_DigestFinal_ex(context_.get(), digest.data(), &size);
    return to_hex({reinterpret_cast<const char*>(digest.data()), size});
  }

 private:
  std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context_;
};

/// One pass through a file.
class CsvPass {
 public:
  CsvPass(std::shared_ptr<const FileDescriptor> file, std::string name, std::string delimiter)
      : file_{std::move(file)}, name_{std::move(name)}, reader_{std::move(delimiter)} {}

  [[nodiscard]] Result<std::optional<Item>> next() {
    while (items_.empty() && !is_at_end_) TRY(read_more());
    if (items_.empty()) return std::nullopt;
    Item item = std::move(items_.front());
    items_.pop_front();
    return item;
  }
  /// Of the whole file, after the last row.
  [[nodiscard]] const std::string& digest() const { return hex_; }

 private:
  [[nodiscard]] Result<> read_more() {
    std::vector<char> buffer(64 * 1024);
    const ssize_t count = ::pread(file_->get(), buffer.data(), buffer.size(), static_cast<off_t>(offset_));
    if (count < 0 && errno == EINTR) return {};
    if (count < 0)
      return fail(ErrorCode::unavailable, "cannot read {}: {}", carillon::quoted(name_),
                  std::generic_category().message(errno));
    const std::string_view bytes{buffer.data(), static_cast<std::size_t>(count)};
    offset_ += bytes.size();
    if (offset_ > csv_size_max)
      return fail(ErrorCode::invalid_argument, "{} has more than {} bytes", carillon::quoted(name_), csv_size_max);
    digest_.add(bytes);
    is_at_end_ = count == 0;
    for (Item& item : is_at_end_ ? TRY(reader_.finish()) : TRY(reader_.read(bytes))) items_.push_back(std::move(item));
    if (is_at_end_) hex_ = digest_.hex();
    return {};
  }

  std::shared_ptr<const FileDescriptor> file_;
  std::string name_;
  CsvReader reader_;
  RunningDigest digest_;
  std::string hex_;
  std::uint64_t offset_ = 0;
  bool is_at_end_ = false;
  std::deque<Item> items_;
};

}  // namespace

Result<CsvInput> survey_csv(FileDescriptor file, std::string name, std::string delimiter) {
  CsvInput input{.file = std::make_shared<const FileDescriptor>(std::move(file)),
                 .name = std::move(name),
                 .delimiter = std::move(delimiter),
                 .digest = {}};
  CsvPass pass{input.file, input.name, input.delimiter};
  while (TRY(pass.next())) ++input.row_count;
  input.digest = pass.digest();
  return input;
}

OpenInput rows_of(const CsvInput& input) {
  return [input]() -> Result<NextItem> {
    // Shared, because a function has to be copyable.
    const auto pass = std::make_shared<CsvPass>(input.file, input.name, input.delimiter);
    return NextItem{[input, pass]() -> Result<std::optional<Item>> {
      auto item = TRY(pass->next());
      if (!item && pass->digest() != input.digest)
        return fail(ErrorCode::conflict, "{} was changed while it was read", carillon::quoted(input.name));
      return item;
    }};
  };
}

}  // namespace carillon::pipeline
