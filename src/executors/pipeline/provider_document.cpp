#include "executors/pipeline/provider_document.hpp"

#include "base/quoted.hpp"
#include "definitions/url.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <fmt/format.h>

#include <array>
#include <utility>

namespace carillon::pipeline {
namespace {

namespace json = boost::json;

constexpr std::array<std::string_view, 3> type_words{"http", "command", "mock"};
constexpr std::array<std::string_view, 2> style_words{"openai", "anthropic"};
constexpr std::array<std::string_view, 2> switch_words{"on", "off"};
constexpr std::int64_t concurrency_limit_max = 1'000;
constexpr std::int64_t rate_limit_max = 1'000'000'000;

std::optional<std::int64_t> count_within(ObjectReader& reader, std::string_view key, std::int64_t count_max) {
  const auto count = reader.integer(key);
  if (count && (*count < 1 || *count > count_max)) {
    reader.problem(key, "out-of-range", fmt::format("{} must be from 1 to {}", key, count_max));
    return std::nullopt;
  }
  return count;
}

ProviderLimits read_limits(ObjectReader& provider, Problems& problems) {
  ProviderLimits limits;
  const json::value* value = provider.member("limits");
  if (value == nullptr) return limits;
  ObjectReader reader{*value, provider.pointer("limits"), problems};
  limits.concurrency = count_within(reader, "concurrency", concurrency_limit_max).value_or(limits.concurrency);
  limits.requests_per_minute = count_within(reader, "requestsPerMinute", rate_limit_max);
  limits.tokens_per_minute = count_within(reader, "tokensPerMinute", rate_limit_max);
  reader.finish();
  return limits;
}

double read_price(ObjectReader& reader, std::string_view key) {
  const json::value* value = reader.member(key);
  if (value == nullptr) return 0;
  boost::system::error_code error;
  const double price = value->to_number<double>(error);
  if (error || price < 0)
    reader.problem(key, "wrong-type", fmt::format("{} must be a price, 0 or more", key), "write 2.5");
  return error ? 0 : price;
}

PriceTable read_prices(ObjectReader& provider, Problems& problems) {
  PriceTable prices;
  const json::value* value = provider.member("prices");
  if (value == nullptr) return prices;
  const json::object* models = value->if_object();
  if (models == nullptr) {
    provider.problem("prices", "wrong-type", "prices must be a map of models",
                     "write prices: {MODEL: {input: 3, output: 15}}");
    return prices;
  }
  for (const auto& [model, price] : *models) {
    ObjectReader reader{price, provider.pointer("prices") + "/" + std::string{model}, problems};
    prices.emplace(std::string{model},
                   Price{.input = read_price(reader, "input"), .output = read_price(reader, "output")});
    reader.finish();
  }
  return prices;
}

bool read_switch(ObjectReader& reader, std::string_view key) {
  // YAML's on and off are texts here; true and false are meant the same.
  if (const json::value* value = reader.member(key); value != nullptr && value->is_bool()) return value->get_bool();
  return reader.word(key, switch_words) == 0U;
}

/// A key that stands in a file is one that is read by others.
std::string read_key(ObjectReader& reader) {
  const auto key = reader.text("key");
  if (!key) return {};
  if (!parse_reference(*key))
    reader.problem("key", "secret-in-plain-text", "key must be a reference to a secret",
                   "write key: ${secret:NAME} or ${env:NAME}");
  return std::string{*key};
}

HttpProviderSettings read_http(ObjectReader& reader) {
  HttpProviderSettings http{.url = {}, .key = read_key(reader), .terms = {}};
  const auto url = reader.text("url");
  if (!url)
    reader.problem("url", "missing-key", "an http provider needs url",
                   "write the whole URL: https://api.openai.com/v1/chat/completions");
  else if (const auto error = check_url(*url))
    reader.problem("url", *error);
  http.url = url.value_or("");
  const auto style = reader.word("style", style_words);
  http.terms.style = style == 1U ? HttpStyle::anthropic : HttpStyle::openai;
  http.terms.has_schema = read_switch(reader, "schema");
  if (http.terms.has_schema && http.terms.style == HttpStyle::anthropic)
    reader.problem("schema", "unavailable", "schema can be enforced in openai style only", "leave schema out");
  http.terms.output_tokens_max = count_within(reader, "maxOutputTokens", rate_limit_max);
  return http;
}

std::vector<std::string> read_argv(ObjectReader& reader) {
  std::vector<std::string> argv;
  const json::value* value = reader.member("argv");
  const json::array* list = value == nullptr ? nullptr : value->if_array();
  if (list != nullptr) {
    for (const json::value& one : *list) {
      if (const json::string* text = one.if_string()) argv.emplace_back(*text);
    }
  }
  if (list == nullptr || argv.empty() || argv.size() != list->size())
    reader.problem("argv", "missing-key", "a command provider needs argv, a list of texts",
                   "write argv: [llm, -m, gpt-4o]");
  return argv;
}

TextMap read_environment(ObjectReader& reader) {
  TextMap environment;
  const json::value* value = reader.member("env");
  if (value == nullptr) return environment;
  const json::object* variables = value->if_object();
  if (variables == nullptr) reader.problem("env", "wrong-type", "env must be a map of texts");
  if (variables == nullptr) return environment;
  for (const auto& [name, text] : *variables) {
    const json::string* words = text.if_string();
    if (words == nullptr)
      reader.problem("env", "wrong-type", fmt::format("the variable {} must be text", carillon::quoted(name)));
    else if (const auto error = check_references(*words))
      reader.problem("env", *error);
    else
      environment.emplace(std::string{name}, std::string{*words});
  }
  return environment;
}

MockProviderSettings read_mock(ObjectReader& reader) {
  const auto answers = reader.text("answers");
  return {.answers = answers ? std::optional{std::string{*answers}} : std::nullopt};
}

ProviderSettings read_provider(const json::value& document, std::string pointer, Problems& problems) {
  ObjectReader reader{document, std::move(pointer), problems};
  ProviderSettings settings;
  const auto type = reader.word("type", type_words);
  if (!type && reader.member("type") == nullptr && document.is_object())
    reader.problem("type", "missing-key", "a provider needs type", "write type: http, command or mock");
  if (type == 0U) settings.how = read_http(reader);
  if (type == 1U)
    settings.how = CommandProviderSettings{.argv = read_argv(reader), .environment = read_environment(reader)};
  if (type == 2U) settings.how = read_mock(reader);
  settings.terms.model = std::string{reader.text("model").value_or("")};
  if (type == 0U && settings.terms.model.empty())
    reader.problem("model", "missing-key", "an http provider needs model",
                   "name the model of questions that name none");
  settings.terms.limits = read_limits(reader, problems);
  settings.terms.prices = read_prices(reader, problems);
  // Without a type nobody knows which keys there may be.
  if (type) reader.finish();
  return settings;
}

}  // namespace

Checked<ProvidersSettings> read_providers(const json::value& document) {
  Problems problems;
  ObjectReader reader{document, "", problems};
  ProvidersSettings settings;
  if (const auto name = reader.text("default")) settings.default_provider = std::string{*name};
  const json::value* providers = reader.member("providers");
  const json::object* map = providers == nullptr ? nullptr : providers->if_object();
  if (map == nullptr && document.is_object())
    reader.problem("providers", "missing-key", "providers must be a map of names and providers",
                   "write providers: {demo: {type: mock}}");
  if (map != nullptr) {
    for (const auto& [name, value] : *map)
      settings.providers.emplace(std::string{name}, read_provider(value, "/providers/" + std::string{name}, problems));
  }
  if (settings.default_provider && !settings.providers.contains(*settings.default_provider))
    reader.problem("default", "not-found",
                   fmt::format("there is no provider {}", carillon::quoted(*settings.default_provider)));
  reader.finish();
  if (!problems.empty()) return std::unexpected(std::move(problems));
  return settings;
}

}  // namespace carillon::pipeline
