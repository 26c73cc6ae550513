#pragma once

#include "client/transport.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace carillon {

/// Where a server is, and who calls.
struct Endpoint {
  std::string url{"http://127.0.0.1:7070"};
  std::string token{};
  std::string name_space{};      // empty: the token's own
  std::string authority_file{};  // for https with a certificate of one's own
};

using Query = std::vector<std::pair<std::string, std::string>>;

/// What is sent along with a write.
struct SendTerms {
  std::string if_match{};         // the ETag that was read
  std::string idempotency_key{};  // done once, however often it is sent
};

/// An answer of success.
struct ApiAnswer {
  int status = 0;
  std::string etag{};
  boost::json::value body{};
};

/// A server over its REST interface. Documents are those of the interface; an error of the server comes back as an
/// Error with its code as rule and every fault of the request as context. For one thread at a time.
///
///     Client client{transport, endpoint};
///     const auto schedule = TRY(client.get("/schedules/" + path_part(id)));
class Client {
 public:
  /// Sees every exchange, for people who want to know.
  using Observer = std::function<void(const ServerRequest&, const Result<ServerAnswer>&)>;

  Client(Transport& transport, Endpoint endpoint, Observer observer = {})
      : transport_{transport}, endpoint_{std::move(endpoint)}, observer_{std::move(observer)} {}

  [[nodiscard]] const Endpoint& endpoint() const { return endpoint_; }

  // Paths are below /api/v1, and begin with a slash. Empty values of a query are left out.
  [[nodiscard]] Result<ApiAnswer> get(std::string_view path, const Query& query = {});
  [[nodiscard]] Result<ApiAnswer> post(std::string_view path, const boost::json::value& body, const Query& query = {},
                                       const SendTerms& terms = {});
  [[nodiscard]] Result<ApiAnswer> put(std::string_view path, const boost::json::value& body, const Query& query = {},
                                      const SendTerms& terms = {});
  [[nodiscard]] Result<ApiAnswer> patch(std::string_view path, const boost::json::value& body, const Query& query = {},
                                        const SendTerms& terms = {});
  [[nodiscard]] Result<ApiAnswer> remove(std::string_view path, const Query& query = {}, const SendTerms& terms = {});

  /// The items of a list, page by page, at most so many; `total` if the list tells it.
  struct Items {
    boost::json::array items{};
    std::optional<std::size_t> total{};
    bool has_more = false;
  };
  [[nodiscard]] Result<Items> list(std::string_view path, Query query, std::size_t count_max);

  /// The bytes of an answer as they come, such as a log that is followed. Returns the answer without its body. With a
  /// `timeout` it is "unreachable" when that has passed.
  [[nodiscard]] Result<ServerAnswer> stream(std::string_view path, const Query& query, const Transport::Sink& sink,
                                            const HeaderFields& headers = {}, Duration timeout = {});
  /// The bytes of an answer that is no JSON.
  [[nodiscard]] Result<ServerAnswer> bytes(std::string_view path, const Query& query = {});

 private:
  [[nodiscard]] ServerRequest request(std::string method, std::string_view path, const Query& query) const;
  [[nodiscard]] Result<ApiAnswer> exchange(const ServerRequest& request);
  [[nodiscard]] Result<ApiAnswer> write(std::string method, std::string_view path, const boost::json::value* body,
                                        const Query& query, const SendTerms& terms);
  [[nodiscard]] Result<ServerAnswer> succeeded(const ServerRequest& request, Result<ServerAnswer> answer) const;

  Transport& transport_;
  Endpoint endpoint_;
  Observer observer_;
};

/// A text as one part of a path: everything that could mean something there is encoded.
[[nodiscard]] std::string path_part(std::string_view text);

/// What an answer without success says, as an error: the rule is its code, the context its faults one by one.
[[nodiscard]] Error error_of(const ServerAnswer& answer);

}  // namespace carillon
