#include "base/duration_text.hpp"
#include "client/client.hpp"
#include "client/document_reader.hpp"

#include <boost/json/parse.hpp>
#include <fmt/format.h>

namespace carillon {
namespace {

using client::Answer;
using client::ListAnswer;

/// Keeps the namespace of the endpoint out of a request about the whole server.
Query server_wide(Query query = {}) {
  query.insert(query.begin(), {"namespace", ""});
  return query;
}

Query in_namespace(std::string_view name_space, Query query = {}) {
  if (!name_space.empty()) query.insert(query.begin(), {"namespace", std::string{name_space}});
  return query;
}

std::string schedule_path(std::string_view id, std::string_view below = {}) {
  return fmt::format("/schedules/{}{}", path_part(id), below);
}

std::string backfill_path(const client::Backfill& backfill, std::string_view below = {}) {
  return fmt::format("/schedules/{}/backfills/{}{}", path_part(backfill.schedule), path_part(backfill.id), below);
}

template <typename T>
Result<Answer<T>> typed(Result<ApiAnswer> answer) {
  if (!answer) return std::unexpected(std::move(answer).error());
  T value = TRY(client::read_document<T>(answer->body));
  return Answer<T>{.value = std::move(value), .document = std::move(answer->body), .etag = std::move(answer->etag)};
}

template <typename T>
Result<ListAnswer<T>> typed_items(Result<Client::Items> found) {
  if (!found) return std::unexpected(std::move(found).error());
  ListAnswer<T> list{.items = {}, .documents = {}, .total = found->total, .has_more = found->has_more};
  if (auto fault = client::read_value(boost::json::value(found->items), list.items)) {
    fault->pointer.insert(0, "/items");
    return std::unexpected(client::to_error(*fault));
  }
  list.documents = std::move(found->items);
  list.broken_files = std::move(found->broken_files);
  return list;
}

/// A list without pages.
template <typename T>
struct ItemsDocument {
  std::vector<T> items{};

