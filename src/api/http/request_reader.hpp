#pragma once

#include "api/http/body_reader.hpp"
#include "api/http/head_scan.hpp"
#include "api/http/message.hpp"
#include "api/http/refusal.hpp"

#include <cstddef>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace carillon::http {

struct ReaderLimits {
  std::size_t head_size_max;
  std::size_t header_count_max;
  std::size_t body_size_max;
  // So much of a body is taken before somebody says that the rest may come.
  std::size_t unadmitted_body_size_max = std::numeric_limits<std::size_t>::max();
};

/// Makes requests of bytes, in whatever pieces they come. Knows no sockets. It is stricter than the standard asks:
/// of what two parsers might read differently, nothing passes.
class RequestReader {
 public:
  explicit RequestReader(const ReaderLimits& limits);
  RequestReader(RequestReader&&) noexcept;
  RequestReader& operator=(RequestReader&&) noexcept;
  ~RequestReader();

  enum class State {
    reading_head,
    awaiting_admission,  // more of the body comes than is taken unseen: admit() or drop it
    reading_body,
    complete,
    refused
  };

  /// Takes bytes of one request, and returns how many: all, unless the request is complete before, refused, or waits to
  /// be admitted. Only to be called in the states reading_head and reading_body.
  std::size_t put(std::string_view bytes);

  [[nodiscard]] State state() const { return state_; }
  /// Whether a byte of the request has come.
  [[nodiscard]] bool has_begun() const { return has_begun_; }
  /// In state refused.
  [[nodiscard]] const Refusal& refusal() const { return *refusal_; }

  // From reading_body on:
  /// Whether the client waits for a `100 Continue` before it sends the body.
  [[nodiscard]] bool wants_continue() const;
  [[nodiscard]] bool keeps_alive() const;
  [[nodiscard]] bool is_http_1_0() const;
  [[nodiscard]] bool is_head() const;
  /// In state awaiting_admission: the request as far as it has come.
  [[nodiscard]] const Request& request_so_far() const;
  /// The rest of the body may come.
  void admit();
  /// Bytes of the body held so far.
  [[nodiscard]] std::size_t body_size() const;

  /// The complete request, without peer address. What was said about it by the members above stays until reset().
  [[nodiscard]] Request take();
  /// Ready for the next request.
  void reset();

 private:
  class Parser;

  std::size_t put_head(std::string_view bytes);
  void parse_head(std::string_view head);
  void begin_body();
  std::size_t put_body(std::string_view bytes);
  void refuse(const Refusal& refusal);

  ReaderLimits limits_;
  State state_ = State::reading_head;
  bool has_begun_ = false;
  bool is_admitted_ = false;
  HeadScan scan_;
  std::string held_;  // the beginning of a head, which is parsed when its end has come
  std::optional<Refusal> refusal_;
  std::unique_ptr<Parser> parser_;
  std::optional<BodyReader> body_;
};

}  // namespace carillon::http
