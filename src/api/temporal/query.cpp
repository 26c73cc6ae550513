#include "api/temporal/query.hpp"

#include "base/instant.hpp"

#include <boost/json/serialize.hpp>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <compare>
#include <optional>
#include <utility>
#include <vector>

namespace carillon::temporal {

/// One comparison, or some joined by a word.
struct Query::Node {
  enum class Kind { both, either, negated, compares, is_in, is_between, starts, is_null };
  Kind kind = Kind::compares;
  std::string comparison{};  // `=`, `<=`, …
  std::string field{};
  bool is_negated = false;  // NOT IN, NOT BETWEEN, …
  std::vector<boost::json::value> values{};
  std::vector<std::unique_ptr<Node>> parts{};
};

namespace {

namespace json = boost::json;
using Node = Query::Node;
using NodePtr = std::unique_ptr<Node>;

constexpr std::size_t depth_max = 50;
constexpr std::size_t in_count_max = 1'000;

constexpr std::array<std::string_view, 14> system_fields{"WorkflowId",
                                                         "WorkflowType",
                                                         "RunId",
                                                         "StartTime",
                                                         "ExecutionTime",
                                                         "CloseTime",
                                                         "ExecutionStatus",
                                                         "TaskQueue",
                                                         "HistoryLength",
                                                         "BuildIds",
                                                         "ExecutionDuration",
                                                         "StateTransitionCount",
                                                         "TemporalNamespaceDivision",
                                                         "TemporalChangeVersion"};

struct Token {
  enum class Kind { end, name, word, text, number, sign };
  Kind kind = Kind::end;
  std::string text{};     // of a word: in upper case
  std::string written{};  // as it stands
  std::size_t position = 0;
};

std::string upper(std::string_view text) {
  std::string out{text};
  std::ranges::transform(out, out.begin(), [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return out;
}

bool is_name_character(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

class Tokenizer {
 public:
  explicit Tokenizer(std::string_view text) : text_{text} {}

  Outcome<std::vector<Token>> all() {
    std::vector<Token> tokens;
    for (;;) {
      Token token = TRY(next());
      tokens.push_back(token);
      if (token.kind == Token::Kind::end) return tokens;
    }
  }

 private:
  Outcome<Token> next() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])) != 0) ++at_;
    Token token{.position = at_ + 1};
    if (at_ == text_.size()) return token;
    const char c = text_[at_];
    if (c == '\'' || c == '"' || c == '`') return quoted_token(c);
    if (std::isdigit(static_cast<unsigned char>(c)) != 0 ||
        (c == '-' && at_ + 1 < text_.size() && std::isdigit(static_cast<unsigned char>(text_[at_ + 1])) != 0))
      return number_token();
    if (is_name_character(c)) {
      const std::size_t begin = at_;
      while (at_ < text_.size() && is_name_character(text_[at_])) ++at_;
      token.kind = Token::Kind::word;
      token.written = text_.substr(begin, at_ - begin);
      token.text = upper(token.written);
      return token;
    }
    for (const std::string_view sign : {"!=", "<=", ">=", "<>", "=", "<", ">", "(", ")", ","}) {
      if (!text_.substr(at_).starts_with(sign)) continue;
      at_ += sign.size();
      token.kind = Token::Kind::sign;
      token.text = token.written = sign == "<>" ? "!=" : sign;
      return token;
    }
    return syntax_error(at_ + 1, std::string(1, c));
  }

  /// A quote is written twice, or behind a backslash.
  Outcome<Token> quoted_token(char quote) {
    Token token{.kind = quote == '`' ? Token::Kind::name : Token::Kind::text, .position = at_ + 1};
    for (++at_; at_ < text_.size(); ++at_) {
      const char c = text_[at_];
      const bool has_next = at_ + 1 < text_.size();
      if (c == '\\' && has_next && quote != '`') {
        token.text.push_back(text_[++at_]);
      } else if (c == quote && has_next && text_[at_ + 1] == quote) {
        token.text.push_back(text_[++at_]);
      } else if (c == quote) {
        ++at_;
        token.written = token.text;
        return token;
      } else {
        token.text.push_back(c);
      }
    }
    return syntax_error(token.position, token.text);
  }

