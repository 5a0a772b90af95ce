// A program that reports its progress to Luzia. Run it as a job:  luzia demo ./publisher_example
#include <luzia/publisher.h>

#include <chrono>
#include <iostream>

namespace say = luzia::publication;

int main() {
  constexpr std::uint32_t kSteps = 20;
  luzia::Publisher publisher;

  // publish() waits: the start must be on disk before the work begins.
  const luzia::PublishResult started = publisher.publish(say::TaskStarted{.task_id = "example",
                                                                          .project = "demo",
                                                                          .description = "Count to twenty",
                                                                          .estimated_duration_seconds = 1});
  if (!started) {
    std::cerr << started.message << " (" << started.code << ")\n";
    return 1;
  }

  // publish_later() does not wait: progress must not delay the work. It is recorded in this order.
  for (std::uint32_t step = 1; step <= kSteps; ++step) {
    const bool taken = publisher.publish_later(say::Progress{.progress_percent = 100.0 * step / kSteps,
                                                             .current_step = step,
                                                             .total_steps = kSteps,
                                                             .current_step_name = "counting"});
    if (!taken) std::cerr << "progress was not accepted: no daemon answers\n";
  }

  const luzia::PublishResult completed =
      publisher.publish(say::TaskCompleted{.findings_count = 1, .status = say::Verdict::approved});
  const luzia::PublisherCounts counts = publisher.counts();
  std::cout << counts.recorded << " recorded, " << counts.failed << " failed\n";
  return completed && publisher.flush(std::chrono::seconds(10)) ? 0 : 1;
}
