#include "stores/postgres/connection.hpp"

#include "ports/store_health.hpp"

#include <fmt/format.h>
#include <libpq-fe.h>
#include <poll.h>

#include <array>
#include <cerrno>
#include <mutex>
#include <string_view>
#include <utility>

namespace carillon::postgres {
namespace {

/// The server gives up a statement before we give up the server.
constexpr std::chrono::milliseconds answer_slack{5'000};

std::string one_line(std::string_view text) {
  std::string line;
  for (const char c : text) {
    if (c != '\n')
      line += c;
    else if (!line.ends_with(' '))
      line += ' ';
  }
  while (line.ends_with(' ')) line.pop_back();
  return line;
}

/// Not one of PostgreSQL's: a pooler between us and it gives each statement to another session.
constexpr std::string_view statement_pooling = "pooler";

struct Meaning {
  ErrorCode code = ErrorCode::unavailable;
  std::string_view rule{};
  std::string_view hint{};
};

/// What an error means to who called. The letters are those of PostgreSQL's appendix A.
Meaning meaning_of(std::string_view state) {
  const auto of = [](StoreFailureKind kind) { return Meaning{.rule = rule_of(kind), .hint = remedy_of(kind)}; };
  if (state == "53100") return {.rule = rule_of(StoreFailureKind::full), .hint = "free space on the database's disk"};
  if (state == "58030") return {.rule = rule_of(StoreFailureKind::io), .hint = "look at the database's log"};
  if (state == "55P03" || state == "40P01" || state == "40001")
    return {.rule = rule_of(StoreFailureKind::locked),
            .hint = "another transaction holds the rows; it goes on by itself"};
  if (state == "25006")
    return {.rule = rule_of(StoreFailureKind::unwritable),
            .hint =
                "this is a standby or a read-only database: give the address of the primary, or list all servers "
                "with target_session_attrs=read-write"};
  if (state == "42501")
    return {.rule = rule_of(StoreFailureKind::refused),
            .hint = "grant the user the rights on the schema, or run `carillon store migrate` as its owner"};
  if (state.starts_with("28"))
    return {.rule = rule_of(StoreFailureKind::refused),
            .hint = "see user and password (PGPASSFILE, ~/.pgpass or PGPASSWORD) and the server's pg_hba.conf"};
  if (state == "3D000")
    return {.rule = rule_of(StoreFailureKind::refused), .hint = "create the database: createdb NAME"};
  if (state == "3F000" || state == "42P01" || state == "42883" || state == "42703")
    return {.rule = rule_of(StoreFailureKind::unwritable), .hint = "run `carillon store migrate`"};
  if (state == statement_pooling)
    return {.rule = rule_of(StoreFailureKind::refused),
            .hint = "set pool_mode = transaction (or session) in the pooler, or give the database's own address"};
  if (state == "XX001" || state == "XX002")
    return {.code = ErrorCode::corrupt, .rule = rule_of(StoreFailureKind::damaged), .hint = "see the database's log"};
  if (state.empty() || state.starts_with("08") || state.starts_with("57P") || state.starts_with("53"))
    return of(StoreFailureKind::unreachable);
  return {};
}

Error make_error(std::string_view state, const std::string& message) {
  const Meaning meaning = meaning_of(state);
  return Error{.code = meaning.code,
               .message = message,
               .hint = std::string{meaning.hint},
               .rule = meaning.rule,
               .position = {},
               .context = {}};
}

/// libpq says nothing of the kind of an error while it connects but in words. These two deserve messages of their own.
std::string_view state_of_refusal(std::string_view message) {
  if (message.find("authentication failed") != std::string_view::npos ||
      message.find("no password supplied") != std::string_view::npos ||
      message.find("no pg_hba.conf entry") != std::string_view::npos ||
      message.find("role \"") != std::string_view::npos)
    return "28000";
  if (message.find("database \"") != std::string_view::npos) return "3D000";
  // PgBouncer's words for a database or a user that it does not know.
  if (message.find("no such database") != std::string_view::npos) return "3D000";
  if (message.find("no such user") != std::string_view::npos) return "28000";
  return "";
}

}  // namespace

Result<std::unique_ptr<Connection>> Connection::open(const StoreUrl& url, const TimeLimits& limits) {
  std::vector<const char*> names;
  std::vector<const char*> values;
  const auto has = [&](std::string_view name) {
    for (const auto& [known, value] : url.options)
      if (known == name) return true;
    return false;
  };
  for (const auto& [name, value] : url.options) {
    names.push_back(name.c_str());
    values.push_back(value.c_str());
  }
  const std::string peer_time = std::to_string(limits.peer.count());
  const std::string connect_time = std::to_string((limits.connect.count() + 999) / 1'000);
  // A peer that is gone without a word is noticed within seconds, also while we wait for it.
  const std::array<std::pair<const char*, const char*>, 7> defaults{{{"connect_timeout", connect_time.c_str()},
                                                                     {"application_name", "carillon"},
                                                                     {"client_encoding", "UTF8"},
                                                                     {"keepalives_idle", "10"},
                                                                     {"keepalives_interval", "5"},
                                                                     {"keepalives_count", "3"},
                                                                     {"tcp_user_timeout", peer_time.c_str()}}};
  for (const auto& [name, value] : defaults) {
    if (has(name)) continue;
    names.push_back(name);
    values.push_back(value);
  }
  names.push_back(nullptr);
  values.push_back(nullptr);
  pg_conn* const handle = PQconnectdbParams(names.data(), values.data(), 0);
  std::unique_ptr<Connection> connection{new Connection{handle, url.description, limits}};
  if (PQstatus(handle) == CONNECTION_OK && PQenterPipelineMode(handle) == 1 && PQsetnonblocking(handle, 1) == 0)
    return connection;
  const std::string message = one_line(PQerrorMessage(handle));
  return std::unexpected(make_error(state_of_refusal(message), fmt::format("{}: {}", url.description, message)));
}

Connection::Connection(pg_conn* handle, std::string description, const TimeLimits& limits)
    : handle_{handle}, description_{std::move(description)}, limits_{limits} {
  PQsetNoticeProcessor(handle_, [](void*, const char*) {}, nullptr);
}

Connection::~Connection() { PQfinish(handle_); }

bool Connection::is_broken() const { return is_cut_ || has_failed_to_send_ || PQstatus(handle_) != CONNECTION_OK; }

void Connection::send(const std::string& sql, const Parameters& parameters) {
  const auto& given = parameters.values();
  std::vector<Oid> types;
  std::vector<const char*> values;
  std::vector<int> lengths;
  const std::vector<int> formats(given.size(), 1);
  for (const Parameters::Value& value : given) {
    types.push_back(value.type);
    values.push_back(value.bytes ? value.bytes->data() : nullptr);
    lengths.push_back(value.bytes ? static_cast<int>(value.bytes->size()) : 0);
  }
  const int outcome = PQsendQueryParams(handle_, sql.c_str(), static_cast<int>(given.size()), types.data(),
                                        values.data(), lengths.data(), formats.data(), 1);
  if (outcome == 1)
    ++sent_count_;
  else
    has_failed_to_send_ = true;
}

/// False: nothing came in time, or the connection has failed.
bool Connection::wait_for_answer() {
  const auto end = std::chrono::steady_clock::now() + limits_.statement + answer_slack;
  while (PQisBusy(handle_) == 1) {
    const int unsent = PQflush(handle_);
    if (unsent < 0) return false;
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - std::chrono::steady_clock::now());
    if (left.count() <= 0) return false;
    pollfd watched{
        .fd = PQsocket(handle_), .events = static_cast<short>(unsent == 1 ? POLLIN | POLLOUT : POLLIN), .revents = 0};
    if (::poll(&watched, 1, static_cast<int>(left.count())) < 0 && errno != EINTR) return false;
    if (PQconsumeInput(handle_) == 0) return false;
  }
  return true;
}

pg_result* Connection::next_result() {
  if (!wait_for_answer()) {
    is_cut_ = true;
    return nullptr;
  }
  return PQgetResult(handle_);
}

Error Connection::lost() {
  sql_state_.clear();
  const std::string message = one_line(PQerrorMessage(handle_));
  return make_error("", fmt::format("{}: {}", description_, message.empty() ? "no answer in time" : message));
}

Error Connection::error_of(const pg_result* result) {
  const char* state = PQresultErrorField(result, PG_DIAG_SQLSTATE);
  sql_state_ = state == nullptr ? "" : state;
  const char* message = PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY);
  if (message != nullptr && std::string_view{message}.find("statement pooling") != std::string_view::npos)
    sql_state_ = statement_pooling;
  return make_error(sql_state_, fmt::format("{}: {}", description_,
                                            one_line(message != nullptr ? message : PQerrorMessage(handle_))));
}

Result<std::vector<ResultRows>> Connection::collect() {
  sql_state_.clear();
  const std::size_t count = std::exchange(sent_count_, 0);
  if (has_failed_to_send_ || PQpipelineSync(handle_) != 1) {
    is_cut_ = true;
    return std::unexpected(lost());
  }
  std::vector<ResultRows> answers;
  std::optional<Error> failure;
  for (std::size_t statement = 0; statement < count; ++statement) {
    for (pg_result* result = next_result(); result != nullptr; result = next_result()) {
      const std::shared_ptr<pg_result> owner{result, PQclear};
      const ExecStatusType status = PQresultStatus(result);
      if (status == PGRES_TUPLES_OK || status == PGRES_COMMAND_OK)
        answers.emplace_back(owner);
      else if (status != PGRES_PIPELINE_ABORTED && !failure)
        failure = error_of(result);
    }
    if (is_cut_ || PQstatus(handle_) != CONNECTION_OK) return std::unexpected(failure ? *failure : lost());
  }
  const std::shared_ptr<pg_result> sync{next_result(), PQclear};
  if (!sync || PQresultStatus(sync.get()) != PGRES_PIPELINE_SYNC) {
    is_cut_ = true;
    return std::unexpected(failure ? *failure : lost());
  }
  if (failure) return std::unexpected(*std::move(failure));
  return answers;
}

Result<bool> Connection::is_direct() {
  send("SELECT pg_backend_pid()");
  return TRY(collect()).back()[0].number(0) == PQbackendPID(handle_);
}

Result<bool> Connection::wait_for_notification(int wake_descriptor, std::chrono::milliseconds time,
                                               std::string_view own) {
  std::array<pollfd, 2> watched{{{.fd = PQsocket(handle_), .events = POLLIN, .revents = 0},
                                 {.fd = wake_descriptor, .events = POLLIN, .revents = 0}}};
  if (::poll(watched.data(), watched.size(), static_cast<int>(time.count())) < 0 && errno != EINTR)
    return std::unexpected(lost());
  if (PQconsumeInput(handle_) == 0) {
    is_cut_ = true;
    return std::unexpected(lost());
  }
  bool has_come = false;
  while (PGnotify* const notification = PQnotifies(handle_)) {
    has_come |= own != notification->extra;
    PQfreemem(notification);
  }
  return has_come;
}

}  // namespace carillon::postgres
