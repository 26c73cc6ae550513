#pragma once

#include "client/answers.hpp"
#include "client/transport.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
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
struct WriteOptions {
  std::string if_match{};         // the ETag that was read
  std::string idempotency_key{};  // done once, however often it is sent
};

/// One of many schedules that are asked for, or sent, together.
struct ScheduleRequest {
  std::string id;
  std::string name_space{};
  const boost::json::object* definition = nullptr;  // of a put; outlives the call
  WriteOptions options{};                           // of a put
};

/// An answer of success.
struct ApiAnswer {
  int status = 0;
  std::string etag{};
  boost::json::value body{};
};

/// A server over its REST interface. Typed calls give structs of client/types together with the document they were read
/// from; get, post, put, patch and remove give documents alone. An error of the server comes back as an Error with its
/// code as rule and every fault of the request as context; a document that is not as the contract has it, as an Error
/// (rule "unexpected-answer") that names the member. For one thread at a time.
///
///     Client client{transport, endpoint};
///     const auto schedule = TRY(client.get_schedule("nightly", "default"));
///     schedule.value.status
class Client {
 public:
  /// Sees every exchange, for people who want to know.
  using Observer = std::function<void(const ServerRequest&, const Result<ServerAnswer>&)>;

  Client(Transport& transport, Endpoint endpoint, Observer observer = {})
      : transport_{transport}, endpoint_{std::move(endpoint)}, observer_{std::move(observer)} {}

  [[nodiscard]] const Endpoint& endpoint() const { return endpoint_; }

  // An empty namespace is that of the endpoint, else the token's own. Ids and names are encoded here.

  [[nodiscard]] Result<client::Answer<client::Schedule>> get_schedule(std::string_view id, std::string_view name_space);
  /// The same for many, several requests at a time; in their order.
  [[nodiscard]] std::vector<Result<client::Answer<client::Schedule>>> get_schedules(
      std::span<const ScheduleRequest> requests);
  /// By namespace and id. The filter is a query: status, q, label, recent.
  [[nodiscard]] Result<client::ListAnswer<client::Schedule>> list_schedules(const Query& filter, std::size_t count_max);
  /// The query of a write may be dryRun=true: then nothing is written, and the answer says what would be.
  [[nodiscard]] Result<client::Answer<client::Schedule>> create_schedule(const boost::json::object& definition,
                                                                         const Query& query = {},
                                                                         const WriteOptions& options = {});
  [[nodiscard]] Result<client::Answer<client::Schedule>> put_schedule(std::string_view id, std::string_view name_space,
                                                                      const boost::json::object& definition,
                                                                      const Query& query = {},
                                                                      const WriteOptions& options = {});
  /// The same for many, several requests at a time; in their order. Each is written, or not, by itself.
  [[nodiscard]] std::vector<Result<client::Answer<client::Schedule>>> put_schedules(
      std::span<const ScheduleRequest> requests, const Query& query = {});
  /// A merge patch (RFC 7396) of the definition.
  [[nodiscard]] Result<client::Answer<client::Schedule>> patch_schedule(std::string_view id,
                                                                        std::string_view name_space,
                                                                        const boost::json::object& changes,
                                                                        const Query& query = {},
                                                                        const WriteOptions& options = {});
  [[nodiscard]] Result<> remove_schedule(std::string_view id, std::string_view name_space);
  /// One operation on many schedules of a namespace.
  [[nodiscard]] Result<client::Answer<client::BatchAnswer>> batch(std::string_view name_space,
                                                                  const boost::json::object& request);
  /// What became of its occurrences in [from, to), and what will.
  [[nodiscard]] Result<client::Answer<client::Occurrences>> get_occurrences(std::string_view id,
                                                                            std::string_view name_space, Instant from,
                                                                            Instant to);
  [[nodiscard]] Result<client::Answer<client::Why>> why(std::string_view id, std::string_view name_space, Instant at);

  [[nodiscard]] Result<client::Answer<client::Run>> get_run(std::string_view id_or_name, std::string_view name_space);
  [[nodiscard]] Result<client::Answer<client::Run>> cancel_run(const client::Run& run,
                                                               const WriteOptions& options = {});
  /// Starts the occurrence of a run again, as a new run. `failedItems=true` in the query: only what failed is asked
  /// again.
  [[nodiscard]] Result<client::Answer<client::TriggerAnswer>> retry_run(const client::Run& run,
                                                                        const WriteOptions& options = {},
                                                                        const Query& query = {});
  /// What became of the items of a run, in their order. The filter is a query: state.
  [[nodiscard]] Result<client::ListAnswer<client::Item>> list_items(const client::Run& run, const Query& filter,
                                                                    std::size_t count_max);
  /// Newest first. The filter is a query: state, source, since, schedule.
  [[nodiscard]] Result<client::ListAnswer<client::Run>> list_runs(const Query& filter, std::size_t count_max);
  /// Those of one schedule, newest first. `decisions=true` in the filter adds what was skipped.
  [[nodiscard]] Result<client::ListAnswer<client::Run>> list_runs_of(std::string_view id, std::string_view name_space,
                                                                     const Query& filter, std::size_t count_max);

