#include "api/http/request_reader.hpp"

#include "api/http/request_form.hpp"
#include "base/assertion.hpp"

#include <boost/beast/http/basic_parser.hpp>

#include <algorithm>
#include <array>
#include <bitset>
#include <cstdint>
#include <utility>

namespace carillon::http {
namespace {

namespace beast_http = boost::beast::http;
using beast_http::error;
using beast_http::field;
using ErrorCodeOut = boost::beast::error_code;
using View = boost::beast::string_view;

std::string_view view_of(View view) { return {view.data(), view.size()}; }

Method method_of(beast_http::verb verb) {
  switch (verb) {
    case beast_http::verb::get: return Method::get;
    case beast_http::verb::head: return Method::head;
    case beast_http::verb::post: return Method::post;
    case beast_http::verb::put: return Method::put;
    case beast_http::verb::patch: return Method::patch;
    case beast_http::verb::delete_: return Method::del;
    case beast_http::verb::options: return Method::options;
    default: return Method::other;
  }
}

Refusal refusal_of(const ErrorCodeOut& code) {
  struct Row {
    error code;
    Refusal refusal;
  };
  static constexpr std::array rows{
      Row{error::bad_method, {400, "the method of the request is not a word"}},
      Row{error::bad_target, {400, "the request line is not method, target and version"}},
      Row{error::bad_version, {400, "the request line does not end with the version of HTTP"}},
      Row{error::bad_field, {400, "the name of a header is not a word, or not followed by a colon"}},
      Row{error::bad_value, {400, "the value of a header cannot be read"}},
      Row{error::bad_content_length, {400, "the length of the body is given in two ways, or not a number"}},
      Row{error::multiple_content_length, {400, "the length of the body is given twice"}},
      Row{error::bad_transfer_encoding, {400, "the length of the body is given in two ways"}},
  };
  const auto* const row = std::ranges::find_if(rows, [&](const Row& r) { return code == r.code; });
  return row == rows.end() ? Refusal{400, "the request cannot be read"} : row->refusal;
}

}  // namespace

/// The head of a request as Beast reads it, with the checks that Beast leaves to its users.
class RequestReader::Parser final : public beast_http::basic_parser<true> {
 public:
  explicit Parser(const ReaderLimits& limits) : header_count_max_{limits.header_count_max} {
    eager(true);
    skip(true);  // the body
    header_limit(static_cast<std::uint32_t>(limits.head_size_max));
  }

  Request request;
  std::optional<Refusal> refusal;
  bool is_http_1_0 = false;
  bool is_head = false;
  bool wants_continue = false;

 private:
  void refuse(ErrorCodeOut& code, Refusal why) {
    refusal = why;
    code = error::bad_value;
  }
  void check(ErrorCodeOut& code, std::string_view fault) {
    if (!fault.empty()) refuse(code, {400, fault});
  }

  void on_request_impl(beast_http::verb verb, View /*method*/, View target, int version, ErrorCodeOut& code) override {
    request.method = method_of(verb);
    request.target = view_of(target);
    is_http_1_0 = version == 10;
    is_head = request.method == Method::head;
    check(code, fault_of_target(request.target, request.method == Method::options));
  }

  void on_response_impl(int /*status*/, View /*reason*/, int /*version*/, ErrorCodeOut& /*code*/) override {}

  void on_field_impl(field known, View name, View value, ErrorCodeOut& code) override {
    if (request.headers.size() >= header_count_max_) return refuse(code, {431, "there are too many headers"});
    if (!is_field_value(view_of(value))) return refuse(code, {400, "a control character in a header"});
    if (const auto single = single_header(view_of(name))) {
      if (seen_.test(*single)) return refuse(code, {400, "a header that may stand only once stands twice"});
      seen_.set(*single);
    }
    request.headers.add(view_of(name), view_of(value));
    if (known == field::host) check(code, fault_of_host(view_of(value)));
    if (known == field::content_length) check(code, fault_of_length(view_of(value)));
    if (known == field::transfer_encoding) check_transfer_encoding(view_of(value), code);
    if (known == field::expect) check_expectation(view_of(value), code);
  }

  /// A coding that is not understood leaves the length of the body unknown.
  void check_transfer_encoding(std::string_view value, ErrorCodeOut& code) {
    if (is_http_1_0) return refuse(code, {400, "HTTP/1.0 has no Transfer-Encoding"});
    if (!equal_ignoring_case(value, "chunked")) refuse(code, {501, "the only Transfer-Encoding understood is chunked"});
  }

  void check_expectation(std::string_view value, ErrorCodeOut& code) {
    if (!equal_ignoring_case(value, "100-continue"))
      return refuse(code, {417, "the only Expect understood is 100-continue"});
    wants_continue = !is_http_1_0;
  }

  void on_header_impl(ErrorCodeOut& code) override {
    if (!request.headers.contains("Host")) refuse(code, {400, "the Host header is missing"});
  }

