#include "service/patched_document.hpp"

#include "definitions/short_form.hpp"
#include "service/merge_patch.hpp"

#include <boost/json/object.hpp>

#include <array>
#include <string_view>

namespace carillon {
namespace {

namespace json = boost::json;

constexpr std::array<std::string_view, 4> sources{"cron", "calendars", "intervals", "times"};

json::object* member_object(json::object& object, std::string_view key) {
  json::value* member = object.if_contains(key);
  return member == nullptr ? nullptr : member->if_object();
}

void drop_other_sources(json::object& document, const LongForm& form) {
  const bool names_a_rule = form.origins.contains("/spec/cron") || form.origins.contains("/spec/intervals");
  json::object* spec = member_object(document, "spec");
  if (!names_a_rule || spec == nullptr) return;
  const json::value* given = form.document.if_contains("spec");
  for (const std::string_view source : sources)
    if (!given->get_object().contains(source)) spec->erase(source);
}

void drop_other_action(json::object& document, const json::object& patch) {
  json::object* action = member_object(document, "action");
  const json::value* given = patch.if_contains("action");
  if (action == nullptr || given == nullptr || !given->is_object()) return;
  for (const auto& [kind, value] : given->get_object()) {
    if (value.is_null() || action->contains(kind)) continue;
    action->clear();
    return;
  }
}

}  // namespace

PatchedDocument patched_document(json::value document, const json::value& patch) {
  PatchedDocument patched{.document = std::move(document), .problems = {}};
  if (!patch.is_object() || !patched.document.is_object()) {
    patched.problems.push_back(
        {.pointer = "", .code = "wrong-type", .message = "a patch must be an object", .hint = {}, .position = {}});
    return patched;
  }
  const LongForm form = to_long_form(patch.get_object(), "", patched.problems);
  json::object& members = patched.document.get_object();
  drop_other_sources(members, form);
  drop_other_action(members, form.document);
  merge_patch(patched.document, json::value(form.document));
  return patched;
}

}  // namespace carillon
