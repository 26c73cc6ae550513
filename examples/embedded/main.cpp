// A bell that rings every second, and a program that ends after the third stroke. With a folder as argument the bell
// goes on counting where the program before has left it.
#include <carillon/carillon.hpp>

#include <chrono>
#include <iostream>
#include <semaphore>
#include <string>

int main(int argc, char** argv) {
  using namespace std::chrono_literals;

  auto scheduler = carillon::Scheduler::open({.data = argc > 1 ? argv[1] : ""});
  if (!scheduler) {
    std::cerr << scheduler.error().message << '\n';
    return 1;
  }

  std::counting_semaphore<> rung{0};
  scheduler->listen(
      {.execution_complete = [&](const carillon::ExecutionComplete&) { rung.release(); },
       .execution_error = [](const carillon::ExecutionError& event) { std::cerr << event.error << '\n'; }});

  scheduler->must_register({.id = "bell", .every = 1s}, [](const carillon::RunContext& run) {
    const int stroke = run.last_result ? std::stoi(*run.last_result) + 1 : 1;
    std::cout << "stroke " << stroke << " of " << run.run_name << std::endl;
    run.log("stroke " + std::to_string(stroke));
    return carillon::HandlerResult::success(std::to_string(stroke));
  });

  if (const auto started = scheduler->start(); !started) {
    std::cerr << started.error().message << '\n';
    return 1;
  }
  for (int stroke = 0; stroke < 3; ++stroke) rung.acquire();
  scheduler->stop();

  const auto runs = scheduler->history("bell", 1);
  if (!runs || runs->empty()) return 1;
  std::cout << "log of the last: " << scheduler->run_log(runs->front().run_id).value();
  std::cout << "last: " << runs->front().run_name << ", result " << runs->front().result.value_or("none") << '\n';
}
