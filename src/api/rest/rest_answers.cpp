#include "api/rest/entity_tag.hpp"
#include "api/rest/kept_response.hpp"
#include "api/rest/problem.hpp"
#include "api/rest/rest_api.hpp"

#include <optional>
#include <utility>

namespace carillon::rest {
namespace {

/// A body where none is expected says something that would be passed over.
Served<> check_body(const Call& call, const Route& route) {
  if (route.body != BodyKind::none || call.request.body.empty()) return {};
  const boost::json::value body = TRY(call.body());
  Problems problems;
  ObjectReader{body, "", problems}.finish();
  if (problems.empty()) return {};
  return std::unexpected(Refusal{std::move(problems)});
}

/// What the request asks to hold of the schedule. What has no ETag cannot have the one that is asked for.
Served<Preconditions> preconditions_of(const PendingRequest& pending) {
  auto when = TRY(preconditions_in(pending.request));
  if ((when.must_exist || when.any_of) && !pending.operation().has_preconditions)
    return std::unexpected(Refusal{Refusal::Kind::stale, "no_etag", "this address has no ETag", "leave If-Match out"});
  return when;
}

}  // namespace

http::Response RestApi::answer(PendingRequest& pending) {
  const Operation& operation = pending.operation();
  if (!operation.is_write) return perform(pending);
  if (const auto counted = application_.count_start(pending.caller, operation); !counted)
    return problem_response(counted.error());
  auto when = preconditions_of(pending);
  if (!when) return problem_response(when.error());
  pending.terms.when = *std::move(when);
  const auto name = pending.request.headers.find("Idempotency-Key");
  if (!name) return perform(pending);
  auto key = IdempotentRequests::key_of(pending.caller, *name, request_text(pending.request));
  if (!key) return problem_response(key.error());
  pending.terms.key = *std::move(key);
  // An answer that has a secret in it is not kept.
  return operation.has_secret ? perform(pending) : answer_once(pending, *pending.terms.key);
}

http::Response RestApi::answer_once(PendingRequest& pending, const IdempotencyKey& key) {
  http::Response response;
  const auto before = application_.requests().perform_once(key, [&]() -> std::optional<std::string> {
    response = perform(pending);
    // What was refused changed nothing and may be corrected and tried again.
    if (response.status >= 300 || pending.terms.is_dry_run) return std::nullopt;
    return kept_response(response);
  });
  if (!before) return problem_response(before.error());
  return *before ? repeat(pending, **before) : response;
}

// The same answer again; if it could not be kept, one of the same kind, from what was written.
http::Response RestApi::repeat(PendingRequest& pending, const IdempotencyRecord& record) {
  auto response = record.answer ? response_from(*record.answer) : std::nullopt;
  if (!response) {
    Call call = call_of(pending);
    const std::vector<std::string>& ids = pending.ids;
    const std::string first = ids.empty() ? std::string{} : ids.front();
    const auto repeated = application_.repeated_answers().answer(
        pending.caller, {.operation = pending.route->operation,
                         .key = *pending.terms.key,
                         .schedule = {.id = first, .name_space = call.parameters.text("namespace")},
                         .backfill = ids.size() > 1 ? ids[1] : std::string{},
                         .run = first,
                         .record = record});
    if (!repeated) return problem_response(repeated.error());
    response = response_of(repeated_reply(*repeated));
  }
  response->headers.emplace_back("Idempotency-Replayed", "true");
  return *std::move(response);
}

http::Response RestApi::perform(PendingRequest& pending) {
  const Operation& operation = pending.operation();
  Call call = call_of(pending);
  // Where it has no meaning it is a parameter that nobody knows, rather than one that is passed over.
  if (operation.has_dry_run) call.terms.is_dry_run = call.parameters.flag("dryRun");
  pending.terms.is_dry_run = call.terms.is_dry_run;
  if (const auto sound = check_body(call, *pending.route); operation.is_write && !sound)
    return problem_response(sound.error());
  auto reply = application_.perform(pending.caller, operation, [&] { return pending.route->handle(call); });
  // A client that is told that a change was made must not be shown what was before it.
  if (operation.is_write) answers_.forget_all();
  if (!reply) return refused(pending, reply.error());
  return response_of(operation.is_write ? *std::move(reply) : unless_known(*std::move(reply), pending.request));
}

http::Response RestApi::refused(const PendingRequest& pending, const Refusal& refusal) {
  // A store that fails is logged when it begins and ends to, not for every request meanwhile.
  const bool is_told_elsewhere = failure_kind_of(refusal.code).has_value();
  if (!is_told_elsewhere && (refusal.kind == Refusal::Kind::internal || refusal.kind == Refusal::Kind::unavailable))
    log_.warn("request cannot be answered",
              {{"request", pending.id}, {"operation", pending.operation().name}, {"error", refusal.message}});
  return problem_response(refusal);
}

void RestApi::start_events(PendingRequest& pending) {
  Call call = call_of(pending);
  auto filter = event_filter_in(call);
  if (!filter) return send(pending, problem_response(filter.error()));
  if (!filter->after) filter->after = application_.events().newest();
  application_.events().subscribe(
      *std::move(filter), event_format_,
      std::make_unique<EventStreamSink>(start_stream(pending, {{"Content-Type", "text/event-stream"}})));
}

void RestApi::start_following(PendingRequest& pending) {
  Call call = call_of(pending);
  const auto name_space = call.parameters.text("namespace");
  const LogQuery query = log_query_in(call);
  if (const auto sound = call.parameters.finish(); !sound) return send(pending, problem_response(sound.error()));
  const auto run = application_.runs().get(pending.caller, pending.ids.front(), name_space);
  if (!run) return send(pending, problem_response(run.error()));
  application_.log_followers().add({.caller = pending.caller,
                                    .run = pending.ids.front(),
                                    .name_space = name_space,
                                    .query = query,
                                    .sink = std::make_unique<LogStreamSink>(
                                        start_stream(pending, {{"Content-Type", "text/plain; charset=utf-8"}}))});
}

/// Answers a claim, at once or when it has waited.
class RestApi::ClaimAnswer final : public ClaimSink {
 public:
  ClaimAnswer(RestApi& api, std::shared_ptr<PendingRequest> pending) : api_{api}, pending_{std::move(pending)} {}

  [[nodiscard]] bool is_open() const override { return pending_->responder.is_open(); }

  void answer(Served<std::vector<ClaimedJob>> jobs, ReportDelivery report) override {
    if (!jobs) return api_.send(*pending_, api_.refused(*pending_, jobs.error()));
    http::Response response = response_of(claimed_jobs_reply(*jobs));
    if (report) {
      api_.answers_.forget_all();
      response.on_sent = [&api = api_, report = std::move(report)](bool is_sent) {
        const auto task = [report, is_sent] { report(is_sent ? Delivery::whole : Delivery::broken); };
        if (!api.writers_.post(task) && !api.readers_.post(task))
          api.log_.warn("what became of the answer to a claim cannot be noted", {{"sent", is_sent}});
      };
    }
    api_.send(*pending_, std::move(response));
  }

 private:
  RestApi& api_;
  std::shared_ptr<PendingRequest> pending_;
};

void RestApi::start_claim(const std::shared_ptr<PendingRequest>& pending) {
  Call call = call_of(*pending);
  auto claim = job_claim_in(call);
  if (!claim) return send(*pending, problem_response(claim.error()));
  application_.claims().claim(pending->caller, *std::move(claim), std::make_shared<ClaimAnswer>(*this, pending));
}

}  // namespace carillon::rest
