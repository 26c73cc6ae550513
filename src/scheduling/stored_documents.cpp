#include "scheduling/stored_documents.hpp"

#include "document/document.hpp"
#include "engine/policies_document.hpp"

#include <boost/json/monotonic_resource.hpp>

#include <array>
#include <utility>

namespace carillon {
namespace {

namespace json = boost::json;

/// More than people write. Beyond it all are forgotten: then they are of a kind that does not come again.
constexpr std::size_t known_count_max = 1'000;

/// Most documents fit: their trees are read without a call for memory.
class Room {
 public:
  [[nodiscard]] json::storage_ptr storage() { return &memory_; }

 private:
  std::array<unsigned char, 8192> bytes_;
  json::monotonic_resource memory_{bytes_.data(), bytes_.size()};
};

Result<ScheduleDocument> read_whole(std::string_view text) {
  Room room;
  const auto tree = TRY(parse_json(text, room.storage()));
  auto document = read_canonical_schedule(tree);
  if (!document) return std::unexpected(to_error(document.error()));
  return *std::move(document);
}

struct Halves {
  std::string_view before;
  std::string_view policies;
};

/// Policies come last. Inside of a text a quotation mark has a backslash before it, so these characters are a key
/// wherever they stand; and if what follows is one whole value, the brace behind it ends the document.
std::optional<Halves> halves_of(std::string_view text) {
  constexpr std::string_view key = R"(,"policies":)";
  const std::size_t place = text.rfind(key);
  if (place == std::string_view::npos || !text.ends_with('}')) return std::nullopt;
  const std::size_t begin = place + key.size();
  return Halves{.before = text.substr(0, place), .policies = text.substr(begin, text.size() - 1 - begin)};
}

std::optional<Policies> read_alone(std::string_view text) {
  Room room;
  const auto tree = parse_json(text, room.storage());
  if (!tree) return std::nullopt;
  Problems problems;
  Policies policies = read_policies(*tree, "", problems);
  return problems.empty() ? std::optional{std::move(policies)} : std::nullopt;
}

}  // namespace

std::size_t StoredDocuments::known_count() {
  const std::scoped_lock lock{mutex_};
  return known_.size();
}

std::optional<Policies> StoredDocuments::policies_of(std::string_view text) {
  {
    const std::scoped_lock lock{mutex_};
    if (const auto found = known_.find(text); found != known_.end()) return found->second;
  }
  auto policies = read_alone(text);
  if (!policies) return std::nullopt;
  const std::scoped_lock lock{mutex_};
  if (known_.size() >= known_count_max) known_.clear();
  known_.emplace(text, *policies);
  return policies;
}

Result<ScheduleDocument> StoredDocuments::read(std::string_view text) {
  const auto halves = halves_of(text);
  if (!halves) return read_whole(text);
  auto policies = policies_of(halves->policies);
  if (!policies) return read_whole(text);  // which tells what is wrong, and where
  std::string before;
  before.reserve(halves->before.size() + 1);
  before.append(halves->before).push_back('}');
  ScheduleDocument document = TRY(read_whole(before));
  document.policies = *std::move(policies);
  return document;
}

}  // namespace carillon
