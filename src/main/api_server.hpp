#pragma once

#include "api/grpc/grpc_protocol.hpp"
#include "api/http/http_server.hpp"
#include "api/pages/pages.hpp"
#include "api/rest/rest_api.hpp"
#include "api/temporal/settings.hpp"
#include "api/temporal/temporal_api.hpp"
#include "api/temporal/workflow_callbacks.hpp"
#include "base/error.hpp"
#include "main/metrics.hpp"
#include "ports/clock.hpp"
#include "ports/log.hpp"
#include "ports/notifier.hpp"
#include "ports/zone_source.hpp"
#include "server/server.hpp"
#include "service/application.hpp"

#include <atomic>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace carillon {

struct ApiOptions {
  std::string listen{"127.0.0.1:7070"};      // HOST:PORT, `[::1]:7070`
  std::optional<std::string> grpc_listen{};  // HOST:PORT; none: the usual one, unless another program has it
  bool has_grpc = true;
  temporal::Settings temporal{};   // what this server is to clients of Temporal
  std::string certificate_file{};  // with a key: TLS
  std::string key_file{};
  bool is_insecure = false;  // lets others than this machine in without TLS
  std::vector<std::string> allowed_hosts{};
  std::vector<std::string> allowed_origins{};
  std::string default_timezone{"UTC"};
  std::vector<std::string> command_namespaces{};  // whose tokens may define commands
  std::size_t connection_count_max = 10'000;
  bool has_watched_folder = false;
  SourceFindings source_findings{};      // what is wrong with the files of that folder
  BrokenFiles broken_files{};            // the same, of files without a schedule in force
  PipelineCatalog* pipelines = nullptr;  // the packages of that folder
};

/// The addresses that the interfaces listen at, and their certificates. The first is that of REST.
[[nodiscard]] Result<http::ServerOptions> listen_options(const ApiOptions& options, LoopMonitor* loops);

/// The interfaces of a server: REST, its dashboard, and gRPC for clients of Temporal.
class ApiServer {
 public:
  /// Binds the address; makes the first token if there is none.
  [[nodiscard]] static Result<std::unique_ptr<ApiServer>> open(const ApiOptions& options, Server& server,
                                                               Metrics& metrics, Clock& clock, ZoneSource& zones,
                                                               Log& log);
  ~ApiServer();

  void start() { http_->start(); }
  /// The server is stopping: reads are answered until `stop`, what would begin something new is refused.
  void begin_shutdown() {
    application_.begin_shutdown([this] { return server_.runtime().running_count(); });
    is_stopping_ = true;
  }
  void stop();
  /// Reads the certificate again.
  [[nodiscard]] Result<> reload() { return http_->reload_certificates(); }

  [[nodiscard]] const std::string& url() const { return url_; }
  /// Where clients of Temporal are served, HOST:PORT; empty: nowhere.
  [[nodiscard]] const std::string& grpc_address() const { return grpc_address_; }
  /// A link that opens the dashboard once, for who may read the data folder; none if the token there is not valid.
  [[nodiscard]] std::optional<std::string> sign_in_url(Duration good_for);
  /// The application behind the interface, for what else this process has to ask of it.
  [[nodiscard]] Application& application() { return application_; }

 private:
  ApiServer(const ApiOptions& options, Server& server, Metrics& metrics, Clock& clock, ZoneSource& zones, Log& log);
  [[nodiscard]] rest::Probes probes(Metrics& metrics, Clock& clock, ZoneSource& zones);
  [[nodiscard]] Result<> make_first_token();

  Server& server_;
  std::atomic<bool> is_stopping_ = false;
  Application application_;
  rest::RestApi rest_;
  temporal::TemporalApi temporal_;
  grpc::GrpcProtocol grpc_{temporal_};
  temporal::WorkflowCallbacks callbacks_;
  pages::Pages pages_;
  std::unique_ptr<http::Server> http_;
  std::string url_;
  std::string grpc_address_;
};

}  // namespace carillon
