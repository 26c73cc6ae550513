#pragma once

#include "base/error.hpp"
#include "base/instant.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace carillon::client {

/// What is wrong with a document, and where.
struct DocumentFault {
  std::string pointer{};        // JSON pointer of the member
  std::string_view expected{};  // `a text`
  std::string_view found{};     // `a number`; `nothing` if it is missing
};

/// Fills one struct of client/types from one object. Members that the struct does not have are passed over, so that a
/// newer server can be read. Reading stops at the first fault.
class ObjectVisitor {
 public:
  explicit ObjectVisitor(const boost::json::object& object) : object_{object} {}

  /// It must be there and not null.
  template <typename T>
  void required(std::string_view name, T& member);
  /// It may be left out or null; the member then keeps its default.
  template <typename T>
  void optional(std::string_view name, T& member);

  [[nodiscard]] const std::optional<DocumentFault>& fault() const { return fault_; }

 private:
  const boost::json::object& object_;
  std::optional<DocumentFault> fault_;
};

/// A struct that names its members.
template <typename T>
concept Document = requires(T& value, ObjectVisitor& visitor) { T::visit_members(value, visitor); };

/// `a text`, `a number`, …: what a JSON value is, in words.
[[nodiscard]] std::string_view kind_of(const boost::json::value& value);

// Each fills `target` from `value`, or says what is wrong with it.
using Reading = std::optional<DocumentFault>;
[[nodiscard]] Reading read_value(const boost::json::value& value, std::string& target);
[[nodiscard]] Reading read_value(const boost::json::value& value, std::int64_t& target);
[[nodiscard]] Reading read_value(const boost::json::value& value, bool& target);
[[nodiscard]] Reading read_value(const boost::json::value& value, Instant& target);
[[nodiscard]] Reading read_value(const boost::json::value& value, boost::json::value& target);

template <Document T>
[[nodiscard]] Reading read_value(const boost::json::value& value, T& target) {
  const auto* object = value.if_object();
  if (object == nullptr) return DocumentFault{.pointer = {}, .expected = "an object", .found = kind_of(value)};
  ObjectVisitor visitor{*object};
  T::visit_members(target, visitor);
  if constexpr (requires { target.document; }) target.document = value;
  return visitor.fault();
}

template <typename T>
[[nodiscard]] Reading read_value(const boost::json::value& value, std::optional<T>& target) {
  return read_value(value, target.emplace());
}

template <typename T>
[[nodiscard]] Reading read_value(const boost::json::value& value, std::vector<T>& target) {
  const auto* array = value.if_array();
  if (array == nullptr) return DocumentFault{.pointer = {}, .expected = "a list", .found = kind_of(value)};
  target.reserve(array->size());
  for (const boost::json::value& element : *array) {
    if (auto fault = read_value(element, target.emplace_back())) {
      fault->pointer.insert(0, "/" + std::to_string(target.size() - 1));
      return fault;
    }
  }
  return std::nullopt;
}

template <typename T>
void ObjectVisitor::optional(std::string_view name, T& member) {
  const boost::json::value* value = fault_ ? nullptr : object_.if_contains(name);
  if (value == nullptr || value->is_null()) return;
  fault_ = read_value(*value, member);
  if (fault_) fault_->pointer.insert(0, "/" + std::string{name});
}

template <typename T>
void ObjectVisitor::required(std::string_view name, T& member) {
  if (fault_) return;
  const boost::json::value* value = object_.if_contains(name);
  if (value != nullptr && !value->is_null()) return optional(name, member);
  fault_ = DocumentFault{
      .pointer = "/" + std::string{name}, .expected = "a value", .found = value == nullptr ? "nothing" : "null"};
}

/// The fault as an Error that names the pointer of the member (code corrupt).
[[nodiscard]] Error to_error(const DocumentFault& fault);

/// A document of the server as a struct of client/types. An error (code corrupt) names the pointer of a member that is
/// missing or of another type; members that nobody knows are passed over.
///
///     const auto schedule = TRY(client::read_document<client::Schedule>(answer.body));
template <typename T>
[[nodiscard]] Result<T> read_document(const boost::json::value& document) {
  T value{};
  if (const auto fault = read_value(document, value)) return std::unexpected(to_error(*fault));
  return value;
}

}  // namespace carillon::client
