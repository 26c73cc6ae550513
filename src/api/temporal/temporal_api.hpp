#pragma once

#include "api/grpc/call.hpp"
#include "api/temporal/description_cache.hpp"
#include "api/temporal/settings.hpp"
#include "base/task_threads.hpp"
#include "ports/log.hpp"
#include "ports/notifier.hpp"
#include "service/answer_cache.hpp"
#include "service/application.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace carillon::temporal {

struct TemporalOptions {
  Settings settings{};
  std::size_t reader_count = 2;        // threads that may wait for the store to read
  std::size_t writer_count = 8;        // … or to write
  std::size_t waiting_max = 1'024;     // calls that may wait for one of them
  LoopMonitor* loops = nullptr;        // watches the threads
  std::function<bool()> is_serving{};  // none: always
};

/// The part of Temporal's frontend API that is about schedules: finds the method of a call, hands it to the application
/// and translates the answer. Decides nothing itself.
class TemporalApi final : public grpc::CallHandler {
 public:
  /// The application outlives this.
  TemporalApi(Application& application, TemporalOptions options, Log& log);
  ~TemporalApi() override;
  TemporalApi(const TemporalApi&) = delete;
  TemporalApi& operator=(const TemporalApi&) = delete;

  void handle(grpc::Call call, grpc::Replier replier) override;
  [[nodiscard]] grpc::Status admit(const grpc::Call& head) override;

  /// What waits is answered; nothing may be handled any more. Safe to call twice.
  void stop();

 private:
  struct Route;
  struct Pending;
  [[nodiscard]] static const Route* route_of(std::string_view path);

  void start(const std::shared_ptr<Pending>& pending, Served<Caller> caller);
  void dispatch(TaskThreads& threads, const std::shared_ptr<Pending>& pending, std::function<void()> work);
  [[nodiscard]] grpc::Answer answer(Pending& pending);
  /// An answer that was given before and is still true.
  [[nodiscard]] std::optional<grpc::Answer> kept_answer(const Pending& pending);
  void keep_answer(const Pending& pending, std::uint64_t epoch, Instant until, const std::string& response);

  Application& application_;
  const TemporalOptions options_;
  Log& log_;
  AnswerCache answers_;
  DescriptionCache descriptions_;
  TaskThreads gate_;  // asks the store about tokens that are not in memory: guesses must not keep readers busy
  TaskThreads readers_;
  TaskThreads writers_;
  NotifierSubscription changes_;  // last: it calls what stands above
};

}  // namespace carillon::temporal