  Outcome<Token> number_token() {
    const std::size_t begin = at_++;
    while (at_ < text_.size() && (std::isdigit(static_cast<unsigned char>(text_[at_])) != 0 || text_[at_] == '.'))
      ++at_;
    const std::string_view digits = text_.substr(begin, at_ - begin);
    return Token{.kind = Token::Kind::number,
                 .text = std::string{digits},
                 .written = std::string{digits},
                 .position = begin + 1};
  }

 public:
  static std::unexpected<grpc::Status> syntax_error(std::size_t position, std::string_view near) {
    return invalid(fmt::format("invalid query: malformed SQL query: syntax error at position {}{}", position,
                               near.empty() ? std::string{} : fmt::format(" near '{}'", near)));
  }

 private:
  std::string_view text_;
  std::size_t at_ = 0;
};

class QueryParser {
 public:
  QueryParser(std::vector<Token> tokens, const Settings& settings) : tokens_{std::move(tokens)}, settings_{settings} {}

  Outcome<NodePtr> parse() {
    NodePtr root = TRY(either());
    if (is_word("LIMIT") || is_word("GROUP"))
      return invalid(fmt::format("invalid query: operation is not supported: '{}' clause",
                                 is_word("GROUP") ? "GROUP BY" : "LIMIT"));
    if (token().kind != Token::Kind::end) return wrong_here();
    return root;
  }

 private:
  [[nodiscard]] const Token& token() const { return tokens_[at_]; }
  [[nodiscard]] bool is_word(std::string_view word) const {
    return token().kind == Token::Kind::word && token().text == word;
  }
  [[nodiscard]] bool is_sign(std::string_view sign) const {
    return token().kind == Token::Kind::sign && token().text == sign;
  }
  bool take_word(std::string_view word) {
    if (!is_word(word)) return false;
    ++at_;
    return true;
  }
  bool take_sign(std::string_view sign) {
    if (!is_sign(sign)) return false;
    ++at_;
    return true;
  }
  [[nodiscard]] std::unexpected<grpc::Status> wrong_here() const {
    return Tokenizer::syntax_error(token().position, token().written);
  }

  Outcome<NodePtr> joined(Node::Kind kind, std::string_view word, Outcome<NodePtr> (QueryParser::*part)()) {
    NodePtr first = TRY((this->*part)());
    if (!is_word(word)) return first;
    auto node = std::make_unique<Node>(Node{.kind = kind});
    node->parts.push_back(std::move(first));
    while (take_word(word)) node->parts.push_back(TRY((this->*part)()));
    return node;
  }
  Outcome<NodePtr> either() { return joined(Node::Kind::either, "OR", &QueryParser::both); }
  Outcome<NodePtr> both() { return joined(Node::Kind::both, "AND", &QueryParser::single); }

  Outcome<NodePtr> single() {
    if (++depth_ > depth_max) return invalid("invalid query: too deeply nested");
    auto node = unguarded_single();
    --depth_;
    return node;
  }

  Outcome<NodePtr> unguarded_single() {
    if (take_word("NOT")) {
      auto node = std::make_unique<Node>(Node{.kind = Node::Kind::negated});
      node->parts.push_back(TRY(single()));
      return node;
    }
    if (take_sign("(")) {
      NodePtr node = TRY(either());
      if (!take_sign(")")) return wrong_here();
      return node;
    }
    return comparison();
  }

