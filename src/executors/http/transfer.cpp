#include "executors/http/transfer.hpp"

#include "base/assertion.hpp"
#include "base/duration_text.hpp"
#include "executors/http/connection_rule.hpp"

#include <fmt/format.h>
#include <sys/socket.h>

#include <algorithm>
#include <chrono>
#include <new>
#include <system_error>
#include <utility>

namespace carillon {
namespace {

/// The connection ended, or nothing came for too long, where an answer was to come.
bool is_break_off(CURLcode code) {
  return code == CURLE_GOT_NOTHING || code == CURLE_RECV_ERROR || code == CURLE_SEND_ERROR ||
         code == CURLE_OPERATION_TIMEDOUT;
}

constexpr std::size_t header_size_max = 256 * 1024;
constexpr std::size_t curl_error_length_max = 300;
constexpr std::size_t idle_size_max = 1024;  // an answer that brings no more than this in its time stands still

long milliseconds(Duration duration) {
  return static_cast<long>(std::chrono::ceil<std::chrono::milliseconds>(duration).count());
}

std::string_view without_line_end(std::string_view line) {
  while (line.ends_with('\n') || line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

/// The value of a header line, if it is this header.
std::optional<std::string> header_value(std::string_view line, std::string_view lower_case_name) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
  const std::size_t colon = line.find(':');
  if (colon == line.npos || !std::ranges::equal(line.substr(0, colon), lower_case_name, {}, lower)) return std::nullopt;
  const std::string_view value = line.substr(colon + 1);
  const std::size_t first = value.find_first_not_of(" \t");
  if (first == value.npos) return std::string{};
  return std::string{value.substr(first, value.find_last_not_of(" \t") - first + 1)};
}

/// The words of `HTTP/1.1 503 Service Unavailable`.
std::string_view reason_in(std::string_view status_line) {
  const std::size_t status = status_line.find(' ');
  const std::size_t words = status == status_line.npos ? status : status_line.find(' ', status + 1);
  return words == status_line.npos ? std::string_view{} : status_line.substr(words + 1);
}

}  // namespace

Transfer::Transfer(const AttemptKey& key, Duration launch_before, HttpRequest request, const HttpOptions& options,
                   Clock& clock, AttemptEvents& events)
    : key_{key},
      launch_before_{launch_before},
      request_{std::move(request)},
      options_{options},
      clock_{clock},
      events_{events},
      mask_{request_.secrets},
      handle_{curl_easy_init(), curl_easy_cleanup} {
  if (!handle_) throw std::bad_alloc{};
  set_up();
  set_request();
}

Transfer& Transfer::of(CURL* handle) {
  char* self = nullptr;
  curl_easy_getinfo(handle, CURLINFO_PRIVATE, &self);
  return *reinterpret_cast<Transfer*>(self);
}

bool Transfer::is_idle() const { return progress_at_ && clock_.since_boot() - *progress_at_ >= options_.idle_timeout; }

bool Transfer::is_late() const { return clock_.since_boot() >= launch_before_; }

template <typename Value>
void Transfer::set(CURLoption option, Value value) {
  // An option that is not obeyed may be one that protects.
  CARILLON_ASSERT(curl_easy_setopt(handle_.get(), option, value) == CURLE_OK);
}

long Transfer::info(CURLINFO which) const {
  long value = 0;
  curl_easy_getinfo(handle_.get(), which, &value);
  return value;
}

void Transfer::set_up() {
  set(CURLOPT_PRIVATE, this);
  set(CURLOPT_ERRORBUFFER, curl_error_.data());
  set(CURLOPT_NOSIGNAL, 1L);

  // Nothing from the environment or from earlier transfers. A kept connection would also make libcurl send a request
  // again when that connection turns out to be dead, and an attempt is launched at most once.
  set(CURLOPT_PROTOCOLS_STR, "http,https");
  set(CURLOPT_FOLLOWLOCATION, 0L);
  set(CURLOPT_PROXY, "");
  set(CURLOPT_NETRC, static_cast<long>(CURL_NETRC_IGNORED));
  set(CURLOPT_DISALLOW_USERNAME_IN_URL, 1L);
  set(CURLOPT_FRESH_CONNECT, 1L);
  set(CURLOPT_FORBID_REUSE, 1L);
  set(CURLOPT_DNS_CACHE_TIMEOUT, 0L);
  set(CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_1_1));

