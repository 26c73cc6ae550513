#include "scheduling/adhoc_definition.hpp"

#include "definitions/schedule_document.hpp"
#include "document/document.hpp"

#include <boost/json/object.hpp>

#include <utility>

namespace carillon {
namespace {

/// It begins when it is queued: its document has no times, which is all that this is for.
constexpr std::int64_t adhoc_revision = 1;

}  // namespace

Result<DefinitionPtr> adhoc_definition(const QueuedRun& row, DefinitionCache& definitions) {
  const auto document = parse_json(row.payload.value_or("null"));
  if (!document || !document->is_object())
    return fail(ErrorCode::corrupt, "the document of job {} cannot be read", row.trigger);
  boost::json::value whole = *document;
  whole.get_object()["id"] = "job";
  whole.get_object()["namespace"] = row.name_space.empty() ? "default" : row.name_space;
  const auto schedule = read_schedule(whole, {});
  if (!schedule) return fail(ErrorCode::corrupt, "the document of job {} cannot be read", row.trigger);
  return definitions.compile_new(*schedule, adhoc_revision, row.nominal);
}

}  // namespace carillon
