#include "executors/pipeline/prepared_run.hpp"

#include "executors/pipeline/csv_input.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <variant>

namespace carillon::pipeline {
namespace {

PreparationFailure broken_in(const Pipeline& pipeline, Phase phase, std::string error) {
  return {.pipeline = pipeline.name, .phase = phase, .error = std::move(error)};
}

Error failed_to_resolve(std::string_view what, Error error) {
  error.message = fmt::format("Failed to resolve {}: {}", what, error.message);
  return error;
}

Result<std::string> skill_text(const std::string& name, PackageFiles& files) {
  auto text = prompt_of_file(TRY(files.read_skill(name)));
  if (!text)
    return fail(ErrorCode::invalid_argument, "Skill \"{}\" has empty SKILL.md after stripping frontmatter", name);
  return text;
}

/// The texts of one step.
Result<AskingTexts> texts_of(const Asking& asking, Phase phase, PackageFiles& files) {
  AskingTexts texts{.prompt = asking.prompt.text, .skill = {}};
  if (asking.prompt.is_file) {
    const auto file = files.read_prompt(asking.prompt.text);
    auto text = file ? prompt_of_file(*file) : file;
    if (!text) return std::unexpected(failed_to_resolve(fmt::format("{} prompt", to_text(phase)), text.error()));
    texts.prompt = *std::move(text);
  }
  if (asking.skill) {
    auto text = skill_text(*asking.skill, files);
    if (!text)
      return std::unexpected(
          failed_to_resolve(fmt::format("{} skill \"{}\"", to_text(phase), *asking.skill), text.error()));
    texts.skill = *std::move(text);
  }
  return texts;
}

struct StepTexts {
  const Asking* asking;
  Phase phase;
  AskingTexts RunTexts::* texts;
};

std::vector<StepTexts> steps_of(const Pipeline& pipeline) {
  if (const auto* job = std::get_if<Job>(&pipeline.work)) return {{&job->asking, Phase::job, &RunTexts::job}};
  const auto& work = std::get<MapReduce>(pipeline.work);
  std::vector<StepTexts> steps{{&work.map.asking, Phase::map, &RunTexts::map}};
  if (work.reduce.asking) steps.push_back({&*work.reduce.asking, Phase::reduce, &RunTexts::reduce});
  if (work.filter && work.filter->ai) steps.push_back({&work.filter->ai->asking, Phase::filter, &RunTexts::filter});
  return steps;
}

std::optional<PreparationFailure> read_texts(PreparedRun& run, PackageFiles& files) {
  for (const StepTexts& step : steps_of(run.pipeline)) {
    auto texts = texts_of(*step.asking, step.phase, files);
    if (!texts) return broken_in(run.pipeline, step.phase, texts.error().message);
    run.texts.*step.texts = *std::move(texts);
  }
  return std::nullopt;
}

std::size_t within_limit(std::size_t count, const Input& input) {
  return input.limit ? std::min(count, static_cast<std::size_t>(std::max<std::int64_t>(*input.limit, 0))) : count;
}

Result<> read_rows(PreparedRun& run, PackageFiles& files) {
  const auto* work = std::get_if<MapReduce>(&run.pipeline.work);
  if (work == nullptr) return {};
  if (const auto* items = std::get_if<std::vector<Item>>(&work->input.source))
    run.total = within_limit(items->size(), work->input);
  const auto* source = std::get_if<CsvSource>(&work->input.source);
  if (source == nullptr) return {};
  const CsvInput csv = TRY(survey_csv(TRY(files.open_csv(source->path)), source->path, source->delimiter));
  files.note_digest(csv.name, csv.digest);
  run.open_input = rows_of(csv);
  run.total = within_limit(csv.row_count, work->input);
  return {};
}

}  // namespace

std::expected<PreparedRun, PreparationFailure> prepare_run(const PackagePlace& place, std::string_view default_timezone,
                                                           const Overrides& overrides,
                                                           const std::optional<SnapshotPlace>& snapshot) {
  auto files = PackageFiles::open(place, snapshot);
  if (!files) return std::unexpected(PreparationFailure{.error = files.error().message});
  const auto document = files->read_document();
  if (!document) return std::unexpected(PreparationFailure{.error = document.error().message});
  auto pipeline = read_pipeline_text(document->name, document->text, default_timezone, overrides);
  if (!pipeline)
    return std::unexpected(PreparationFailure{.error = pipeline.error().front().message, .faults = pipeline.error()});
  PreparedRun run{.pipeline = *std::move(pipeline),
                  .texts = {},
                  .open_input = {},
                  .total = {},
                  .digests = {},
                  .package = files->path()};
  if (auto failure = read_texts(run, *files)) return std::unexpected(*std::move(failure));
  if (const auto rows = read_rows(run, *files); !rows)
    return std::unexpected(
        broken_in(run.pipeline, Phase::input, fmt::format("Failed to read input: {}", rows.error().message)));
  if (const auto kept = files->keep(); !kept)
    return std::unexpected(broken_in(run.pipeline, Phase::input, kept.error().message));
  run.digests = files->digests();
  return run;
}

}  // namespace carillon::pipeline
