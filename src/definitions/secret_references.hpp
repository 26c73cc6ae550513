#pragma once

#include "base/error.hpp"
#include "definitions/action.hpp"

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace carillon {

/// What stands for a secret in a document: `${secret:name}`, `${file:path}` or `${env:NAME}`. Only the reference is
/// stored; the secret is read for each attempt. `$${` stands for a plain `${`.
struct SecretReference {
  enum class Kind { secret, file, environment };
  Kind kind{};
  std::string name;  // name, path or NAME
  friend bool operator==(const SecretReference&, const SecretReference&) = default;
};

/// The reference a whole text is, braces included. An error says what is wrong with it and what to write.
[[nodiscard]] Result<SecretReference> parse_reference(std::string_view text);

/// What is wrong with the references in a text, if anything: those of an unknown kind (`${vault:x}`), without a name or
/// without an end, and names that nothing can have. `${HOME}` and `${HOME:-/root}` are no references.
[[nodiscard]] std::optional<Error> check_references(std::string_view text);

/// All references of an action, braces included, each once: in the environment of a command, in the headers and the
/// signing secret of a request.
[[nodiscard]] std::vector<std::string> references_of(const Action& action);

/// Gives the secret that a reference stands for, braces included. Its error must not show a secret.
using SecretResolver = std::function<Result<std::string>(std::string_view reference)>;

/// A resolver that knows these secrets, by their references, and no other.
[[nodiscard]] SecretResolver resolver_of(const TextMap& secrets);

/// A text with its references replaced, each once: what a secret holds is not looked at again.
struct ResolvedText {
  std::string text;
  std::vector<std::string> secrets;  // what was put in
};

/// Texts that look like references and are none, as only documents saved by earlier versions have them, are left as
/// they are.
[[nodiscard]] Result<ResolvedText> resolve_references(std::string_view text, const SecretResolver& resolve);

}  // namespace carillon
