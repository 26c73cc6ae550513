#include "main/api_server.hpp"

#include "api/rest/problem.hpp"
#include "base/quoted.hpp"
#include "files/private_file.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>

namespace carillon {
namespace {

constexpr Duration stop_grace = std::chrono::seconds{5};

Result<http::ListenAddress> address_of(const std::string& text) {
  const auto wrong = [&] {
    Error error =
        fail(ErrorCode::invalid_argument, "--listen: {} is not an address and port", carillon::quoted(text)).error();
    error.hint = "--listen 127.0.0.1:7070, or --listen [::1]:7070";
    return std::unexpected(std::move(error));
  };
  const std::size_t colon = text.rfind(':');
  if (colon == std::string::npos || colon == 0) return wrong();
  http::ListenAddress address{.host = text.substr(0, colon)};
  const std::string_view port = std::string_view{text}.substr(colon + 1);
  const auto [stop, error] = std::from_chars(port.data(), port.data() + port.size(), address.port);
  if (error != std::errc{} || stop != port.data() + port.size()) return wrong();
  if (address.host.starts_with('[') && address.host.ends_with(']'))
    address.host = address.host.substr(1, address.host.size() - 2);
  if (address.host == "localhost") address.host = "127.0.0.1";
  return address;
}

bool is_loopback(std::string_view host) { return host.starts_with("127.") || host == "::1"; }

Result<http::ServerOptions> http_options(const ApiOptions& options, LoopMonitor& loops) {
  http::ServerOptions http;
  http.loops = &loops;
  http::ListenAddress address = TRY(address_of(options.listen));
  const bool has_tls = !options.certificate_file.empty() || !options.key_file.empty();
  if (!has_tls && !options.is_insecure && !is_loopback(address.host)) {
    Error error = fail(ErrorCode::invalid_argument,
                       "{} can be reached from other machines, and tokens would be sent unencrypted", options.listen)
                      .error();
    error.hint = "give --tls-cert FILE and --tls-key FILE, or --insecure if a proxy in front provides TLS";
    return std::unexpected(std::move(error));
  }
  address.is_tls = has_tls;
  http.listen = {address};
  if (has_tls) http.tls = http::TlsOptions{.certificate_file = options.certificate_file, .key_file = options.key_file};
  http.allowed_hosts = options.allowed_hosts;
  http.limits.connection_count_max = options.connection_count_max;
  http.limits.stream_count_max = std::min(http.limits.stream_count_max, options.connection_count_max);
  http.describe_refusal = [](int status, std::string_view detail) { return rest::problem_response(status, detail); };
  return http;
}

ServiceParts parts_of(const ApiOptions& options, Server& server, Clock& clock, ZoneSource& zones) {
  return {.store = server.ports(),
          .logs = server.logs(),
          .commands = server.commands(),
          .definitions = server.runtime().definitions(),
          .zones = zones,
          .clock = clock,
          .run_ids = server.run_ids(),
          .default_timezone = options.default_timezone,
          .command_rules = {.namespaces = {options.command_namespaces.begin(), options.command_namespaces.end()},
                            .users = server.command_users(),
                            .can_read_data = server.is_data_readable()},
          .secret_refusal = [&server](std::string_view reference) { return server.secret_refusal(reference); },
          .has_watched_folder = options.has_watched_folder,
          .source_findings = options.source_findings,
          .progress = &server.progress(),
          .items = server.items(),
          .pipelines = options.pipelines};
}

}  // namespace

Result<std::unique_ptr<ApiServer>> ApiServer::open(const ApiOptions& options, Server& server, Metrics& metrics,
                                                   Clock& clock, ZoneSource& zones, Log& log) {
  http::ServerOptions http = TRY(http_options(options, server.loops()));
  const std::string host = http.listen.front().host;
  const bool is_tls = http.listen.front().is_tls;
  std::unique_ptr<ApiServer> api{new ApiServer{options, server, metrics, clock, zones, log}};
  http.admit = [&rest = api->rest_](const http::Request& so_far, http::Verdict verdict) {
    rest.admit(so_far, std::move(verdict));
  };
  api->http_ = TRY(http::Server::open(
      std::move(http),
      [&rest = api->rest_](http::Request request, http::Responder responder) {
        rest.handle(std::move(request), std::move(responder));
      },
      log));
  const bool is_v6 = host.contains(':');
  api->url_ = fmt::format("{}://{}{}{}:{}", is_tls ? "https" : "http", is_v6 ? "[" : "", host, is_v6 ? "]" : "",
                          api->http_->port());
  server.close_ports({api->http_->port()});
  TRY(api->make_first_token());
  return api;
}

ApiServer::ApiServer(const ApiOptions& options, Server& server, Metrics& metrics, Clock& clock, ZoneSource& zones,
                     Log& log)
    : server_{server},
      application_{parts_of(options, server, clock, zones), {.loops = &server.loops()}, log},
      rest_{application_,
            probes(metrics, clock, zones),
            {.allowed_origins = options.allowed_origins, .loops = &server.loops()},
            log} {}

ApiServer::~ApiServer() { stop(); }

void ApiServer::stop() {
  rest_.stop();
  if (http_) http_->stop(stop_grace);
}

rest::Probes ApiServer::probes(Metrics& metrics, Clock& clock, ZoneSource& zones) {
  return {.stalled = [this] { return server_.loops().stalled(); },
          .unreadiness = [this]() -> std::optional<std::string> {
            if (is_stopping_) return std::string{"the server is stopping"};
            const StorePorts store = server_.ports();
            if (!server_.check_store_file()) return std::string{"the data folder was deleted or replaced"};
            if (const auto failure = store.health->failure()) return std::string{sentence_of(failure->kind)};
            return store.queries.read_totals() ? std::nullopt : std::optional<std::string>{"cannot read the store"};
          },
          .metrics =
              [this, &metrics, &clock, &zones] {
                const http::ServerCounts counts = http_->counts();
                return metrics.text(server_.ports().queries,
                                    {.store_failure = server_.ports().health->failure(),
                                     .time_since_tick = server_.runtime().time_since_tick(),
                                     .loops = server_.loops().states(),
                                     .version = CARILLON_VERSION,
                                     .tzdata = zones.names()->version,
                                     .http_requests = static_cast<std::int64_t>(counts.requests),
                                     .http_refusals = static_cast<std::int64_t>(counts.refusals),
                                     .http_connections = static_cast<std::int64_t>(counts.connections),
                                     .event_streams = static_cast<std::int64_t>(counts.streams),
                                     .dropped_streams = static_cast<std::int64_t>(counts.dropped_streams)},
                                    clock.now());
              },
          .version = CARILLON_VERSION,
          .pid = ::getpid(),
          .started_at = clock.now()};
}

// Whoever may read the folder may do anything: the token in it is for them. Removed, it is made anew.
Result<> ApiServer::make_first_token() {
  const auto file = server_.data() / "admin.token";
  if (TRY(read_private_file(file))) return {};
  const Caller server{.actor = "server", .address = {}, .role = Role::admin};
  const auto issued = application_.access().issue(server, {.name = "admin", .role = Role::admin});
  if (!issued) return fail(ErrorCode::unavailable, "{}", issued.error().message);
  return write_private_file(file, issued->text + "\n");
}

}  // namespace carillon
