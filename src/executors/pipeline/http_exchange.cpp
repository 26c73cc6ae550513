#include "executors/pipeline/http_exchange.hpp"

#include "base/assertion.hpp"
#include "base/duration_text.hpp"
#include "executors/pipeline/broken_pipe.hpp"

#include <curl/curl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <memory>
#include <new>
#include <string_view>

namespace carillon::pipeline {
namespace {

constexpr std::size_t reply_header_size_max = 256 * 1024;
constexpr int exchange_poll_ms = 1'000;

struct FreeMulti {
  void operator()(CURLM* multi) const { curl_multi_cleanup(multi); }
};
struct FreeEasy {
  void operator()(CURL* easy) const { curl_easy_cleanup(easy); }
};
struct FreeLines {
  void operator()(curl_slist* lines) const { curl_slist_free_all(lines); }
};

/// One request on its way.
class Exchange {
 public:
  Exchange(const HttpQuestionRequest& request, const HttpProviderOptions& options)
      : request_{request}, options_{options}, easy_{curl_easy_init()}, multi_{curl_multi_init()} {
    if (!easy_ || !multi_) throw std::bad_alloc{};
    set_rules();
    set_request();
    CARILLON_ASSERT(curl_multi_add_handle(multi_.get(), easy_.get()) == CURLM_OK);
  }
  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;
  ~Exchange() { curl_multi_remove_handle(multi_.get(), easy_.get()); }

  std::expected<HttpReply, ProviderFailure> perform(const std::stop_token& stop) {
    const BrokenPipeBlocked blocked;
    const std::stop_callback wake{stop, [this] { curl_multi_wakeup(multi_.get()); }};
    while (!stop.stop_requested()) {
      int active = 0;
      curl_multi_perform(multi_.get(), &active);
      int left = 0;
      if (const CURLMsg* message = curl_multi_info_read(multi_.get(), &left)) return outcome_of(message->data.result);
      curl_multi_poll(multi_.get(), nullptr, 0, exchange_poll_ms, nullptr);
    }
    return std::unexpected(ProviderFailure{.message = "cancelled", .is_cancelled = true});
  }

 private:
  template <typename Value>
  void set(CURLoption option, Value value) {
    // An option that is not obeyed may be one that protects.
    CARILLON_ASSERT(curl_easy_setopt(easy_.get(), option, value) == CURLE_OK);
  }

  void set_rules() {
    set(CURLOPT_NOSIGNAL, 1L);
    set(CURLOPT_ERRORBUFFER, error_.data());
    set(CURLOPT_PROTOCOLS_STR, "http,https");
    set(CURLOPT_FOLLOWLOCATION, 0L);
    set(CURLOPT_PROXY, "");
    set(CURLOPT_NETRC, static_cast<long>(CURL_NETRC_IGNORED));
    // libcurl repeats a request on a kept connection that turns out to be dead, and a question is paid for.
    set(CURLOPT_FRESH_CONNECT, 1L);
    set(CURLOPT_FORBID_REUSE, 1L);
    set(CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_1_1));
    set(CURLOPT_SSLVERSION, static_cast<long>(CURL_SSLVERSION_TLSv1_2));
    set(CURLOPT_SSL_VERIFYPEER, 1L);
    set(CURLOPT_SSL_VERIFYHOST, 2L);
    if (!options_.certificate_authorities.empty()) set(CURLOPT_CAINFO, options_.certificate_authorities.c_str());
    set(CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(options_.connect_timeout / std::chrono::milliseconds{1}));
    set(CURLOPT_TIMEOUT_MS, std::max(1L, static_cast<long>(request_.timeout / std::chrono::milliseconds{1})));
    set(CURLOPT_QUICK_EXIT, 1L);
    set(CURLOPT_OPENSOCKETFUNCTION, &Exchange::on_open_socket);
    set(CURLOPT_OPENSOCKETDATA, this);
    set(CURLOPT_HEADERFUNCTION, &Exchange::on_header);
    set(CURLOPT_HEADERDATA, this);
    set(CURLOPT_WRITEFUNCTION, &Exchange::on_body);
    set(CURLOPT_WRITEDATA, this);
  }

  void set_request() {
    set(CURLOPT_URL, request_.url.c_str());
    set(CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(request_.body.size()));
    set(CURLOPT_POSTFIELDS, request_.body.data());
    add_line("Expect:");
    for (const auto& [name, value] : request_.headers) add_line(name + ": " + value);
    set(CURLOPT_HTTPHEADER, lines_.get());
  }

