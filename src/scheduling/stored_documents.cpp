#include "scheduling/stored_documents.hpp"

#include "definitions/policies_document.hpp"
#include "document/document.hpp"
#include "document/member_texts.hpp"

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
  std::string before;  // a whole document, without its policies
  std::string_view policies;
};

/// Policies come last in what stores keep.
std::optional<Halves> halves_of(std::string_view text) {
  const auto members = member_texts(text);
  if (!members || members->size() < 2 || members->back().key != "policies") return std::nullopt;
  const std::string_view last = (*members)[members->size() - 2].value;
  Halves halves{.before = std::string{text.data(), last.data() + last.size()}, .policies = members->back().value};
  halves.before += '}';
  return halves;
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
  ScheduleDocument document = TRY(read_whole(halves->before));
  document.policies = *std::move(policies);
  return document;
}

}  // namespace carillon
