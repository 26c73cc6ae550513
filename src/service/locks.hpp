#pragma once

#include "service/caller.hpp"
#include "service/parts.hpp"

#include <optional>
#include <string>

namespace carillon {

struct LockTerms {
  std::optional<Duration> ttl{};       // none: a minute
  std::string owner{};                 // for people; empty: the caller's name
  std::optional<std::string> token{};  // of a caller that wants to repeat a request whose answer was lost
};

struct LockAnswer {
  std::string name;
  std::string token;  // empty: not told
  LockRecord lock;
};

/// Use cases about locks between processes: for programs that must do something one at a time. What a lock protects
/// should compare its fence (see LockStore). Names belong to a namespace. May be called from several threads.
class Locks {
 public:
  explicit Locks(const ServiceParts& parts) : parts_{parts} {}

  /// Refused (exists, `lock_held`) while another token holds it.
  [[nodiscard]] Served<LockAnswer> acquire(const Caller& caller, const std::optional<std::string>& name_space,
                                           const std::string& name, const LockTerms& terms);
  /// Refused (ended, `lock_lost`) if the token does not hold it any more.
  [[nodiscard]] Served<LockAnswer> extend(const Caller& caller, const std::optional<std::string>& name_space,
                                          const std::string& name, const std::string& token,
                                          std::optional<Duration> ttl);
  [[nodiscard]] Served<> release(const Caller& caller, const std::optional<std::string>& name_space,
                                 const std::string& name, const std::string& token);
  /// Who holds it; not_found if nobody does.
  [[nodiscard]] Served<LockAnswer> find(const Caller& caller, const std::optional<std::string>& name_space,
                                        const std::string& name);

 private:
  const ServiceParts& parts_;
};

}  // namespace carillon
