#include "executors/pipeline/spool.hpp"

#include "base/quoted.hpp"
#include "files/private_file.hpp"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <utility>

namespace carillon::pipeline {
namespace {

namespace json = boost::json;

constexpr std::size_t spool_step = 64 * 1024;

ItemResult result_in(const json::object& document) {
  ItemResult result{.input = document.at("input").as_object(),
                    .output = document.at("output").as_object(),
                    .raw_text = {},
                    .error = {}};
  if (const json::value* text = document.if_contains("rawText")) result.raw_text = std::string{text->as_string()};
  if (const json::value* error = document.if_contains("error")) result.error = std::string{error->as_string()};
  return result;
}

ItemUsage usage_in(const json::object& document) {
  ItemUsage usage;
  if (const json::value* tokens = document.if_contains("inputTokens"))
    usage.usage.input_tokens = tokens->to_number<std::int64_t>();
  if (const json::value* tokens = document.if_contains("outputTokens"))
    usage.usage.output_tokens = tokens->to_number<std::int64_t>();
  if (const json::value* cost = document.if_contains("cost")) usage.cost = cost->to_number<double>();
  return usage;
}

}  // namespace

json::object document_of(const ItemResult& result, const ItemUsage& usage) {
  json::object document{{"input", result.input}, {"output", result.output}};
  if (result.raw_text) document.emplace("rawText", *result.raw_text);
  document.emplace("success", result.is_success());
  if (!result.is_success()) document.emplace("error", result.error);
  if (usage.usage.input_tokens) document.emplace("inputTokens", *usage.usage.input_tokens);
  if (usage.usage.output_tokens) document.emplace("outputTokens", *usage.usage.output_tokens);
  if (usage.cost) document.emplace("cost", *usage.cost);
  return document;
}

Result<Spool> Spool::make(const std::filesystem::path& folder) {
  FileDescriptor file{::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600)};
  if (!file.is_open())
    return fail(ErrorCode::unavailable, "cannot make a file in {}: {}", carillon::quoted(folder.native()),
                std::generic_category().message(errno));
  return Spool{std::move(file)};
}

Result<> Spool::add(std::string_view bytes) {
  TRY(write_open_file(file_.get(), "results", bytes));
  size_ += bytes.size();
  return {};
}

Result<std::string> Spool::read(std::uint64_t begin, std::size_t size) const {
  std::string bytes(size, '\0');
  std::size_t done = 0;
  while (done < size) {
    const ssize_t count = ::pread(file_.get(), bytes.data() + done, size - done, static_cast<off_t>(begin + done));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return fail(ErrorCode::unavailable, "results cannot be read any more");
    done += static_cast<std::size_t>(count);
  }
  return bytes;
}

Result<> Spool::read_all(const Sink& sink) const {
  for (std::uint64_t at = 0; at < size_; at += spool_step)
    sink(TRY(read(at, static_cast<std::size_t>(std::min<std::uint64_t>(spool_step, size_ - at)))));
  return {};
}

Result<ResultSpool> ResultSpool::make(const std::filesystem::path& folder) {
  return ResultSpool{std::make_shared<Shared>(TRY(Spool::make(folder)))};
}

Result<> ResultSpool::add(std::size_t place, const ItemResult& result, const ItemUsage& usage) {
  const std::string text = json::serialize(document_of(result, usage));
  const std::scoped_lock lock{shared_->mutex};
  const std::uint64_t begin = shared_->spool.size();
  TRY(shared_->spool.add(text));
  auto& places = shared_->places;
  if (places.size() <= place) places.resize(place + 1);
  places[place] = {.begin = begin, .size = static_cast<std::uint32_t>(text.size()), .is_success = result.is_success()};
  return {};
}

Result<std::optional<ResultSpool::Entry>> ResultSpool::next(std::size_t from, Choice choice) const {
  const std::scoped_lock lock{shared_->mutex};
  const auto& places = shared_->places;
  for (std::size_t i = from; i < places.size(); ++i) {
    const Place& place = places[i];
    const bool is_chosen = choice == Choice::all || place.is_success == (choice == Choice::succeeded);
    if (place.size == 0 || !is_chosen) continue;
    return Entry{.place = i, .text = TRY(shared_->spool.read(place.begin, place.size))};
  }
  return std::nullopt;
}

void ResultSpool::each(const std::function<void(const ItemResult&)>& take) const {
  each([&](const ItemResult& result, const ItemUsage&) { take(result); });
}

void ResultSpool::each(const std::function<void(const ItemResult&, const ItemUsage&)>& take) const {
  for (std::size_t from = 0;;) {
    const auto entry = next(from);
    if (!entry) {
      const std::scoped_lock lock{shared_->mutex};
      shared_->failure = entry.error();
    }
    if (!entry || !*entry) return;
    from = (*entry)->place + 1;
    const json::value document = json::parse((*entry)->text, {}, {.max_depth = 1'000});
    take(result_in(document.as_object()), usage_in(document.as_object()));
  }
}

std::optional<Error> ResultSpool::failure() const {
  const std::scoped_lock lock{shared_->mutex};
  return shared_->failure;
}

}  // namespace carillon::pipeline
