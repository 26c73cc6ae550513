#include "executors/pipeline/provider.hpp"

#include <utility>

namespace carillon::pipeline {

std::string_view to_text(FailureClass kind) {
  switch (kind) {
    case FailureClass::transient: return "transient";
    case FailureClass::permanent: return "permanent";
    case FailureClass::hopeless: return "hopeless";
    case FailureClass::answer: return "answer";
  }
  std::unreachable();
}

}  // namespace carillon::pipeline
