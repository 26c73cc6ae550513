#include "service/run_ids.hpp"

#include "base/assertion.hpp"
#include "base/crypto.hpp"

#include <openssl/evp.h>

#include <cstring>
#include <memory>
#include <utility>

namespace carillon {
namespace {

constexpr std::string_view letters = "0123456789abcdefghjkmnpqrstvwxyz";
constexpr std::size_t letter_count = 13;  // of five bits each: 64 and one to spare
constexpr int round_count = 6;

using Context = std::unique_ptr<EVP_CIPHER_CTX, decltype(&EVP_CIPHER_CTX_free)>;

// One block of AES is the round function of a Feistel network over the 64 bits of a number: a permutation that nobody
// follows without the key.
class Rounds {
 public:
  explicit Rounds(const RunIds::Key& key) : context_{EVP_CIPHER_CTX_new(), EVP_CIPHER_CTX_free} {
    CARILLON_ASSERT(EVP_EncryptInit_ex(context_.get(), EVP_aes_128_ecb(), nullptr, key.data(), nullptr) == 1);
  }
  [[nodiscard]] std::uint32_t operator()(int round, std::uint32_t half) const {
    std::array<unsigned char, 16> in{};
    std::array<unsigned char, 32> out{};
    in[0] = static_cast<unsigned char>(round);
    std::memcpy(in.data() + 4, &half, sizeof half);
    int length = 0;
    CARILLON_ASSERT(EVP_EncryptUpdate(context_.get(), out.data(), &length, in.data(), in.size()) == 1);
    std::uint32_t mixed = 0;
    std::memcpy(&mixed, out.data(), sizeof mixed);
    return mixed;
  }

 private:
  Context context_;
};

std::uint64_t scramble(std::uint64_t number, const RunIds::Key& key) {
  const Rounds mix{key};
  auto left = static_cast<std::uint32_t>(number >> 32);
  auto right = static_cast<std::uint32_t>(number);
  for (int round = 0; round < round_count; ++round) left = std::exchange(right, left ^ mix(round, right));
  return (std::uint64_t{left} << 32) | right;
}

std::uint64_t unscramble(std::uint64_t number, const RunIds::Key& key) {
  const Rounds mix{key};
  auto left = static_cast<std::uint32_t>(number >> 32);
  auto right = static_cast<std::uint32_t>(number);
  for (int round = round_count; round-- > 0;) right = std::exchange(left, right ^ mix(round, left));
  return (std::uint64_t{left} << 32) | right;
}

}  // namespace

std::string RunIds::id_of(Seq run) const {
  std::uint64_t number = scramble(static_cast<std::uint64_t>(run), key_);
  std::string id(2 + letter_count, 'r');
  id[1] = '-';
  for (std::size_t i = id.size(); i-- > 2; number >>= 5) id[i] = letters[number & 31];
  return id;
}

std::optional<Seq> RunIds::run_of(std::string_view id) const {
  if (id.size() != 2 + letter_count || !id.starts_with("r-")) return std::nullopt;
  std::uint64_t number = 0;
  for (const char c : id.substr(2)) {
    const auto digit = letters.find(c);
    // The first letter has four bits only: two spellings of one number would be two ids of one run.
    if (digit == std::string_view::npos || (number >> 59) != 0) return std::nullopt;
    number = (number << 5) | digit;
  }
  const auto run = static_cast<std::int64_t>(unscramble(number, key_));
  return run > 0 ? std::optional{Seq{run}} : std::nullopt;
}

std::string RunIds::derived_key(std::string_view purpose) const {
  return hmac_sha256({reinterpret_cast<const char*>(key_.data()), key_.size()}, purpose);
}

}  // namespace carillon
