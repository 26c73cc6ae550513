#pragma once

#include <boost/container/small_vector.hpp>

#include <optional>
#include <string_view>

namespace carillon {

/// One member of an object as it stands in a text.
struct MemberText {
  std::string_view key;    // what stands between its quotation marks
  std::string_view value;  // without spaces around it
};

using MemberTexts = boost::container::small_vector<MemberText, 16>;

/// The members of the object that a JSON text is, in their order, without reading their values: those who change or
/// leave out one of them hand on the others as they were written. For texts that were written by this program: what is
/// inside of values is not checked. None if the text is not one whole object.
[[nodiscard]] std::optional<MemberTexts> member_texts(std::string_view text);

/// The value of one member as it stands in such a text, found without looking at what comes behind it; none if there is
/// no such member.
[[nodiscard]] std::optional<std::string_view> find_member(std::string_view text, std::string_view key);

}  // namespace carillon
