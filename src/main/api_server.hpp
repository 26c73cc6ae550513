#pragma once

#include "api/http/http_server.hpp"
#include "api/rest/rest_api.hpp"
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
  std::string listen{"127.0.0.1:7070"};  // HOST:PORT, `[::1]:7070`
  std::string certificate_file{};        // with a key: TLS
  std::string key_file{};
  bool is_insecure = false;  // lets others than this machine in without TLS
  std::vector<std::string> allowed_hosts{};
  std::vector<std::string> allowed_origins{};
  std::string default_timezone{"UTC"};
  std::vector<std::string> command_namespaces{};  // whose tokens may define commands
  std::size_t connection_count_max = 10'000;
  bool has_watched_folder = false;
  SourceFindings source_findings{};      // what is wrong with the files of that folder
  PipelineCatalog* pipelines = nullptr;  // the packages of that folder
};

/// The REST interface of a server.
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
  std::unique_ptr<http::Server> http_;
  std::string url_;
};

}  // namespace carillon
