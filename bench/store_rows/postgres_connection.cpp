#include "postgres_connection.hpp"

#include "stand_in.hpp"

#include <fmt/core.h>
#include <libpq-fe.h>
#include <poll.h>

#include <bit>
#include <cstring>

namespace carillon::store_rows {
namespace {

constexpr std::uint32_t int8_type = 20;
constexpr std::uint32_t bytea_type = 17;

template <typename Number>
void append(std::string& to, Number number) {
  for (int shift = static_cast<int>(sizeof number) * 8 - 8; shift >= 0; shift -= 8) {
    to.push_back(static_cast<char>(static_cast<std::uint64_t>(number) >> shift));
  }
}

std::string array_head(std::size_t count, std::uint32_t type, bool has_nulls) {
  std::string bytes;
  bytes.reserve(20 + count * 12);
  append(bytes, std::uint32_t{count == 0 ? 0U : 1U});
  append(bytes, std::uint32_t{has_nulls ? 1U : 0U});
  append(bytes, type);
  if (count == 0) return bytes;
  append(bytes, static_cast<std::uint32_t>(count));
  append(bytes, std::uint32_t{1});
  return bytes;
}

void append_element(std::string& to, std::int64_t value) {
  append(to, std::uint32_t{8});
  append(to, value);
}

}  // namespace

Parameters& Parameters::number(std::int64_t value) {
  append(values_.emplace_back(), value);
  return *this;
}

Parameters& Parameters::numbers(const std::vector<std::int64_t>& values) {
  std::string bytes = array_head(values.size(), int8_type, false);
  for (const std::int64_t value : values) append_element(bytes, value);
  values_.push_back(std::move(bytes));
  return *this;
}

Parameters& Parameters::optional_numbers(const std::vector<std::optional<std::int64_t>>& values) {
  std::string bytes = array_head(values.size(), int8_type, true);
  for (const auto& value : values) {
    if (value.has_value()) {
      append_element(bytes, value.value());
    } else {
      append(bytes, std::uint32_t{0xffffffff});
    }
  }
  values_.push_back(std::move(bytes));
  return *this;
}

Parameters& Parameters::byte_strings(const std::vector<std::string>& values) {
  std::string bytes = array_head(values.size(), bytea_type, false);
  for (const std::string& value : values) {
    append(bytes, static_cast<std::uint32_t>(value.size()));
    bytes += value;
  }
  values_.push_back(std::move(bytes));
  return *this;
}

void Answer::Clear::operator()(pg_result* result) const { PQclear(result); }

Answer::Answer(pg_result* result) : result_(result) {
  const ExecStatusType status = PQresultStatus(result);
  if (status == PGRES_TUPLES_OK || status == PGRES_COMMAND_OK) return;
  const char* code = PQresultErrorField(result, PG_DIAG_SQLSTATE);
  failure_ = code == nullptr ? "?" : code;
  // Deadlocks are counted by the caller; anything else is a mistake in a statement.
  if (failure_ != "40P01") die(PQresultErrorMessage(result));
}

int Answer::row_count() const { return PQntuples(result_.get()); }
bool Answer::is_null(int row, int column) const { return PQgetisnull(result_.get(), row, column) == 1; }

std::int64_t Answer::number(int row, int column) const {
  const char* bytes = PQgetvalue(result_.get(), row, column);
  std::uint64_t value = 0;
  for (int i = 0; i < 8; ++i) value = value << 8 | static_cast<unsigned char>(bytes[i]);
  return static_cast<std::int64_t>(value);
}

std::string Answer::bytes(int row, int column) const {
  return {PQgetvalue(result_.get(), row, column), static_cast<std::size_t>(PQgetlength(result_.get(), row, column))};
}

void PostgresConnection::Close::operator()(pg_conn* connection) const { PQfinish(connection); }

PostgresConnection::PostgresConnection(const std::string& where) : connection_(PQconnectdb(where.c_str())) {
  if (PQstatus(connection_.get()) != CONNECTION_OK) die(PQerrorMessage(connection_.get()));
  set_pipeline(true);
}

void PostgresConnection::set_pipeline(bool is_on) {
  const int done = is_on ? PQenterPipelineMode(connection_.get()) : PQexitPipelineMode(connection_.get());
  if (done != 1) die(PQerrorMessage(connection_.get()));
}

void PostgresConnection::execute(const std::string& sql) {
  set_pipeline(false);
  PGresult* result = PQexec(connection_.get(), sql.c_str());
  const ExecStatusType status = PQresultStatus(result);
  if (status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK) die(PQresultErrorMessage(result));
  PQclear(result);
  set_pipeline(true);
}

void PostgresConnection::prepare(const std::string& name, const std::string& sql) {
  PQsendPrepare(connection_.get(), name.c_str(), sql.c_str(), 0, nullptr);
  PQpipelineSync(connection_.get());
  (void)receive();
}

Answer PostgresConnection::call(const std::string& name, const Parameters& parameters) {
  send(name, parameters);
  return receive();
}

void PostgresConnection::send(const std::string& name, const Parameters& parameters) {
  send_ahead(name, parameters);
  if (PQpipelineSync(connection_.get()) != 1) die(PQerrorMessage(connection_.get()));
  PQflush(connection_.get());
}

void PostgresConnection::send_ahead(const std::string& name, const Parameters& parameters) {
  std::vector<const char*> values;
  std::vector<int> lengths;
  for (const std::string& value : parameters.values()) {
    values.push_back(value.data());
    lengths.push_back(static_cast<int>(value.size()));
  }
  const std::vector<int> formats(values.size(), 1);
  const int done = PQsendQueryPrepared(connection_.get(), name.c_str(), static_cast<int>(values.size()), values.data(),
                                       lengths.data(), formats.data(), 1);
  if (done != 1) die(PQerrorMessage(connection_.get()));
}

Answer PostgresConnection::receive() {
  Answer answer(PQgetResult(connection_.get()));
  while (true) {
    PGresult* next = PQgetResult(connection_.get());
    if (next == nullptr) continue;
    const bool is_end = PQresultStatus(next) == PGRES_PIPELINE_SYNC;
    if (is_end || !answer.failure().empty()) {
      PQclear(next);
    } else {
      answer = Answer(next);
    }
    if (!is_end) continue;
    if (!answer.failure().empty()) ++deadlock_count_;
    return answer;
  }
}

bool PostgresConnection::is_busy_for(std::int64_t milliseconds) {
  pollfd socket{.fd = PQsocket(connection_.get()), .events = POLLIN, .revents = 0};
  return poll(&socket, 1, static_cast<int>(milliseconds)) == 0;
}

int PostgresConnection::backend() const { return PQbackendPID(connection_.get()); }

}  // namespace carillon::store_rows
