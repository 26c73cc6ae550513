#include "client/curl_transport.hpp"

#include <curl/curl.h>
#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace carillon {
namespace {

constexpr std::size_t body_size_max = 256 * 1024 * 1024;

/// What comes back, as libcurl hands it over.
struct Receiver {
  ServerAnswer answer{};
  const Transport::Sink* sink = nullptr;
  bool is_ended_by_sink = false;
  bool is_too_large = false;
};

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.front())) != 0) text.remove_prefix(1);
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back())) != 0) text.remove_suffix(1);
  return text;
}

std::size_t take_header(const char* data, std::size_t /*size*/, std::size_t count, void* target) {
  auto& receiver = *static_cast<Receiver*>(target);
  const std::string_view line{data, count};
  // An answer 100 or a redirection comes before the one that counts.
  if (line.starts_with("HTTP/")) {
    receiver.answer.headers.clear();
    const std::size_t blank = line.find(' ');
    receiver.answer.status = blank == std::string_view::npos ? 0 : std::atoi(line.data() + blank + 1);
    return count;
  }
  const std::size_t colon = line.find(':');
  if (colon == std::string_view::npos) return count;
  std::string name{line.substr(0, colon)};
  std::ranges::transform(name, name.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  receiver.answer.headers.emplace_back(std::move(name), std::string{trimmed(line.substr(colon + 1))});
  return count;
}

std::size_t take_body(const char* data, std::size_t /*size*/, std::size_t count, void* target) {
  auto& receiver = *static_cast<Receiver*>(target);
  const std::string_view piece{data, count};
  if (receiver.sink != nullptr && receiver.answer.is_success()) {
    receiver.is_ended_by_sink = !(*receiver.sink)(piece);
    return receiver.is_ended_by_sink ? 0 : count;
  }
  receiver.is_too_large = receiver.answer.body.size() + count > body_size_max;
  if (receiver.is_too_large) return 0;
  receiver.answer.body += piece;
  return count;
}

/// `127.0.0.1:7070` of `http://127.0.0.1:7070/api`.
std::string_view host_of(std::string_view url) {
  if (const std::size_t scheme = url.find("://"); scheme != std::string_view::npos) url.remove_prefix(scheme + 3);
  return url.substr(0, url.find('/'));
}

std::string reason_of(CURLcode code, const char* detail) {
  switch (code) {
    case CURLE_COULDNT_CONNECT: return "connection refused";
    case CURLE_COULDNT_RESOLVE_HOST: return "no such host";
    case CURLE_OPERATION_TIMEDOUT: return "no answer in time";
    case CURLE_GOT_NOTHING:
    case CURLE_RECV_ERROR: return "the connection broke";
    default: break;
  }
  return *detail != '\0' ? std::string{detail} : std::string{::curl_easy_strerror(code)};
}

}  // namespace

class CurlTransport::Handle {
 public:
  Handle() : curl_{::curl_easy_init()} {}
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  ~Handle() {
    ::curl_slist_free_all(headers_);
    ::curl_easy_cleanup(curl_);
  }

  Result<ServerAnswer> perform(const ServerRequest& request, const Sink* sink) {
    Receiver receiver{.sink = sink};
    prepare(request, receiver);
    detail_.front() = '\0';
    const CURLcode code = ::curl_easy_perform(curl_);
    if (receiver.is_too_large) return fail(ErrorCode::unavailable, "the answer is larger than {} bytes", body_size_max);
    if (code == CURLE_OK || receiver.is_ended_by_sink) return std::move(receiver.answer);
    return std::unexpected(Error{.code = ErrorCode::unavailable,
                                 .message = fmt::format("cannot reach carillon at {} ({})", host_of(request.url),
                                                        reason_of(code, detail_.data())),
                                 .hint = {},
                                 .rule = "unreachable",
                                 .position = {},
                                 .context = {}});
  }

 private:
  void prepare(const ServerRequest& request, Receiver& receiver) {
    ::curl_easy_reset(curl_);
    set(CURLOPT_URL, request.url.c_str());
    set(CURLOPT_ERRORBUFFER, detail_.data());
    set(CURLOPT_NOSIGNAL, 1L);
    set(CURLOPT_PROTOCOLS_STR, "http,https");
    set(CURLOPT_PROXY, "");  // a token goes to the server that was named, and nowhere else
    set(CURLOPT_CONNECTTIMEOUT_MS, 5'000L);
    // For libcurl zero is no limit at all.
    const Duration timeout = receiver.sink == nullptr ? request.timeout : request.stream_timeout;
    set(CURLOPT_TIMEOUT_MS, static_cast<long>(std::chrono::ceil<std::chrono::milliseconds>(timeout).count()));
    set(CURLOPT_HEADERFUNCTION, take_header);
    set(CURLOPT_HEADERDATA, &receiver);
    set(CURLOPT_WRITEFUNCTION, take_body);
    set(CURLOPT_WRITEDATA, &receiver);
    if (!request.authority_file.empty()) set(CURLOPT_CAINFO, request.authority_file.c_str());
    ::curl_slist_free_all(std::exchange(headers_, nullptr));
    add_header("Expect:");
    for (const auto& [name, value] : request.headers) add_header(name + ": " + value);
    set(CURLOPT_HTTPHEADER, headers_);
    if (request.method == "GET") return;
    set(CURLOPT_POST, 1L);
    set(CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(request.body.size()));
    set(CURLOPT_POSTFIELDS, request.body.c_str());
    set(CURLOPT_CUSTOMREQUEST, request.method.c_str());
  }

  template <typename Value>
  void set(CURLoption option, Value value) {
    ::curl_easy_setopt(curl_, option, value);
  }
  void add_header(const std::string& line) { headers_ = ::curl_slist_append(headers_, line.c_str()); }

  CURL* curl_;
  curl_slist* headers_ = nullptr;
  std::array<char, CURL_ERROR_SIZE> detail_{};
};

CurlTransport::CurlTransport() = default;
CurlTransport::~CurlTransport() = default;

CurlTransport::Handle& CurlTransport::handle() {
  if (!handle_) handle_ = std::make_unique<Handle>();
  return *handle_;
}

Result<ServerAnswer> CurlTransport::perform(const ServerRequest& request) { return handle().perform(request, nullptr); }

Result<ServerAnswer> CurlTransport::stream(const ServerRequest& request, const Sink& sink) {
  return handle().perform(request, &sink);
}

}  // namespace carillon
