// For LD_PRELOAD: shifts the wall clock by the microseconds in the file $SHIFTED_CLOCK, which may change at
// any time. The other clocks stay unchanged, as when somebody sets the time or the machine wakes up.
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

namespace {

const volatile int64_t* map_shift() {
  const char* path = getenv("SHIFTED_CLOCK");
  const int fd = path != nullptr ? open(path, O_RDONLY | O_CLOEXEC) : -1;
  if (fd < 0) return nullptr;
  void* shift = mmap(nullptr, sizeof(int64_t), PROT_READ, MAP_SHARED, fd, 0);
  close(fd);
  return shift != MAP_FAILED ? static_cast<const volatile int64_t*>(shift) : nullptr;
}

}  // namespace

extern "C" int clock_gettime(clockid_t clock, timespec* now) {
  static const volatile int64_t* const shift = map_shift();
  const long done = syscall(SYS_clock_gettime, clock, now);
  if (done != 0 || clock != CLOCK_REALTIME || shift == nullptr) return static_cast<int>(done);
  constexpr int64_t kSecond = 1'000'000;
  const int64_t us = now->tv_sec * kSecond + now->tv_nsec / 1000 + *shift;
  now->tv_sec = us / kSecond;
  now->tv_nsec = us % kSecond * 1000;
  return 0;
}