  template <typename Self, typename Visitor>
  static void visit_members(Self& self, Visitor& visitor) {
    visitor.required("items", self.items);
  }
};

template <typename T>
Result<ListAnswer<T>> typed_list(Result<ApiAnswer> answer) {
  if (!answer) return std::unexpected(std::move(answer).error());
  auto whole = TRY(client::read_document<ItemsDocument<T>>(answer->body));
  return ListAnswer<T>{.items = std::move(whole.items),
                       .documents = std::move(answer->body.get_object().at("items").get_array()),
                       .total = {},
                       .has_more = false};
}

}  // namespace

Result<Answer<client::Schedule>> Client::get_schedule(std::string_view id, std::string_view name_space) {
  return typed<client::Schedule>(get(schedule_path(id), in_namespace(name_space)));
}

std::vector<Result<Answer<client::Schedule>>> Client::exchange_schedules(const std::vector<ServerRequest>& requests) {
  std::vector<Result<ServerAnswer>> received = transport_.perform_all(requests);
  std::vector<Result<Answer<client::Schedule>>> answers;
  answers.reserve(requests.size());
  for (std::size_t i = 0; i < requests.size(); ++i)
    answers.push_back(typed<client::Schedule>(read(requests[i], std::move(received[i]))));
  return answers;
}

std::vector<Result<Answer<client::Schedule>>> Client::get_schedules(std::span<const ScheduleRequest> requests) {
  std::vector<ServerRequest> sent;
  sent.reserve(requests.size());
  for (const ScheduleRequest& one : requests)
    sent.push_back(request("GET", schedule_path(one.id), in_namespace(one.name_space)));
  return exchange_schedules(sent);
}

std::vector<Result<Answer<client::Schedule>>> Client::put_schedules(std::span<const ScheduleRequest> requests,
                                                                    const Query& query) {
  std::vector<ServerRequest> sent;
  sent.reserve(requests.size());
  for (const ScheduleRequest& one : requests) {
    const boost::json::value definition(*one.definition);
    sent.push_back(
        write_request("PUT", schedule_path(one.id), &definition, in_namespace(one.name_space, query), one.options));
  }
  return exchange_schedules(sent);
}

Result<ListAnswer<client::Schedule>> Client::list_schedules(const Query& filter, std::size_t count_max) {
  return typed_items<client::Schedule>(list("/schedules", filter, count_max));
}

Result<Answer<client::Schedule>> Client::create_schedule(const boost::json::object& definition, const Query& query,
                                                         const WriteOptions& options) {
  return typed<client::Schedule>(post("/schedules", definition, query, options));
}

Result<Answer<client::Schedule>> Client::put_schedule(std::string_view id, std::string_view name_space,
                                                      const boost::json::object& definition, const Query& query,
                                                      const WriteOptions& options) {
  return typed<client::Schedule>(put(schedule_path(id), definition, in_namespace(name_space, query), options));
}

Result<Answer<client::Schedule>> Client::patch_schedule(std::string_view id, std::string_view name_space,
                                                        const boost::json::object& changes, const Query& query,
                                                        const WriteOptions& options) {
  return typed<client::Schedule>(patch(schedule_path(id), changes, in_namespace(name_space, query), options));
}

Result<> Client::remove_schedule(std::string_view id, std::string_view name_space) {
  TRY(remove(schedule_path(id), in_namespace(name_space)));
  return {};
}

Result<Answer<client::BatchAnswer>> Client::batch(std::string_view name_space, const boost::json::object& request) {
  return typed<client::BatchAnswer>(post("/schedules/batch", request, in_namespace(name_space)));
}

Result<Answer<client::Occurrences>> Client::get_occurrences(std::string_view id, std::string_view name_space,
                                                            Instant from, Instant to) {
  return typed<client::Occurrences>(
      get(schedule_path(id, "/occurrences"), in_namespace(name_space, {{"from", to_text(from)}, {"to", to_text(to)}})));
}

Result<Answer<client::Why>> Client::why(std::string_view id, std::string_view name_space, Instant at) {
  return typed<client::Why>(get(schedule_path(id, "/why"), in_namespace(name_space, {{"at", to_text(at)}})));
}

Result<Answer<client::Run>> Client::get_run(std::string_view id_or_name, std::string_view name_space) {
  return typed<client::Run>(get("/runs/" + path_part(id_or_name), in_namespace(name_space)));
}

Result<Answer<client::Run>> Client::cancel_run(const client::Run& run, const WriteOptions& options) {
  return typed<client::Run>(post(fmt::format("/runs/{}/cancel", path_part(run.id)), boost::json::object{},
                                 in_namespace(run.name_space), options));
}

Result<Answer<client::TriggerAnswer>> Client::retry_run(const client::Run& run, const WriteOptions& options,
                                                        const Query& query) {
  return typed<client::TriggerAnswer>(post(fmt::format("/runs/{}/retry", path_part(run.id)), boost::json::object{},
                                           in_namespace(run.name_space, query), options));
}

Result<ListAnswer<client::Item>> Client::list_items(const client::Run& run, const Query& filter,
                                                    std::size_t count_max) {
  return typed_items<client::Item>(
      list(fmt::format("/runs/{}/items", path_part(run.id)), in_namespace(run.name_space, filter), count_max));
}

Result<ListAnswer<client::Run>> Client::list_runs(const Query& filter, std::size_t count_max) {
  return typed_items<client::Run>(list("/runs", filter, count_max));
}

Result<ListAnswer<client::Run>> Client::list_dead_letters(const Query& filter, std::size_t count_max) {
  return typed_items<client::Run>(list("/dead-letters", filter, count_max));
}

Result<ListAnswer<client::Run>> Client::list_runs_of(std::string_view id, std::string_view name_space,
                                                     const Query& filter, std::size_t count_max) {
  return typed_items<client::Run>(list(schedule_path(id, "/runs"), in_namespace(name_space, filter), count_max));
}

Result<ListAnswer<client::UpcomingStart>> Client::upcoming(const Query& filter) {
  return typed_list<client::UpcomingStart>(get("/upcoming", filter));
}

Result<Answer<client::Load>> Client::load(Instant from, Instant to, Duration bucket) {
  return typed<client::Load>(get("/load", {{"from", to_text(from)}, {"to", to_text(to)}, {"bucket", to_text(bucket)}}));
}

Result<Answer<client::BackfillPreview>> Client::preview_backfill(std::string_view id, std::string_view name_space,
                                                                 const boost::json::object& request) {
  return typed<client::BackfillPreview>(
      post(schedule_path(id, "/backfills/preview"), request, in_namespace(name_space)));
}

Result<Answer<client::Backfill>> Client::create_backfill(std::string_view id, std::string_view name_space,
                                                         const boost::json::object& request,
                                                         const WriteOptions& options) {
  return typed<client::Backfill>(post(schedule_path(id, "/backfills"), request, in_namespace(name_space), options));
}

Result<ListAnswer<client::Backfill>> Client::list_all_backfills(const Query& filter, std::size_t count_max) {
  return typed_items<client::Backfill>(list("/backfills", filter, count_max));
}

Result<ListAnswer<client::Backfill>> Client::list_backfills(std::string_view id, std::string_view name_space) {
  return typed_list<client::Backfill>(get(schedule_path(id, "/backfills"), in_namespace(name_space)));
}

Result<Answer<client::Backfill>> Client::get_backfill(const client::Backfill& backfill) {
  return typed<client::Backfill>(get(backfill_path(backfill), in_namespace(backfill.name_space)));
}

Result<Answer<client::Backfill>> Client::change_backfill(const client::Backfill& backfill, std::string_view operation) {
  return typed<client::Backfill>(post(backfill_path(backfill, fmt::format("/{}", operation)), boost::json::object{},
                                      in_namespace(backfill.name_space)));
}

Result<ListAnswer<client::Queue>> Client::list_queues() { return typed_list<client::Queue>(get("/queues")); }

Result<Answer<client::System>> Client::system() { return typed<client::System>(get("/system", server_wide())); }

Result<ListAnswer<client::Token>> Client::list_tokens() {
  return typed_list<client::Token>(get("/tokens", server_wide()));
}

Result<Answer<client::IssuedToken>> Client::create_token(const boost::json::object& request) {
  return typed<client::IssuedToken>(post("/tokens", request, server_wide()));
}

Result<Answer<client::SignInLink>> Client::create_sign_in_link() {
  return typed<client::SignInLink>(post("/sessions/links", boost::json::object{}, server_wide()));
}

Result<> Client::revoke_token(std::string_view id) {
  TRY(remove("/tokens/" + path_part(id), server_wide()));
  return {};
}

Result<Answer<client::AuditPage>> Client::get_audit_page(std::size_t limit, std::string_view page_token) {
  return typed<client::AuditPage>(
      get("/audit", server_wide({{"limit", fmt::format("{}", limit)}, {"pageToken", std::string{page_token}}})));
}

Result<Answer<client::AuditVerdict>> Client::verify_audit() {
  return typed<client::AuditVerdict>(get("/audit/verify", server_wide()));
}

Result<client::Version> Client::version() {
  ServerRequest sent = request("GET", "", server_wide());
  sent.url = endpoint_.url + "/version";
  return client::read_document<client::Version>(TRY(exchange(sent)).body);
}

}  // namespace carillon
