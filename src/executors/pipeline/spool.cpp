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

}  // namespace

json::object document_of(const ItemResult& result) {
  json::object document{{"input", result.input}, {"output", result.output}};
  if (result.raw_text) document.emplace("rawText", *result.raw_text);
  document.emplace("success", result.is_success());
  if (!result.is_success()) document.emplace("error", result.error);
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
  return ResultSpool{TRY(Spool::make(folder))};
}

Result<> ResultSpool::add(std::size_t place, const ItemResult& result) {
  const std::string text = json::serialize(document_of(result));
  if (places_.size() <= place) places_.resize(place + 1);
  places_[place] = {.begin = spool_.size(), .size = static_cast<std::uint32_t>(text.size())};
  return spool_.add(text);
}

void ResultSpool::each(const std::function<void(const ItemResult&)>& take) const {
  for (const Place& place : places_) {
    if (place.size == 0) continue;
    const auto text = spool_.read(place.begin, place.size);
    if (!text) {
      failure_ = text.error();
      return;
    }
    take(result_in(json::parse(*text, {}, {.max_depth = 1'000}).as_object()));
  }
}

}  // namespace carillon::pipeline