  Outcome<NodePtr> comparison() {
    const bool is_name = token().kind == Token::Kind::name || token().kind == Token::Kind::word;
    constexpr std::array<std::string_view, 9> reserved{"AND",   "OR",    "IN",    "IS",    "BETWEEN",
                                                       "LIMIT", "ORDER", "GROUP", "SELECT"};
    if (!is_name || (token().kind == Token::Kind::word && std::ranges::find(reserved, token().text) != reserved.end()))
      return wrong_here();
    auto node = std::make_unique<Node>();
    node->field = tokens_[at_++].written;
    const enums_pb::IndexedValueType type = TRY(type_of(node->field));
    if (token().kind == Token::Kind::sign && token().text != "(" && token().text != ")" && token().text != ",") {
      node->comparison = tokens_[at_++].text;
      node->values.push_back(TRY(value(node->field, type)));
      return node;
    }
    if (take_word("IS")) {
      node->kind = Node::Kind::is_null;
      node->is_negated = take_word("NOT");
      if (!take_word("NULL")) return wrong_here();
      return node;
    }
    node->is_negated = take_word("NOT");
    return worded(std::move(node), type);
  }

  Outcome<NodePtr> worded(NodePtr node, enums_pb::IndexedValueType type) {
    if (take_word("IN")) {
      node->kind = Node::Kind::is_in;
      if (!take_sign("(")) return wrong_here();
      do {
        node->values.push_back(TRY(value(node->field, type)));
      } while (take_sign(",") && node->values.size() < in_count_max);
      if (!take_sign(")")) return wrong_here();
      return node;
    }
    if (take_word("BETWEEN")) {
      node->kind = Node::Kind::is_between;
      node->values.push_back(TRY(value(node->field, type)));
      if (!take_word("AND")) return wrong_here();
      node->values.push_back(TRY(value(node->field, type)));
      return node;
    }
    if (take_word("STARTS_WITH")) {
      node->kind = Node::Kind::starts;
      node->values.push_back(TRY(value(node->field, type)));
      if (!node->values.front().is_string()) return wrong_here();
      return node;
    }
    if (is_word("LIKE"))
      return invalid(fmt::format(
          "invalid query: operation is not supported: operator 'LIKE' not supported for {} type search attribute '{}'",
          type_name(type), node->field));
    return wrong_here();
  }

  Outcome<enums_pb::IndexedValueType> type_of(const std::string& field) {
    if (field == "ScheduleId") return enums_pb::INDEXED_VALUE_TYPE_KEYWORD;
    if (field == "TemporalSchedulePaused") return enums_pb::INDEXED_VALUE_TYPE_BOOL;
    if (std::ranges::find(system_fields, field) != system_fields.end())
      return invalid(fmt::format("invalid query filter for schedules: cannot filter on \"{}\"", field));
    const auto declared = settings_.search_attributes.find(field);
    if (declared != settings_.search_attributes.end()) return declared->second;
    return invalid(fmt::format("invalid query: invalid search attribute: {}", field));
  }

  Outcome<json::value> value(const std::string& field, enums_pb::IndexedValueType type) {
    const Token given = token();
    json::value out;
    std::string_view kind;
    if (given.kind == Token::Kind::text) {
      out = given.text;
      kind = "string";
    } else if (given.kind == Token::Kind::number) {
      double number = 0;
      std::from_chars(given.text.data(), given.text.data() + given.text.size(), number);
      out = number;
      kind = given.text.contains('.') ? "float64" : "int64";
    } else if (given.kind == Token::Kind::word && (given.text == "TRUE" || given.text == "FALSE")) {
      out = given.text == "TRUE";
      kind = "bool";
    } else {
      return wrong_here();
    }
    ++at_;
    const bool is_number = type == enums_pb::INDEXED_VALUE_TYPE_INT || type == enums_pb::INDEXED_VALUE_TYPE_DOUBLE;
    const bool is_bool = type == enums_pb::INDEXED_VALUE_TYPE_BOOL;
    const bool fits = is_number ? out.is_number() : is_bool ? out.is_bool() : out.is_string();
    if (fits) return out;
    return invalid(fmt::format(
        "invalid query: invalid expression: invalid value type for search attribute {} of type {}: {} (type: {})",
        field, type_name(type), json::serialize(out), kind));
  }

