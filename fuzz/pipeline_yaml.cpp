#include "base/assertion.hpp"
#include "pipeline/mock_answers.hpp"
#include "pipeline/pipeline_document.hpp"
#include "pipeline/run_document.hpp"
#include "pipeline/run_plan.hpp"

#include <cstddef>
#include <cstdint>
#include <string_view>

using namespace carillon;

namespace {

constexpr std::size_t questions_max = 50;

/// Goes through a run whose questions are answered with themselves: they hold what the document says.
void run_with_echo(const pipeline::Pipeline& pipeline) {
  pipeline::KeptResults results;
  pipeline::RunAccess access = results.access(pipeline::input_of({{{"a", "1"}, {"b", 2}}}));
  const pipeline::EachResult each = access.each_result;
  pipeline::PipelineRun run{pipeline, pipeline::inline_texts(pipeline), std::move(access)};
  for (std::size_t count = 0; !run.is_done(); ++count) {
    const auto question = run.next();
    if (!question) continue;
    if (count > questions_max) return;
    if (count % 3 == 2) {
      run.fail(question->number, "failed");
    } else {
      run.answer(question->number, question->question.prompt);
    }
  }
  CARILLON_ASSERT(run.outcome().is_success() || !run.outcome().error.empty());
  static_cast<void>(pipeline::write_run(run, each));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const std::string_view text{reinterpret_cast<const char*>(bytes), size};
  const auto pipeline = pipeline::read_pipeline_text("pipeline.yaml", text, "UTC");
  if (!pipeline) {
    CARILLON_ASSERT(!pipeline.error().empty());
    for (const auto& fault : pipeline.error()) CARILLON_ASSERT(!fault.message.empty());
    return 0;
  }
  run_with_echo(*pipeline);
  return 0;
}
