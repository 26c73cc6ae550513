#pragma once

#include "base/error.hpp"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace carillon {

/// Gives the secret that a reference stands for: `${env:NAME}`, `${file:path}`, `${secret:name}`, braces included. Its
/// error must not show a secret. May be called from several threads.
using SecretResolver = std::function<Result<std::string>(std::string_view reference)>;

/// A text with its references replaced, each once: what a secret holds is not looked at again, and is taken without
/// line ends behind it.
struct ResolvedText {
  std::string text;
  std::vector<std::string> secrets;  // what was put in
};

[[nodiscard]] Result<ResolvedText> resolve_references(std::string_view text, const SecretResolver& resolve);

}  // namespace carillon