  void add_line(const std::string& line) {
    curl_slist* longer = curl_slist_append(lines_.get(), line.c_str());
    if (longer == nullptr) throw std::bad_alloc{};
    (void)lines_.release();
    lines_.reset(longer);
  }

  std::expected<HttpReply, ProviderFailure> outcome_of(CURLcode code) {
    if (is_too_large_)
      return std::unexpected(
          ProviderFailure{.kind = FailureClass::answer,
                          .message = fmt::format("the reply has more than {} bytes", options_.reply_size_max)});
    if (code != CURLE_OK) return std::unexpected(failure_of_code(code));
    long status = 0;
    curl_easy_getinfo(easy_.get(), CURLINFO_RESPONSE_CODE, &status);
    reply_.status = status;
    return std::move(reply_);
  }

  [[nodiscard]] ProviderFailure failure_of_code(CURLcode code) const {
    if (code == CURLE_COULDNT_CONNECT && !refusal_.empty() && !is_connection_tried_)
      return {.kind = FailureClass::hopeless, .message = refusal_};
    if (code == CURLE_URL_MALFORMAT || code == CURLE_UNSUPPORTED_PROTOCOL)
      return {.kind = FailureClass::hopeless, .message = "the provider's URL cannot be called"};
    if (code == CURLE_OPERATION_TIMEDOUT)
      return {.message = fmt::format("no answer within {}", carillon::to_text(request_.timeout)), .is_timeout = true};
    return {.message = fmt::format("the provider cannot be reached: {}",
                                   error_[0] != '\0' ? error_.data() : curl_easy_strerror(code))};
  }

  curl_socket_t open_socket(const curl_sockaddr& target) {
    if (options_.address_refusal) {
      if (auto refusal = options_.address_refusal(target.addr)) {
        refusal_ = *std::move(refusal);
        return CURL_SOCKET_BAD;
      }
    }
    is_connection_tried_ = true;
    return ::socket(target.family, target.socktype | SOCK_CLOEXEC, target.protocol);
  }

  void take_header(std::string_view line) {
    while (line.ends_with('\n') || line.ends_with('\r')) line.remove_suffix(1);
    const std::size_t colon = line.find(':');
    if (colon == line.npos) return;
    std::string name{line.substr(0, colon)};
    for (char& c : name) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    std::string_view value = line.substr(colon + 1);
    value.remove_prefix(std::min(value.find_first_not_of(" \t"), value.size()));
    value = value.substr(0, value.find_last_not_of(" \t") + 1);
    reply_.headers.insert_or_assign(std::move(name), std::string{value});
  }

  static curl_socket_t on_open_socket(void* self, curlsocktype, curl_sockaddr* target) noexcept {
    return static_cast<Exchange*>(self)->open_socket(*target);
  }
  static std::size_t on_header(char* bytes, std::size_t, std::size_t count, void* self) noexcept {
    Exchange& exchange = *static_cast<Exchange*>(self);
    exchange.header_size_ += count;
    if (exchange.header_size_ > reply_header_size_max) return 0;
    exchange.take_header({bytes, count});
    return count;
  }
  static std::size_t on_body(char* bytes, std::size_t, std::size_t count, void* self) noexcept {
    Exchange& exchange = *static_cast<Exchange*>(self);
    exchange.is_too_large_ = exchange.reply_.body.size() + count > exchange.options_.reply_size_max;
    if (exchange.is_too_large_) return 0;
    exchange.reply_.body.append(bytes, count);
    return count;
  }

  const HttpQuestionRequest& request_;
  const HttpProviderOptions& options_;
  HttpReply reply_;
  std::size_t header_size_ = 0;
  bool is_too_large_ = false;
  bool is_connection_tried_ = false;
  std::string refusal_;
  std::array<char, CURL_ERROR_SIZE> error_{};
  std::unique_ptr<curl_slist, FreeLines> lines_;
  std::unique_ptr<CURL, FreeEasy> easy_;
  std::unique_ptr<CURLM, FreeMulti> multi_;
};

}  // namespace

std::expected<HttpReply, ProviderFailure> exchange(const HttpQuestionRequest& request,
                                                   const HttpProviderOptions& options, const std::stop_token& stop) {
  static const CURLcode is_initialized = curl_global_init(CURL_GLOBAL_DEFAULT);
  CARILLON_ASSERT(is_initialized == CURLE_OK);
  return Exchange{request, options}.perform(stop);
}

}  // namespace carillon::pipeline