  const std::vector<Token> tokens_;
  const Settings& settings_;
  std::size_t at_ = 0;
  std::size_t depth_ = 0;
};

/// Null is neither true nor false.
using Truth = std::optional<bool>;

std::optional<std::partial_ordering> compared(const json::value& one, const json::value& other) {
  if (one.is_number() && other.is_number()) return one.to_number<double>() <=> other.to_number<double>();
  if (one.is_bool() && other.is_bool()) return static_cast<int>(one.get_bool()) <=> static_cast<int>(other.get_bool());
  if (!one.is_string() || !other.is_string()) return std::nullopt;
  const std::string_view first = one.get_string();
  const std::string_view second = other.get_string();
  // Times are compared as such, in whatever zone they are written.
  const auto time = parse_instant(first);
  const auto other_time = parse_instant(second);
  if (time && other_time) return time->time_since_epoch().count() <=> other_time->time_since_epoch().count();
  return std::partial_ordering{first.compare(second) <=> 0};
}

Truth compare_by(const std::string& sign, const json::value& value, const json::value& other) {
  const auto order = compared(value, other);
  if (!order) return std::nullopt;
  if (sign == "=") return *order == 0;
  if (sign == "!=") return *order != 0;
  if (sign == "<") return *order < 0;
  if (sign == "<=") return *order <= 0;
  if (sign == ">") return *order > 0;
  return *order >= 0;
}

Truth truth_of_value(const Node& node, const json::value& value) {
  switch (node.kind) {
    case Node::Kind::compares: return compare_by(node.comparison, value, node.values.front());
    case Node::Kind::is_in:
      return std::ranges::any_of(node.values,
                                 [&](const json::value& one) { return compare_by("=", value, one) == true; });
    case Node::Kind::is_between:
      return compare_by(">=", value, node.values[0]) == true && compare_by("<=", value, node.values[1]) == true;
    case Node::Kind::starts:
      return value.is_string() && std::string_view{value.get_string()}.starts_with(node.values.front().get_string());
    default: return std::nullopt;
  }
}

Truth truth_of(const Node& node, const QueryRow& row) {
  if (node.kind == Node::Kind::both || node.kind == Node::Kind::either) {
    const bool decides = node.kind == Node::Kind::either;
    Truth all = !decides;
    for (const NodePtr& part : node.parts) {
      const Truth truth = truth_of(*part, row);
      if (truth == decides) return decides;
      if (!truth) all = std::nullopt;
    }
    return all;
  }
  if (node.kind == Node::Kind::negated) {
    const Truth truth = truth_of(*node.parts.front(), row);
    return truth ? Truth{!*truth} : truth;
  }
  const auto found = row.find(node.field);
  const bool is_null = found == row.end() || found->second.is_null();
  if (node.kind == Node::Kind::is_null) return is_null != node.is_negated;
  if (is_null) return std::nullopt;
  Truth truth;
  if (const json::array* list = found->second.if_array())
    // Of a list, one that fits is enough.
    truth = std::ranges::any_of(*list, [&](const json::value& one) { return truth_of_value(node, one) == true; });
  else
    truth = truth_of_value(node, found->second);
  return truth ? Truth{*truth != node.is_negated} : truth;
}

}  // namespace

Query::Query(std::unique_ptr<Node> root) : root_{std::move(root)} {}
Query::Query(Query&&) noexcept = default;
Query& Query::operator=(Query&&) noexcept = default;
Query::~Query() = default;

Outcome<Query> Query::parse(std::string_view text, const Settings& settings) {
  if (text.size() > query_size_max)
    return invalid(fmt::format("invalid query: it has {} bytes, more than {}", text.size(), query_size_max));
  std::vector<Token> tokens = TRY(Tokenizer{text}.all());
  if (tokens.size() == 1) return Query{nullptr};
  return Query{TRY((QueryParser{std::move(tokens), settings}.parse()))};
}

bool Query::matches(const QueryRow& row) const { return root_ == nullptr || truth_of(*root_, row) == true; }

}  // namespace carillon::temporal