  // There is no body for Beast.
  void on_body_init_impl(const boost::optional<std::uint64_t>& /*length*/, ErrorCodeOut& /*code*/) override {}
  std::size_t on_body_impl(View bytes, ErrorCodeOut& /*code*/) override { return bytes.size(); }
  void on_chunk_header_impl(std::uint64_t /*size*/, View /*extensions*/, ErrorCodeOut& /*code*/) override {}
  std::size_t on_chunk_body_impl(std::uint64_t /*left*/, View bytes, ErrorCodeOut& /*code*/) override {
    return bytes.size();
  }
  void on_finish_impl(ErrorCodeOut& /*code*/) override {}

  std::size_t header_count_max_;
  std::bitset<32> seen_;
};

RequestReader::RequestReader(const ReaderLimits& limits) : limits_{limits} {}
RequestReader::RequestReader(RequestReader&&) noexcept = default;
RequestReader& RequestReader::operator=(RequestReader&&) noexcept = default;
RequestReader::~RequestReader() = default;

std::size_t RequestReader::put(std::string_view bytes) {
  CARILLON_ASSERT(state_ == State::reading_head || state_ == State::reading_body);
  if (bytes.empty()) return 0;
  has_begun_ = true;
  std::size_t count = 0;
  if (state_ == State::reading_head) count = put_head(bytes);
  if (state_ == State::reading_body) count += put_body(bytes.substr(count));
  return count;
}

std::size_t RequestReader::put_head(std::string_view bytes) {
  const auto end = scan_.find_end(bytes);
  const std::size_t size = held_.size() + end.value_or(bytes.size());
  if (!scan_.fault().empty()) {
    refuse({400, scan_.fault()});
  } else if (size > limits_.head_size_max) {
    refuse(scan_.first_line_size() > limits_.head_size_max ? Refusal{414, "the request line is too long"}
                                                           : Refusal{431, "the headers are too large"});
  } else if (!end) {
    held_.append(bytes);
  } else if (held_.empty()) {
    parse_head(bytes.substr(0, *end));
  } else {
    const std::string head = std::exchange(held_, {}).append(bytes.substr(0, *end));
    parse_head(head);
  }
  return end.value_or(bytes.size());
}

void RequestReader::parse_head(std::string_view head) {
  parser_ = std::make_unique<Parser>(limits_);
  parser_->request.headers.reserve(8, head.size());
  ErrorCodeOut code;
  parser_->put(boost::asio::const_buffer{head.data(), head.size()}, code);
  if (code == error::bad_version && names_other_version(head)) {
    return refuse({505, "the versions of HTTP understood here are 1.1 and 1.0"});
  }
  if (code) return refuse(parser_->refusal.value_or(refusal_of(code)));
  // Beast saw no end where the scan saw one: the two disagree, so somebody else might as well.
  if (!parser_->is_header_done()) return refuse({400, "the request cannot be read"});
  begin_body();
}

/// A length is a mere claim: memory is taken as the body comes.
void RequestReader::begin_body() {
  const auto length = parser_->content_length().value_or(0);
  if (length > limits_.body_size_max) return refuse({413, "the body is too large"});
  body_ = parser_->chunked() ? BodyReader::of_chunks(limits_.body_size_max) : BodyReader::of_length(length);
  state_ = body_->is_complete()                        ? State::complete
           : length > limits_.unadmitted_body_size_max ? State::awaiting_admission
                                                       : State::reading_body;
}

/// A body in chunks says nothing of its length: what is taken before it is admitted is taken in small pieces.
std::size_t RequestReader::put_body(std::string_view bytes) {
  std::string& body = parser_->request.body;
  std::size_t count = 0;
  while (count < bytes.size() && state_ == State::reading_body) {
    const std::size_t room = is_admitted_ ? bytes.size() : limits_.unadmitted_body_size_max - body.size();
    if (room == 0) {
      state_ = State::awaiting_admission;
      break;
    }
    count += body_->put(bytes.substr(count, room), body);
    if (body_->refusal()) refuse(*body_->refusal());
    if (body_->is_complete()) state_ = State::complete;
  }
  return count;
}

const Request& RequestReader::request_so_far() const { return parser_->request; }

void RequestReader::admit() {
  CARILLON_ASSERT(state_ == State::awaiting_admission);
  is_admitted_ = true;
  state_ = State::reading_body;
}

void RequestReader::refuse(const Refusal& refusal) {
  refusal_ = refusal;
  state_ = State::refused;
}

bool RequestReader::wants_continue() const { return parser_->wants_continue; }
bool RequestReader::keeps_alive() const { return parser_->keep_alive(); }
bool RequestReader::is_http_1_0() const { return parser_->is_http_1_0; }
bool RequestReader::is_head() const { return parser_->is_head; }
std::size_t RequestReader::body_size() const { return parser_ ? parser_->request.body.size() : 0; }

Request RequestReader::take() {
  CARILLON_ASSERT(state_ == State::complete);
  return std::move(parser_->request);
}

void RequestReader::reset() {
  state_ = State::reading_head;
  has_begun_ = false;
  is_admitted_ = false;
  scan_ = {};
  held_ = {};
  refusal_.reset();
  parser_.reset();
  body_.reset();
}

}  // namespace carillon::http
