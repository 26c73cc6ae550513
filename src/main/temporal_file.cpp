#include "main/temporal_file.hpp"

#include "base/quoted.hpp"
#include "document/document.hpp"
#include "document/reader.hpp"

#include <algorithm>
#include <fstream>
#include <utility>

namespace carillon {
namespace {

/// Settings are small: what is larger is some other file.
constexpr std::size_t settings_size_max = 1024 * 1024;

Result<std::string> read_settings_text(const std::string& file) {
  std::ifstream stream{file, std::ios::binary};
  std::string text(settings_size_max + 1, '\0');
  stream.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(std::max<std::streamsize>(stream.gcount(), 0)));
  if (stream.bad() || (text.empty() && !stream.eof()))
    return fail(ErrorCode::not_found, "cannot read {}", carillon::quoted(file));
  if (text.size() > settings_size_max)
    return fail(ErrorCode::invalid_argument, "{} is larger than {} bytes", carillon::quoted(file), settings_size_max);
  return text;
}

std::unexpected<Error> fault_in(const std::string& file, const Document& document, const Problem& problem) {
  const Position position = document.position(problem.pointer);
  Error error =
      fail(ErrorCode::invalid_argument, "{}:{}:{}: {}", file, position.line, position.column, problem.message).error();
  error.hint = problem.hint;
  return std::unexpected(std::move(error));
}

}  // namespace

Result<TemporalFile> read_temporal_file(const std::string& file) {
  TemporalFile read;
  if (!file.empty()) {
    const std::string text = TRY(while_doing(read_settings_text(file), "reading --temporal"));
    const Document document = TRY(while_doing(parse_document(file, text), "reading {}", file));
    auto settings = temporal::read_settings(document.root);
    if (!settings) return fault_in(file, document, settings.error().front());
    read.settings = *std::move(settings);
    const boost::json::object* const members = document.root.if_object();
    const boost::json::value* const clusters = members == nullptr ? nullptr : members->if_contains("clusters");
    Problems problems;
    if (clusters != nullptr) read.clusters = workflows::read_clusters(*clusters, "/clusters", problems);
    if (!problems.empty()) return fault_in(file, document, problems.front());
    for (const workflows::ClusterSettings& cluster : read.clusters) read.settings.clusters.push_back(cluster.name);
  }
  read.settings.carillon_version = CARILLON_VERSION;
  return read;
}

}  // namespace carillon
