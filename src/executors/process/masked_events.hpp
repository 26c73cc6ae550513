#pragma once

#include "base/secret_mask.hpp"
#include "ports/executor.hpp"

#include <array>
#include <map>
#include <memory>
#include <mutex>
#include <string_view>

namespace carillon {

/// Passes on how attempts go, with the secrets of each hidden in its output and its error.
class MaskedEvents final : public AttemptEvents {
 public:
  explicit MaskedEvents(AttemptEvents& events) : events_{events} {}

  /// What is to be hidden in an attempt, before anything of it is told.
  void hide_in(const Assignment& assignment);

  void launched(const AttemptKey& key) override { events_.launched(key); }
  void output(const AttemptKey& key, OutputStream stream, std::string_view bytes) override;
  void ended(const AttemptKey& key, AttemptEnd end) override;

 private:
  struct Hidden {
    std::array<SecretMask, 2> masks;  // by OutputStream
    bool is_withheld = false;
    bool is_withholding_told = false;
  };

  /// Null if there is nothing to hide. What is told of one attempt is told by one thread.
  [[nodiscard]] Hidden* hidden_in(const AttemptKey& key);

  AttemptEvents& events_;
  std::mutex mutex_;
  std::map<AttemptKey, std::unique_ptr<Hidden>> hidden_;
};

}  // namespace carillon
