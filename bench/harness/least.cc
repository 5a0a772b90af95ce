// luzia-bench-least FOLDER JOBS OUTSTANDING: runs JOBS times `sh -c true` with only the system calls that a
// detached and recorded job cannot do without, as a yardstick for luziad and luzia-run: a folder and an
// output file, a parent process in a session of its own, the shell, a record of its end that is on disk
// before the parent is gone, and events of start and end in one log, synced in groups. No environment,
// limits, checks, views or files for people. A small program, because it forks.
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

namespace {

constexpr std::size_t kEventBytes = 300, kRecordBytes = 2048;

[[noreturn]] void stop(const char* what) {
  perror(what);
  _exit(1);
}

int opened(int folder, const char* name, int flags) {
  const int fd = openat(folder, name, flags | O_CREAT | O_CLOEXEC, 0600);
  if (fd < 0) stop(name);
  return fd;
}

/// The parent process of one job: outlives us, if need be, and leaves the record.
[[noreturn]] void run_job(int output, int record) {
  setsid();
  prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
  const pid_t shell = vfork();  // NOLINT(clang-analyzer-security.insecureAPI.vfork): as luzia-run does
  if (shell == 0) {
    setsid();
    dup2(output, STDOUT_FILENO);
    dup2(output, STDERR_FILENO);
    execl("/bin/sh", "sh", "-c", "true", nullptr);
    _exit(127);
  }
  int status = 0;
  rusage usage{};
  if (shell < 0 || wait4(shell, &status, 0, &usage) != shell) stop("shell");
  struct stat written {};
  char bytes[kRecordBytes] = {};
  if (fstat(output, &written) != 0) stop("output");
  snprintf(bytes, sizeof bytes, "status %d user_us %ld output %ld\n", status,
           static_cast<long>(usage.ru_utime.tv_usec), static_cast<long>(written.st_size));
  if (pwrite(record, bytes, sizeof bytes, 0) != static_cast<ssize_t>(sizeof bytes) || fdatasync(record) != 0)
    stop("record");
  _exit(status == 0 ? 0 : 1);
}

class Jobs {
 public:
  Jobs(const char* folder, int outstanding) : folder_(open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
    if (folder_ < 0) stop(folder);
    log_ = opened(folder_, "log", O_WRONLY | O_APPEND);
    for (int slot = 0; slot < outstanding; ++slot) {
      const int record = opened(folder_, ("record-" + std::to_string(slot)).c_str(), O_RDWR);
      if (posix_fallocate(record, 0, kRecordBytes) != 0) stop("record");
      slots_.push_back({record, -1});
    }
  }

  void run(int jobs) {
    int started = 0, ended = 0, to_record = 0;
    while (ended < jobs) {
      std::vector<std::size_t> free_slots;
      for (std::size_t slot = 0; slot < slots_.size(); ++slot) {
        if (slots_[slot].parent < 0 && started + static_cast<int>(free_slots.size()) < jobs)
          free_slots.push_back(slot);
      }
      record_events(to_record + static_cast<int>(free_slots.size()));
      for (const std::size_t slot : free_slots) start(slots_[slot], started++);
      to_record = wait_for_some();
      ended += to_record;
    }
    record_events(to_record);
  }

 private:
  struct Slot {
    int record;
    pid_t parent;
  };

  void record_events(int count) {
    const std::vector<char> events(kEventBytes * static_cast<std::size_t>(count));
    const auto size = static_cast<ssize_t>(events.size());
    if (write(log_, events.data(), events.size()) != size || fdatasync(log_) != 0) stop("log");
  }

  void start(Slot& slot, int number) {
    const std::string name = "job-" + std::to_string(number);
    if (mkdirat(folder_, name.c_str(), 0700) != 0) stop(name.c_str());
    const int output = opened(folder_, (name + "/output.log").c_str(), O_WRONLY | O_APPEND);
    slot.parent = fork();
    if (slot.parent == 0) run_job(output, slot.record);
    if (slot.parent < 0) stop("fork");
    close(output);
  }

  int wait_for_some() {
    int ended = 0, status = 0;
    for (pid_t pid = waitpid(-1, &status, 0); pid > 0; pid = waitpid(-1, &status, WNOHANG)) {
      if (status != 0) stop("job");
      for (Slot& slot : slots_) {
        if (slot.parent == pid) slot.parent = -1;
      }
      ++ended;
    }
    return ended;
  }

  int folder_, log_ = -1;
  std::vector<Slot> slots_;
};

}  // namespace

int main(int argc, char** argv) {
  const long jobs = argc == 4 ? strtol(argv[2], nullptr, 10) : 0;
  const long outstanding = argc == 4 ? strtol(argv[3], nullptr, 10) : 0;
  if (jobs < 1 || jobs > 1'000'000 || outstanding < 1 || outstanding > 1'000) return 2;
  Jobs(argv[1], static_cast<int>(outstanding)).run(static_cast<int>(jobs));
  return 0;
}
