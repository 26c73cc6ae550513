#pragma once

#include "definitions/action.hpp"
#include "ports/executor.hpp"

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace carillon {

/// The commands of this machine that perform jobs, by the type of the job. Whoever runs the worker has chosen them: a
/// schedule or a server cannot.
using HandlerCommandMap = std::map<std::string, CommandAction, std::less<>>;

[[nodiscard]] std::vector<std::string> types_of(const HandlerCommandMap& handlers);

/// The command of a job with its envelope as standard input. An error not_found if there is none for its type.
[[nodiscard]] Result<CommandAction> command_for(const HandlerCommandMap& handlers, const std::string& type,
                                                std::string envelope);

/// Performs jobs with commands of this machine. The command gets the envelope of the job as JSON on its standard input,
/// beside the usual variables; exit code 0 is success. May be called from several threads.
class HandlerCommands final : public Executor {
 public:
  using EnvelopeText = std::function<Result<std::string>(const Envelope&)>;

  /// `commands` performs, and tells `events` how it goes; both outlive this.
  HandlerCommands(HandlerCommandMap handlers, Executor& commands, AttemptEvents& events, EnvelopeText envelope_text);

  void launch(Assignment assignment) override;
  void stop(const AttemptKey& key, Stop how) override { commands_.stop(key, how); }
  void extend_until(Duration since_boot) override { commands_.extend_until(since_boot); }

 private:
  const HandlerCommandMap handlers_;
  Executor& commands_;
  AttemptEvents& events_;
  EnvelopeText envelope_text_;
};

}  // namespace carillon
