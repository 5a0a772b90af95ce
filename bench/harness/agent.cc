// luzia-bench-agent LINES PER_SECOND MARK_EVERY [BEGIN]: prints lines at an even rate. Each line whose number
// is a multiple of MARK_EVERY is a notice with the time of its writing; the others are plain. BEGIN: a time
// of the monotonic clock, in seconds, before which it prints nothing, so that agents started together do not
// all write at once. Kept small, because a thousand of them run at once.
#include <time.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

namespace {

constexpr double kNanoseconds = 1e9;

double now_seconds() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) / kNanoseconds;
}

void sleep_until(double moment) {
  timespec until{};
  until.tv_sec = static_cast<time_t>(moment);
  until.tv_nsec = static_cast<long>((moment - static_cast<double>(until.tv_sec)) * kNanoseconds);
  clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, nullptr);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4 && argc != 5) return 2;
  const long lines = strtol(argv[1], nullptr, 10);
  const double pause = 1 / strtod(argv[2], nullptr);
  const long mark_every = strtol(argv[3], nullptr, 10);
  if (lines < 1 || mark_every < 1 || !(pause > 0)) return 2;
  double next = now_seconds();
  if (argc == 5) {
    constexpr int kPlaces = 64;  // positions within a pause, chosen by process id
    next = strtod(argv[4], nullptr) + pause * (static_cast<double>(getpid() % kPlaces) / kPlaces);
    sleep_until(next);
  }
  for (long i = 1; i <= lines; ++i) {
    char line[96];
    const int size = i % mark_every == 0
                         ? snprintf(line, sizeof line, "::notice::%.9f\n", now_seconds())
                         : snprintf(line, sizeof line, "line %ld: compiling src/module_%ld.cc\n", i, i);
    if (write(STDOUT_FILENO, line, static_cast<size_t>(size)) != size) return 1;
    sleep_until(next += pause);
  }
  return 0;
}
