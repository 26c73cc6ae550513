#include "client/curl_transport.hpp"

#include <curl/curl.h>
#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace carillon {
namespace {

constexpr std::size_t body_size_max = 256 * 1024 * 1024;
/// Enough that a server which syncs its disk with every write does that for many of them at once.
constexpr std::size_t concurrent_count_max = 16;

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
    prepare(request, sink);
    return answer(::curl_easy_perform(curl_));
  }

  [[nodiscard]] CURL* curl() const { return curl_; }

  /// The request must outlive its answer.
  void prepare(const ServerRequest& request, const Sink* sink) {
    receiver_ = {.sink = sink};
    host_ = host_of(request.url);
    set_options(request);
    detail_.front() = '\0';
  }

  /// What became of the request that was prepared.
  Result<ServerAnswer> answer(CURLcode code) {
    if (receiver_.is_too_large)
      return fail(ErrorCode::unavailable, "the answer is larger than {} bytes", body_size_max);
    if (code == CURLE_OK || receiver_.is_ended_by_sink) return std::move(receiver_.answer);
    return std::unexpected(
        Error{.code = ErrorCode::unavailable,
              .message = fmt::format("cannot reach carillon at {} ({})", host_, reason_of(code, detail_.data())),
              .hint = {},
              .rule = "unreachable",
              .position = {},
              .context = {}});
  }

 private:
  void set_options(const ServerRequest& request) {
    ::curl_easy_reset(curl_);
    set(CURLOPT_URL, request.url.c_str());
    set(CURLOPT_ERRORBUFFER, detail_.data());
    set(CURLOPT_NOSIGNAL, 1L);
    set(CURLOPT_PROTOCOLS_STR, "http,https");
    set(CURLOPT_PROXY, "");  // a token goes to the server that was named, and nowhere else
    set(CURLOPT_CONNECTTIMEOUT_MS, 5'000L);
    // For libcurl zero is no limit at all.
    const Duration timeout = receiver_.sink == nullptr ? request.timeout : request.stream_timeout;
    set(CURLOPT_TIMEOUT_MS, static_cast<long>(std::chrono::ceil<std::chrono::milliseconds>(timeout).count()));
    set(CURLOPT_HEADERFUNCTION, take_header);
    set(CURLOPT_HEADERDATA, &receiver_);
    set(CURLOPT_WRITEFUNCTION, take_body);
    set(CURLOPT_WRITEDATA, &receiver_);
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
  Receiver receiver_;
  std::string_view host_;
  curl_slist* headers_ = nullptr;
  std::array<char, CURL_ERROR_SIZE> detail_{};
};

/// Handles whose requests are on their way at the same time.
class CurlTransport::Group {
 public:
  Group() : multi_{::curl_multi_init()} {}
  Group(const Group&) = delete;
  Group& operator=(const Group&) = delete;
  ~Group() { ::curl_multi_cleanup(multi_); }

  std::vector<Result<ServerAnswer>> perform(std::span<const ServerRequest> requests) {
    const Result<ServerAnswer> none = fail(ErrorCode::unavailable, "the request could not be sent");
    Batch batch{.requests = requests, .answers = {requests.size(), none}};
    const std::size_t slot_count = std::min(requests.size(), concurrent_count_max);
    while (slots_.size() < slot_count) slots_.push_back(std::make_unique<Slot>());
    for (std::size_t i = 0; i < slot_count; ++i) begin_next(batch, *slots_[i]);
    // Whatever happens to one, libcurl ends it: at the latest by its timeout.
    for (int running_count = 1; running_count > 0;) {
      ::curl_multi_perform(multi_, &running_count);
      if (take_ended(batch))
        running_count = 1;
      else if (running_count > 0)
        ::curl_multi_poll(multi_, nullptr, 0, poll_timeout_ms, nullptr);
    }
    return std::move(batch.answers);
  }

 private:
  static constexpr int poll_timeout_ms = 1'000;

  struct Slot {
    Handle handle;
    std::size_t place = 0;  // of its request
  };
  struct Batch {
    std::span<const ServerRequest> requests;
    std::vector<Result<ServerAnswer>> answers;
    std::size_t begun_count = 0;
  };

  void begin_next(Batch& batch, Slot& slot) {
    if (batch.begun_count == batch.requests.size()) return;
    slot.place = batch.begun_count++;
    slot.handle.prepare(batch.requests[slot.place], nullptr);
    ::curl_multi_add_handle(multi_, slot.handle.curl());
  }

  /// Whether any has ended; the next ones have begun in their place.
  bool take_ended(Batch& batch) {
    bool has_any = false;
    int left = 0;
    while (const CURLMsg* message = ::curl_multi_info_read(multi_, &left)) {
      const CURLcode code = message->data.result;
      Slot& slot = slot_of(message->easy_handle);
      ::curl_multi_remove_handle(multi_, slot.handle.curl());
      batch.answers[slot.place] = slot.handle.answer(code);
      begin_next(batch, slot);
      has_any = true;
    }
    return has_any;
  }

  Slot& slot_of(const CURL* curl) {
    return **std::ranges::find(slots_, curl, [](const auto& slot) -> const CURL* { return slot->handle.curl(); });
  }

  CURLM* multi_;
  std::vector<std::unique_ptr<Slot>> slots_;
};

CurlTransport::CurlTransport() = default;
CurlTransport::~CurlTransport() = default;

CurlTransport::Handle& CurlTransport::handle() {
  if (!handle_) handle_ = std::make_unique<Handle>();
  return *handle_;
}

Result<ServerAnswer> CurlTransport::perform(const ServerRequest& request) { return handle().perform(request, nullptr); }

std::vector<Result<ServerAnswer>> CurlTransport::perform_all(std::span<const ServerRequest> requests) {
  if (!group_) group_ = std::make_unique<Group>();
  return group_->perform(requests);
}

Result<ServerAnswer> CurlTransport::stream(const ServerRequest& request, const Sink& sink) {
  return handle().perform(request, &sink);
}

}  // namespace carillon