  /// The next starts of all schedules, soonest first; the filter is a query: limit, until.
  [[nodiscard]] Result<client::ListAnswer<client::UpcomingStart>> upcoming(const Query& filter);
  [[nodiscard]] Result<client::Answer<client::Load>> load(Instant from, Instant to, Duration bucket);

  [[nodiscard]] Result<client::Answer<client::BackfillPreview>> preview_backfill(std::string_view id,
                                                                                 std::string_view name_space,
                                                                                 const boost::json::object& request);
  [[nodiscard]] Result<client::Answer<client::Backfill>> create_backfill(std::string_view id,
                                                                         std::string_view name_space,
                                                                         const boost::json::object& request,
                                                                         const WriteOptions& options = {});
  /// Of all schedules, newest first.
  [[nodiscard]] Result<client::ListAnswer<client::Backfill>> list_all_backfills(const Query& filter,
                                                                                std::size_t count_max);
  [[nodiscard]] Result<client::ListAnswer<client::Backfill>> list_backfills(std::string_view id,
                                                                            std::string_view name_space);
  [[nodiscard]] Result<client::Answer<client::Backfill>> get_backfill(const client::Backfill& backfill);
  /// `operation` is pause, resume or cancel.
  [[nodiscard]] Result<client::Answer<client::Backfill>> change_backfill(const client::Backfill& backfill,
                                                                         std::string_view operation);

  [[nodiscard]] Result<client::ListAnswer<client::Queue>> list_queues();
  /// Newest first. The filter is a query: queue.
  [[nodiscard]] Result<client::ListAnswer<client::Run>> list_dead_letters(const Query& filter, std::size_t count_max);

  // Of the whole server: the namespace of the endpoint plays no part.
  [[nodiscard]] Result<client::Answer<client::System>> system();
  [[nodiscard]] Result<client::ListAnswer<client::Token>> list_tokens();
  [[nodiscard]] Result<client::Answer<client::IssuedToken>> create_token(const boost::json::object& request);
  [[nodiscard]] Result<client::Answer<client::SignInLink>> create_sign_in_link();
  [[nodiscard]] Result<> revoke_token(std::string_view id);
  [[nodiscard]] Result<client::Answer<client::AuditPage>> get_audit_page(std::size_t limit,
                                                                         std::string_view page_token);
  [[nodiscard]] Result<client::Answer<client::AuditVerdict>> verify_audit();
  /// Which program answers. It stands beside the interface and not below it.
  [[nodiscard]] Result<client::Version> version();

  // Documents as they are. Paths are below /api/v1, and begin with a slash. Empty values of a query are left out.
  [[nodiscard]] Result<ApiAnswer> get(std::string_view path, const Query& query = {});
  [[nodiscard]] Result<ApiAnswer> post(std::string_view path, const boost::json::value& body, const Query& query = {},
                                       const WriteOptions& options = {});
  [[nodiscard]] Result<ApiAnswer> put(std::string_view path, const boost::json::value& body, const Query& query = {},
                                      const WriteOptions& options = {});
  [[nodiscard]] Result<ApiAnswer> patch(std::string_view path, const boost::json::value& body, const Query& query = {},
                                        const WriteOptions& options = {});
  [[nodiscard]] Result<ApiAnswer> remove(std::string_view path, const Query& query = {},
                                         const WriteOptions& options = {});

  /// The items of a list, page by page, at most so many; `total` if the list tells it.
  struct Items {
    boost::json::array items{};
    std::optional<std::size_t> total{};
    bool has_more = false;
    std::vector<std::string> broken_files{};
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
  [[nodiscard]] std::vector<Result<client::Answer<client::Schedule>>> exchange_schedules(
      const std::vector<ServerRequest>& requests);
  [[nodiscard]] Result<ApiAnswer> read(const ServerRequest& request, Result<ServerAnswer> answer) const;
  [[nodiscard]] ServerRequest write_request(std::string method, std::string_view path, const boost::json::value* body,
                                            const Query& query, const WriteOptions& options) const;
  [[nodiscard]] Result<ApiAnswer> write(std::string method, std::string_view path, const boost::json::value* body,
                                        const Query& query, const WriteOptions& options);
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
