#include "executors/temporal/temporal_executor.hpp"

#include "definitions/workflow_callback.hpp"
#include "executors/temporal/grpc_channel.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <mutex>
#include <stop_token>
#include <thread>
#include <utility>
#include <variant>

namespace carillon::workflows {
namespace {

/// The name of the method's service, in Temporal's frontend.
constexpr std::string_view service_path = "/temporal.api.workflowservice.v1.WorkflowService/";
constexpr Duration turn_max = std::chrono::milliseconds{500};

struct LaunchOrder {
  Assignment assignment;
  bool is_resumed;
};
struct EndOrder {
  AttemptKey key;
  Stop how;
};
struct ForgetOrder {
  AttemptKey key;
};
struct LookOrder {
  AttemptKey key;
};
using Order = std::variant<LaunchOrder, EndOrder, ForgetOrder, LookOrder>;

void block_broken_pipes() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGPIPE);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
}

std::string identity_of_host() {
  std::array<char, 65> host{};
  (void)::gethostname(host.data(), host.size() - 1);
  return fmt::format("carillon:{}-{}", host.data(), ::getpid());
}

CallContext context_for(const ClusterSettings& cluster, const TemporalOptions& options) {
  CallContext context{.name_space = cluster.name_space, .identity = identity_of_host(), .web = cluster.web};
  if (cluster.callback_url.empty() || !options.callback_key) return context;
  context.callback_url = cluster.callback_url + std::string{workflow_callback_path};
  context.callback_key = options.callback_key;
  return context;
}

}  // namespace

/// The thread of one cluster: its connection, its runs, and what it is told by others.
class TemporalExecutor::ClusterLoop final : public ClusterCalls {
 public:
  ClusterLoop(const ClusterSettings& cluster, std::unique_ptr<GrpcChannel> channel, const TemporalOptions& options,
              Clock& clock, AttemptEvents& events, Log& log)
      : cluster_{cluster},
        clock_{clock},
        log_{log},
        monitor_{options.loops},
        channel_{std::move(channel)},
        runs_{*this, events, clock, context_for(cluster, options), options.follow},
        wake_{eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)} {
    thread_ =
        watched_thread(monitor_, "workflows", [this](const auto& token, const auto& pulse) { run(token, pulse); });
  }
  ~ClusterLoop() override {
    thread_.request_stop();
    wake();
    thread_.join();
    ::close(wake_);
  }
  ClusterLoop(const ClusterLoop&) = delete;
  ClusterLoop& operator=(const ClusterLoop&) = delete;

  void tell(Order order) {
    {
      const std::lock_guard lock{mutex_};
      orders_.push_back(std::move(order));
    }
    wake();
  }
  void extend_until(Duration since_boot) {
    const std::lock_guard lock{mutex_};
    starts_until_ = since_boot;
  }

  void call(std::string_view method, std::string message, Duration timeout, Done done) override {
    channel_->call(std::string{service_path} + std::string{method}, std::move(message), clock_.since_boot(), timeout,
                   std::move(done));
  }

 private:
  void wake() const {
    const std::uint64_t one = 1;
    static_cast<void>(!::write(wake_, &one, sizeof one));
  }

  void run(const std::stop_token& token, const LoopMonitor::Pulse& pulse) {
    block_broken_pipes();
    std::vector<pollfd> waits;
    while (!token.stop_requested()) {
      pulse.beat();
      take_orders();
      Duration next = runs_.tick();
      channel_->advance(clock_.since_boot());
      // Answers may have made more to do at once.
      next = std::min(next, runs_.tick());
      const Duration now = clock_.since_boot();
      next = std::min({next, channel_->next_turn(now), now + turn_max});
      tell_trouble();
      tell_refusal();
      waits.assign(1, {.fd = wake_, .events = POLLIN, .revents = 0});
      channel_->add_waits(waits);
      const auto patience = std::chrono::ceil<std::chrono::milliseconds>(std::max(next - now, Duration{0}));
      static_cast<void>(::poll(waits.data(), waits.size(), static_cast<int>(patience.count())));
      std::uint64_t count = 0;
      static_cast<void>(!::read(wake_, &count, sizeof count));
    }
  }

  void take_orders() {
    std::vector<Order> orders;
    {
      const std::lock_guard lock{mutex_};
      orders.swap(orders_);
      runs_.extend_until(starts_until_);
    }
    for (Order& order : orders) {
      if (const auto* launch = std::get_if<LaunchOrder>(&order))
        launch->is_resumed ? runs_.resume(launch->assignment) : runs_.launch(launch->assignment);
      else if (const auto* end = std::get_if<EndOrder>(&order))
        runs_.stop(end->key, end->how);
      else if (const auto* look = std::get_if<LookOrder>(&order))
        runs_.look_at(look->key);
      else
        runs_.forget(std::get<ForgetOrder>(order).key);
    }
  }

  /// Told once, and once when it is over.
  void tell_trouble() {
    const std::string& trouble = channel_->trouble();
    if (trouble.empty() == trouble_.empty()) return;
    trouble_ = trouble;
    if (trouble.empty())
      log_.info("Temporal cluster answers again", {{"cluster", cluster_.name}});
    else
      log_.warn("Temporal cluster cannot be reached",
                {{"cluster", cluster_.name}, {"address", cluster_.host + ":" + cluster_.port}, {"error", trouble}});
  }

  void tell_refusal() {
    if (is_refusal_told_ || runs_.callback_refusal().empty()) return;
    is_refusal_told_ = true;
    log_.warn(
        "Temporal cluster does not call back: ends of workflows are asked for",
        {{"cluster", cluster_.name}, {"callbackUrl", cluster_.callback_url}, {"error", runs_.callback_refusal()}});
  }

  const ClusterSettings& cluster_;
  Clock& clock_;
  Log& log_;
  LoopMonitor* const monitor_;
  // The thread's own.
  std::unique_ptr<GrpcChannel> channel_;
  WorkflowRuns runs_;
  std::string trouble_;
  bool is_refusal_told_ = false;

  const int wake_;
  std::mutex mutex_;
  std::vector<Order> orders_;
  Duration starts_until_ = Duration::max();

  std::jthread thread_;
};

