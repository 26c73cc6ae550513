#include "service/pipelines.hpp"

#include "base/quoted.hpp"
#include "pipeline/pipeline_document.hpp"

#include <boost/json/object.hpp>

#include <string>
#include <string_view>

namespace carillon {
namespace {

namespace json = boost::json;

bool knows_pipelines(const Caller& caller) { return caller.knows(NamespaceId::parse("default").value()); }

std::unexpected<Refusal> wrong_request() {
  return std::unexpected(Refusal{Refusal::Kind::invalid, "invalid", "give either the path of a package or a document",
                                 R"({"path": "daily-report"}, or {"document": "name: …"})"});
}

/// The one member of a request, which must be a text.
Served<std::string> text_in(const json::object& request, std::string_view name) {
  const json::value* value = request.if_contains(name);
  if (value == nullptr || !value->is_string()) return wrong_request();
  return std::string{value->get_string()};
}

std::vector<PipelineFault> faults_in(const std::string& text, std::string_view default_timezone) {
  std::vector<PipelineFault> faults;
  if (const auto read = pipeline::read_pipeline_text("pipeline.yaml", text, default_timezone); !read)
    for (const pipeline::FileFault& fault : read.error())
      faults.push_back({.file = fault.file,
                        .line = fault.position.line,
                        .column = fault.position.column,
                        .code = fault.code,
                        .message = fault.message,
                        .hint = fault.hint});
  return faults;
}

}  // namespace

Served<PipelinePage> Pipelines::list(const Caller& caller, std::size_t from, std::size_t count_max) {
  if (parts_.pipelines == nullptr || !knows_pipelines(caller)) return PipelinePage{};
  PipelinePage page{.list = TRY(parts_.pipelines->list(from, count_max))};
  if (const std::size_t next = from + page.list.items.size(); next < page.list.total && !page.list.items.empty())
    page.next = next;
  return page;
}

Served<std::vector<PipelineFault>> Pipelines::validate(const Caller& caller, const json::value& request) {
  const json::object* const members = request.if_object();
  if (members == nullptr || members->size() != 1) return wrong_request();
  if (members->contains("document")) return faults_in(TRY(text_in(*members, "document")), parts_.default_timezone);
  if (parts_.pipelines == nullptr || !knows_pipelines(caller))
    return std::unexpected(Refusal{Refusal::Kind::not_found, "not_found", "this server has no folder of pipelines",
                                   "start it with carillon scheduler start DIR, or carillon serve --watch DIR"});
  const std::string path = TRY(text_in(*members, "path"));
  auto faults = parts_.pipelines->check_package(path);
  if (!faults && faults.error().code == ErrorCode::not_found)
    return std::unexpected(Refusal{Refusal::Kind::not_found, "not_found",
                                   fmt::format("there is no pipeline {}", quoted(path)),
                                   "list them with GET /api/v1/pipelines"});
  if (!faults) return std::unexpected(Refusal{faults.error()});
  return *std::move(faults);
}

}  // namespace carillon
