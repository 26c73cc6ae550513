#pragma once

#include "base/instant.hpp"
#include "base/secret_mask.hpp"
#include "executors/http/http_answer.hpp"
#include "executors/http/http_options.hpp"
#include "executors/http/http_request.hpp"
#include "ports/clock.hpp"
#include "ports/executor.hpp"

#include <curl/curl.h>

#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace carillon {

/// One request on its way: a handle of libcurl, what is decided while it runs, and what has come back. Used by the one
/// thread that moves all transfers.
class Transfer {
 public:
  Transfer(const AttemptKey& key, Duration launch_before, HttpRequest request, const HttpOptions& options, Clock& clock,
           AttemptEvents& events);
  Transfer(const Transfer&) = delete;
  Transfer& operator=(const Transfer&) = delete;

  [[nodiscard]] const AttemptKey& key() const { return key_; }
  [[nodiscard]] CURL* handle() { return handle_.get(); }
  [[nodiscard]] static Transfer& of(CURL* handle);

  /// Whether it must not be launched any more.
  [[nodiscard]] bool is_late() const;
  [[nodiscard]] bool is_launched() const { return is_launched_; }
  /// Whether its answer has begun and does not go on. How long a server thinks before is bounded by the time for all.
  [[nodiscard]] bool is_idle() const;

  /// Shows what is left of the answer and says how it ended, after libcurl is done with it.
  [[nodiscard]] AttemptEnd conclude(CURLcode code);
  /// The same for one that is to be ended because it is idle.
  [[nodiscard]] AttemptEnd conclude_idle();

 private:
  void set_up();
  void set_request();
  [[nodiscard]] bool may_connect(const curl_sockaddr& target);
  [[nodiscard]] bool begin_request();
  void take_header(std::string_view line);
  [[nodiscard]] bool take_body(std::string_view bytes);
  void show(std::string bytes);
  void note_progress(std::size_t size);
  [[nodiscard]] AttemptEnd failure() const;
  [[nodiscard]] AttemptEnd failure(CURLcode code) const;

  static curl_socket_t on_open_socket(void* self, curlsocktype purpose, curl_sockaddr* target) noexcept;
  static int on_request(void* self, char* remote, char* local, int remote_port, int local_port) noexcept;
  static std::size_t on_header(char* bytes, std::size_t size, std::size_t count, void* self) noexcept;
  static std::size_t on_body(char* bytes, std::size_t size, std::size_t count, void* self) noexcept;

  template <typename Value>
  void set(CURLoption option, Value value);
  [[nodiscard]] long info(CURLINFO which) const;

  const AttemptKey key_;
  const Duration launch_before_;
  const HttpRequest request_;
  const HttpOptions& options_;
  Clock& clock_;
  AttemptEvents& events_;

  SecretMask mask_;
  HttpAnswer answer_;
  std::size_t header_size_ = 0;
  std::size_t body_size_ = 0;
  std::optional<Duration> progress_at_;  // by the boot clock; none before the answer has begun
  std::size_t size_since_progress_ = 0;
  bool is_refused_as_late_ = false;
  bool is_connection_tried_ = false;
  bool is_launched_ = false;
  bool is_cut_ = false;
  std::string refusal_;  // why the last address that was refused may not be called

  std::array<char, CURL_ERROR_SIZE> curl_error_{};
  std::unique_ptr<curl_slist, decltype(&curl_slist_free_all)> header_lines_{nullptr, curl_slist_free_all};
  std::unique_ptr<CURL, decltype(&curl_easy_cleanup)> handle_;
};

}  // namespace carillon