TemporalExecutor::TemporalExecutor(TemporalOptions options, AttemptEvents& events)
    : options_{std::move(options)}, events_{events} {}

TemporalExecutor::~TemporalExecutor() = default;

Result<std::unique_ptr<TemporalExecutor>> TemporalExecutor::open(TemporalOptions options, Clock& clock,
                                                                 AttemptEvents& events, Log& log) {
  std::unique_ptr<TemporalExecutor> executor{new TemporalExecutor{std::move(options), events}};
  const TemporalOptions& kept = executor->options_;
  for (const ClusterSettings& cluster : kept.clusters) {
    ChannelOptions channel{.cluster = cluster, .metadata = [&cluster, &kept]() -> Result<grpc::Metadata> {
                             grpc::Metadata metadata{{"user-agent", "carillon/" + kept.version},
                                                     {"client-name", "carillon"},
                                                     {"client-version", kept.version},
                                                     {"temporal-namespace", cluster.name_space},
                                                     {"supported-features", "follows-next-run-id"}};
                             if (!cluster.api_key.empty())
                               metadata.emplace_back("authorization",
                                                     "Bearer " + TRY(kept.read_secret(cluster.api_key)));
                             return metadata;
                           }};
    auto opened = TRY(while_doing(GrpcChannel::open(std::move(channel)), "reading cluster {}", cluster.name));
    executor->names_.push_back(cluster.name);
    executor->loops_.push_back(std::make_unique<ClusterLoop>(cluster, std::move(opened), kept, clock, events, log));
  }
  return executor;
}

TemporalExecutor::ClusterLoop* TemporalExecutor::loop_for(const Assignment& assignment) {
  const auto& action = std::get<WorkflowAction>(assignment.action);
  const auto name = cluster_of(action, names_);
  if (name) return loops_[static_cast<std::size_t>(std::ranges::find(names_, *name) - names_.begin())].get();
  const Error fault = cluster_fault(action, names_).value();
  events_.ended(assignment.key,
                {.outcome = AttemptOutcome::failed, .error = fmt::format("{}; {}", fault.message, fault.hint)});
  return nullptr;
}

void TemporalExecutor::launch(Assignment assignment) {
  if (ClusterLoop* loop = loop_for(assignment))
    loop->tell(LaunchOrder{.assignment = std::move(assignment), .is_resumed = false});
}

void TemporalExecutor::resume(Assignment assignment) {
  if (ClusterLoop* loop = loop_for(assignment))
    loop->tell(LaunchOrder{.assignment = std::move(assignment), .is_resumed = true});
}

void TemporalExecutor::stop(const AttemptKey& key, Stop how) {
  for (const auto& loop : loops_) loop->tell(EndOrder{.key = key, .how = how});
}

void TemporalExecutor::recorded(const AttemptKey& key) {
  for (const auto& loop : loops_) loop->tell(ForgetOrder{.key = key});
}

void TemporalExecutor::look_at(const AttemptKey& key) {
  for (const auto& loop : loops_) loop->tell(LookOrder{.key = key});
}

void TemporalExecutor::extend_until(Duration since_boot) {
  for (const auto& loop : loops_) loop->extend_until(since_boot);
}

}  // namespace carillon::workflows