  set(CURLOPT_SSLVERSION, static_cast<long>(CURL_SSLVERSION_TLSv1_2));
  set(CURLOPT_SSL_VERIFYPEER, 1L);
  set(CURLOPT_SSL_VERIFYHOST, 2L);
  // From a file alone: libcurl keeps what it has read from one, and would read a folder again for every connection.
  set(CURLOPT_CAPATH, static_cast<const char*>(nullptr));
  if (!options_.certificate_authorities.empty()) set(CURLOPT_CAINFO, options_.certificate_authorities.c_str());

  set(CURLOPT_CONNECTTIMEOUT_MS, milliseconds(options_.connect_timeout));
  set(CURLOPT_TIMEOUT_MS, milliseconds(options_.total_timeout));
  // A name that is still being looked up when the transfer ends would hold up all others until the lookup is over.
  set(CURLOPT_QUICK_EXIT, 1L);

  set(CURLOPT_OPENSOCKETFUNCTION, &Transfer::on_open_socket);
  set(CURLOPT_OPENSOCKETDATA, this);
  set(CURLOPT_PREREQFUNCTION, &Transfer::on_request);
  set(CURLOPT_PREREQDATA, this);
  set(CURLOPT_HEADERFUNCTION, &Transfer::on_header);
  set(CURLOPT_HEADERDATA, this);
  set(CURLOPT_WRITEFUNCTION, &Transfer::on_body);
  set(CURLOPT_WRITEDATA, this);
}

void Transfer::set_request() {
  set(CURLOPT_URL, request_.url.c_str());
  if (request_.body) {
    set(CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(request_.body->size()));
    set(CURLOPT_POSTFIELDS, request_.body->data());
  }
  if (request_.method == "HEAD")
    set(CURLOPT_NOBODY, 1L);
  else
    set(CURLOPT_CUSTOMREQUEST, request_.method.c_str());

  const auto add_line = [&](const std::string& line) {
    curl_slist* longer = curl_slist_append(header_lines_.get(), line.c_str());
    if (longer == nullptr) throw std::bad_alloc{};
    static_cast<void>(header_lines_.release());
    header_lines_.reset(longer);
  };
  // libcurl takes `Name:` as an order to leave a header out, and `Name;` as an empty one.
  for (const auto& [name, value] : request_.headers) add_line(value.empty() ? name + ";" : name + ": " + value);
  add_line("Expect:");
  set(CURLOPT_HTTPHEADER, header_lines_.get());
}

bool Transfer::may_connect(const curl_sockaddr& target) {
  if (is_late()) {
    is_refused_as_late_ = true;
    return false;
  }
  auto refusal = connection_refusal(target.addr, options_.allowed_egress, options_.own_ports);
  is_connection_tried_ |= !refusal;
  if (!refusal) return true;
  refusal_ = *std::move(refusal);
  return false;
}

bool Transfer::begin_request() {
  if (is_late()) is_refused_as_late_ = true;
  if (is_refused_as_late_) return false;
  if (!std::exchange(is_launched_, true)) events_.launched(key_);
  return true;
}

void Transfer::take_header(std::string_view line) {
  note_progress(line.size());
  line = without_line_end(line);
  if (line.starts_with("HTTP/")) {
    // One that only announces another (100 Continue) comes before it.
    answer_.reason = mask_.whole(reason_in(line));
    answer_.retry_after.reset();
  }
  if (auto value = header_value(line, "retry-after")) answer_.retry_after = *std::move(value);
}

void Transfer::note_progress(std::size_t size) {
  size_since_progress_ += size;
  if (progress_at_ && size_since_progress_ <= idle_size_max) return;
  progress_at_ = clock_.since_boot();
  size_since_progress_ = 0;
}

bool Transfer::take_body(std::string_view bytes) {
  note_progress(bytes.size());
  const std::size_t room = options_.answer_size_max - body_size_;
  is_cut_ = bytes.size() > room;
  bytes = bytes.substr(0, room);
  body_size_ += bytes.size();
  show(mask_.pass(bytes));
  return !is_cut_;
}

void Transfer::show(std::string bytes) {
  if (bytes.empty()) return;
  // One byte more than a result may have tells that it is none.
  const std::size_t kept_max = options_.result_size_max + 1;
  answer_.body.append(bytes, 0, kept_max - std::min(kept_max, answer_.body.size()));
  events_.output(key_, OutputStream::out, bytes);
}

AttemptEnd Transfer::conclude(CURLcode code) {
  show(mask_.rest());
  if (is_refused_as_late_) return {.outcome = AttemptOutcome::released, .error = "its launch deadline has passed"};
  if (is_cut_)
    events_.output(key_, OutputStream::error,
                   fmt::format("\n… the answer was cut after {} bytes …\n", options_.answer_size_max));
  // What was asked for is done or not as the status says, however much the server goes on to tell.
  if (code != CURLE_OK && !is_cut_) return failure(code);
  answer_.status = info(CURLINFO_RESPONSE_CODE);
  answer_.is_complete = !is_cut_;
  return judge(answer_, request_.success_codes, options_.result_size_max, clock_.now());
}

AttemptEnd Transfer::conclude_idle() {
  show(mask_.rest());
  AttemptEnd end = failure();
  end.error = fmt::format("no data received for {}", to_text(options_.idle_timeout));
  return end;
}

AttemptEnd Transfer::failure() const {
  AttemptEnd end{.outcome = AttemptOutcome::failed};
  if (const long status = info(CURLINFO_RESPONSE_CODE); status != 0) end.exit_code = status;
  return end;
}

AttemptEnd Transfer::failure(CURLcode code) const {
  AttemptEnd end = failure();
  // The receiver may have done what was asked, and nobody heard of it.
  if (is_launched_ && !end.exit_code && is_break_off(code)) end.outcome = AttemptOutcome::lost;
  const long os_error = info(CURLINFO_OS_ERRNO);
  if (code == CURLE_COULDNT_CONNECT && !refusal_.empty() && !is_connection_tried_)
    end.error = refusal_;
  else if (code == CURLE_COULDNT_CONNECT && os_error != 0)
    end.error = fmt::format("cannot connect: {}", std::generic_category().message(static_cast<int>(os_error)));
  else if (code == CURLE_WRITE_ERROR && header_size_ > header_size_max)
    end.error = fmt::format("the answer has more than {} bytes of headers", header_size_max);
  else
    end.error =
        printable_part(curl_error_[0] != '\0' ? curl_error_.data() : curl_easy_strerror(code), curl_error_length_max);
  end.error = mask_.whole(end.error);
  return end;
}

curl_socket_t Transfer::on_open_socket(void* self, curlsocktype, curl_sockaddr* target) noexcept {
  if (!static_cast<Transfer*>(self)->may_connect(*target)) return CURL_SOCKET_BAD;
  return ::socket(target->family, target->socktype | SOCK_CLOEXEC, target->protocol);
}

int Transfer::on_request(void* self, char*, char*, int, int) noexcept {
  return static_cast<Transfer*>(self)->begin_request() ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT;
}

std::size_t Transfer::on_header(char* bytes, std::size_t, std::size_t count, void* self) noexcept {
  Transfer& transfer = *static_cast<Transfer*>(self);
  transfer.header_size_ += count;
  if (transfer.header_size_ > header_size_max) return 0;
  transfer.take_header({bytes, count});
  return count;
}

std::size_t Transfer::on_body(char* bytes, std::size_t, std::size_t count, void* self) noexcept {
  return static_cast<Transfer*>(self)->take_body({bytes, count}) ? count : 0;
}

}  // namespace carillon
