#pragma once

#include "ports/audit_log.hpp"
#include "ports/log.hpp"
#include "server/audit_witness.hpp"

#include <thread>

namespace carillon {

/// Writes the head of the audit log to the server's own log every hour and at the end. Where logs are kept on another
/// machine, that shows later whether records have been changed or taken away, whatever became of this one. With a
/// witness it is remembered here too, every minute.
class AuditHeadLog {
 public:
  /// The witness may be null.
  AuditHeadLog(AuditLog& audit, AuditWitness* witness, Log& log) : audit_{audit}, witness_{witness}, log_{log} {}
  ~AuditHeadLog() { stop(); }
  AuditHeadLog(const AuditHeadLog&) = delete;
  AuditHeadLog& operator=(const AuditHeadLog&) = delete;

  void start();
  /// Says the last one. Safe twice, and before `start`.
  void stop();

 private:
  void tell();
  void look();

  AuditLog& audit_;
  AuditWitness* witness_;
  Log& log_;
  std::jthread thread_;
};

}  // namespace carillon
