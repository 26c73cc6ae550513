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

Result<ScheduleDocument> read_without_policies(std::string_view before) {
  std::string text;
  text.reserve(before.size() + 1);
  text.append(before).push_back('}');
  return read_whole(text);
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
    if (const auto found = known_.find(text); found != known_.end()) {
      latest_ = &*found;
      return found->second;
    }
  }
  auto policies = read_alone(text);
  if (!policies) return std::nullopt;
  const std::scoped_lock lock{mutex_};
  if (known_.size() >= known_count_max) known_.clear();
  latest_ = &*known_.emplace(text, *policies).first;
  return policies;
}

// A schedule often has the policies of the one before: then nothing needs to be searched. JSON that ends in
// `,"policies":`, a whole object and one brace has that object as a member of its own, not of an inner one or of a
// text.
std::optional<StoredDocuments::Parts> StoredDocuments::parts_like_latest(std::string_view text) {
  constexpr std::string_view key = R"(,"policies":)";
  if (!text.ends_with('}')) return std::nullopt;
  text.remove_suffix(1);
  const std::scoped_lock lock{mutex_};
  if (latest_ == nullptr || !text.ends_with(latest_->first)) return std::nullopt;
  text.remove_suffix(latest_->first.size());
  if (!text.ends_with(key)) return std::nullopt;
  text.remove_suffix(key.size());
  return Parts{.before = text, .policies = latest_->second};
}

std::optional<StoredDocuments::Parts> StoredDocuments::parts_of(std::string_view text) {
  if (auto parts = parts_like_latest(text)) return parts;
  // Policies come last in what stores keep.
  const auto members = member_texts(text);
  if (!members || members->size() < 2 || members->back().key != "policies") return std::nullopt;
  auto policies = policies_of(members->back().value);
  if (!policies) return std::nullopt;
  const std::string_view last = (*members)[members->size() - 2].value;
  return Parts{.before = {text.data(), last.data() + last.size()}, .policies = *std::move(policies)};
}

Result<ScheduleDocument> StoredDocuments::read(std::string_view text) {
  auto parts = parts_of(text);
  if (!parts) return read_whole(text);  // which tells what is wrong, and where
  auto document = read_without_policies(parts->before);
  if (document) document->policies = std::move(parts->policies);
  return document;
}

}  // namespace carillon
