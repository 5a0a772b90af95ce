// The attacker of the wall's tests: tries one way out of a sandbox, as an agent could, and says whether it
// worked.
//
//   escapes WAY [ARGUMENT]...    prints "escaped: ..." (exit code 0) or "held" (exit code 1)
//
// A way that cannot be tried (its argument is missing) exits with 2, so that no test passes because of that.
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/keyctl.h>
#include <netinet/in.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace {

using Arguments = std::vector<std::string>;

std::string found;  // what an escape reached

bool escaped(const std::string& how) {
  found = how;
  return true;
}

bool reads(const std::string& path) {
  const int file = ::open(path.c_str(), O_RDONLY | O_NONBLOCK);
  if (file < 0) return false;
  char byte = 0;
  const bool any = ::read(file, &byte, 1) == 1;
  ::close(file);
  return any && escaped("read " + path);
}

bool writes(const std::string& path) {
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0644);
  if (file < 0) return false;
  const bool any = ::write(file, "x\n", 2) == 2;
  ::close(file);
  return any && escaped("wrote " + path);
}

std::vector<pid_t> processes() {
  std::vector<pid_t> pids;
  if (DIR* proc = ::opendir("/proc")) {
    while (const dirent* entry = ::readdir(proc)) {
      if (const int pid = ::atoi(entry->d_name); pid > 0) pids.push_back(pid);
    }
    ::closedir(proc);
  }
  return pids;
}

std::string name_of(pid_t pid) {
  char text[64] = "";
  if (FILE* file = ::fopen(("/proc/" + std::to_string(pid) + "/comm").c_str(), "r")) {
    if (::fgets(text, sizeof text, file) == nullptr) text[0] = '\0';
    ::fclose(file);
  }
  return std::string(text).substr(0, std::string(text).find('\n'));
}

bool connects(int family, const sockaddr* address, socklen_t size) {
  const int fd = ::socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const bool done = fd >= 0 && ::connect(fd, address, size) == 0;
  ::close(fd);
  return done;
}

bool connects_to(const std::string& name, bool abstract) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::size_t at = abstract ? 1 : 0;
  if (name.empty() || name.size() + at >= sizeof address.sun_path) return false;
  ::memcpy(address.sun_path + at, name.data(), name.size());
  const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + at + name.size());
  return connects(AF_UNIX, reinterpret_cast<const sockaddr*>(&address), size) &&
         escaped("connected to " + name);
}

bool by_link(const Arguments& to) {
  ::unlink("way-out");
  return ::symlink(to[0].c_str(), "way-out") == 0 && reads("way-out");
}

bool by_hard_link(const Arguments& to) {
  ::unlink("way-out-hard");
  return ::link(to[0].c_str(), "way-out-hard") == 0 && reads("way-out-hard");
}

bool by_other_roots(const Arguments& to) {
  for (const pid_t pid : processes()) {
    const std::string process = "/proc/" + std::to_string(pid);
    if (reads(process + "/root" + to[0]) || reads(process + "/cwd/../home/.ssh/id")) return true;
  }
  return false;
}

bool writes_by_other_roots(const Arguments& to) {
  for (const pid_t pid : processes()) {
    if (writes("/proc/" + std::to_string(pid) + "/root" + to[0])) return true;
  }
  return false;
}

bool is_ours(const std::string& name) {
  return name == "luzia-run" || name == "luzia-proxy";
}

bool traces_runner(const Arguments&) {
  for (const pid_t pid : processes()) {
    if (!is_ours(name_of(pid)) || ::ptrace(PTRACE_SEIZE, pid, nullptr, nullptr) != 0) continue;
    return escaped("traces luzia-run " + std::to_string(pid));
  }
  return false;
}

bool reads_runner(const Arguments&) {
  for (const pid_t pid : processes()) {
    if (!is_ours(name_of(pid))) continue;
    for (const char* file : {"/environ", "/mem", "/maps"}) {
      if (reads("/proc/" + std::to_string(pid) + file)) return true;
    }
  }
  return false;
}

// In a sandbox, process 1 is of luzia-run and may be addressed, but must survive it.
bool kills_runner(const Arguments&) {
  for (const pid_t pid : processes()) {
    const std::string name = name_of(pid);
    if ((!is_ours(name) && name != "luziad") || ::kill(pid, pid == 1 ? SIGKILL : 0) != 0) continue;
    if (pid != 1) return escaped("may signal " + name);
  }
  ::poll(nullptr, 0, 50);
  return false;  // else this process would be gone, and the test finds no answer
}

// A process of another job, by a word in its command line.
bool signals_other_job(const Arguments& word) {
  for (const pid_t pid : processes()) {
    char text[4096] = "";
    const int file = ::open(("/proc/" + std::to_string(pid) + "/cmdline").c_str(), O_RDONLY);
    const ssize_t size = ::read(file, text, sizeof text);
    ::close(file);
    const bool is_it =
        size > 0 && std::string(text, static_cast<std::size_t>(size)).find(word[0]) != std::string::npos;
    if (is_it && pid != ::getpid() && pid != ::getppid() && name_of(pid) == "sleep" && ::kill(pid, 0) == 0) {
      return escaped("may signal " + std::to_string(pid));
    }
  }
  return false;
}

bool has_descriptors(const Arguments&) {
  for (int fd = 3; fd < 1024; ++fd) {
    if (::fcntl(fd, F_GETFD) >= 0) return escaped("has descriptor " + std::to_string(fd));
  }
  return false;
}

bool types_into_terminal(const Arguments&) {
  const char letter = 'x';
  for (int fd = 0; fd < 3; ++fd) {
    if (::ioctl(fd, TIOCSTI, &letter) == 0) return escaped("typed into descriptor " + std::to_string(fd));
  }
  const int terminal = ::open("/dev/tty", O_RDWR);
  return terminal >= 0 && ::ioctl(terminal, TIOCSTI, &letter) == 0 && escaped("typed into /dev/tty");
}

bool reaches_bus(const Arguments&) {
  const char* address = ::getenv("DBUS_SESSION_BUS_ADDRESS");
  const std::string text = address == nullptr ? "" : address;
  constexpr char kPath[] = "unix:path=";
  return text.rfind(kPath, 0) == 0 && connects_to(text.substr(sizeof kPath - 1), false);
}

bool gains_privileges(const Arguments&) {
  return ::prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 0 && escaped("setuid programs have effect");
}

bool has_capabilities(const Arguments&) {
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  __user_cap_data_struct data[2] = {};
  ::syscall(SYS_capget, &header, data);
  return (data[0].effective | data[0].permitted | data[1].effective | data[1].permitted) != 0 &&
         escaped("has capabilities");
}

// With capabilities of a user namespace of its own: uncovers what is covered, then looks again.
bool by_user_namespace(const Arguments& to) {
  if (::unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0 && ::unshare(CLONE_NEWNS) != 0) return false;
  for (std::string path = to[0]; path.size() > 1; path = path.substr(0, path.rfind('/'))) {
    ::umount2(path.c_str(), MNT_DETACH);
    if (reads(to[0])) return true;
  }
  for (const char* path : {"/tmp", "/run", "/proc", "/dev", "/"}) ::umount2(path, MNT_DETACH);
  if (reads(to[0])) return true;
  ::mount(nullptr, "/", nullptr, MS_REMOUNT | MS_BIND, nullptr);
  return writes("/usr/luzia-wall") || reads(to[0]);
}

void fill(const char* path, const std::string& text) {
  const int file = ::open(path, O_WRONLY);
  [[maybe_unused]] const ssize_t written = ::write(file, text.data(), text.size());
  ::close(file);
}

// As above, but from a mount namespace that does not have the mounts: there it is only a name in its folder.
bool from_under_the_mounts(const Arguments& to) {
  const std::size_t slash = to[0].rfind('/');
  const std::string folder = to[0].substr(0, slash), name = to[0].substr(slash + 1);
  const std::string user = std::to_string(::getuid()), group = std::to_string(::getgid());
  if (::unshare(CLONE_NEWUSER | CLONE_NEWNS) == 0) {
    fill("/proc/self/setgroups", "deny");
    fill("/proc/self/uid_map", user + " " + user + " 1");
    fill("/proc/self/gid_map", group + " " + group + " 1");
    const int held = ::open(folder.c_str(), O_PATH | O_DIRECTORY);
    const bool is_under = held >= 0 && ::mount("none", "/tmp", "tmpfs", 0, nullptr) == 0 &&
                          ::mkdir("/tmp/old", 0700) == 0 &&
                          ::syscall(SYS_pivot_root, "/tmp", "/tmp/old") == 0 && ::chdir("/") == 0 &&
                          ::umount2("/old", MNT_DETACH) == 0;
    return is_under && ::renameat(held, name.c_str(), held, (name + ".moved").c_str()) == 0 &&
           escaped("renamed " + to[0]);
  }
  return ::rename(to[0].c_str(), (to[0] + ".moved").c_str()) == 0 && escaped("renamed " + to[0]);
}

bool makes_device(const Arguments&) {
  const char* path = "way-out-device";
  ::unlink(path);
  if (::mknod(path, S_IFBLK | 0600, makedev(254, 0)) != 0) return false;
  const int disk = ::open(path, O_RDONLY);
  ::unlink(path);
  return disk >= 0 && escaped("opened a device");
}

bool changes_kernel(const Arguments&) {
  const int file = ::open("/proc/sys/kernel/core_pattern", O_WRONLY);
  return file >= 0 && escaped("may write the kernel's settings");
}

bool has_keys(const Arguments&) {
  return ::syscall(SYS_keyctl, KEYCTL_GET_KEYRING_ID, KEY_SPEC_SESSION_KEYRING, 0) >= 0 &&
         escaped("has the session's key ring");
}

bool shares_memory(const Arguments& key) {
  return ::shmget(static_cast<key_t>(::atoi(key[0].c_str())), 1, 0) >= 0 && escaped("found shared memory");
}

bool reaches_port(const Arguments& port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(::atoi(port[0].c_str())));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return connects(AF_INET, reinterpret_cast<const sockaddr*>(&address), sizeof address) &&
         escaped("connected to port " + port[0]);
}

// Moves what cannot be written out of the way, and puts its own there.
bool replaces(const Arguments& path) {
  const std::string moved = path[0] + ".moved";
  const std::string folder = path[0].substr(0, path[0].rfind('/'));
  if (writes(path[0])) return true;
  if (::rename(path[0].c_str(), moved.c_str()) == 0) return escaped("renamed " + path[0]);
  return ::rename(folder.c_str(), (folder + ".moved").c_str()) == 0 && escaped("renamed " + folder);
}

// As many as its user may have. It keeps them until `go` is there.
bool takes_all_watches(const Arguments&) {
  constexpr int kMost = 10'000;
  const int watches = ::inotify_init1(IN_CLOEXEC);
  for (int taken = 0; watches >= 0 && taken < kMost; ++taken) {
    const std::string folder = "watched-" + std::to_string(taken);
    if (::mkdir(folder.c_str(), 0700) != 0) return false;
    if (::inotify_add_watch(watches, folder.c_str(), IN_CREATE) >= 0) continue;
    if (errno != ENOSPC || !writes("taken")) return false;
    while (::access("go", F_OK) != 0) ::poll(nullptr, 0, 50);
    return escaped("took " + std::to_string(taken) + " watches");
  }
  return false;
}

struct Way {
  std::function<bool(const Arguments&)> attempt;
  std::size_t arguments = 0;
};

const std::map<std::string, Way>& ways() {
  static const std::map<std::string, Way> all = {
      {"read", {[](const Arguments& path) { return reads(path[0]); }, 1}},
      {"write", {[](const Arguments& path) { return writes(path[0]); }, 1}},
      {"link", {by_link, 1}},
      {"hard-link", {by_hard_link, 1}},
      {"roots", {by_other_roots, 1}},
      {"write-roots", {writes_by_other_roots, 1}},
      {"trace", {traces_runner}},
      {"runner-files", {reads_runner}},
      {"kill", {kills_runner}},
      {"other-job", {signals_other_job, 1}},
      {"descriptors", {has_descriptors}},
      {"terminal", {types_into_terminal}},
      {"abstract", {[](const Arguments& name) { return connects_to(name[0], true); }, 1}},
      {"socket", {[](const Arguments& path) { return connects_to(path[0], false); }, 1}},
      {"bus", {reaches_bus}},
      {"setuid", {gains_privileges}},
      {"capabilities", {has_capabilities}},
      {"namespace", {by_user_namespace, 1}},
      {"under-mounts", {from_under_the_mounts, 1}},
      {"device", {makes_device}},
      {"kernel", {changes_kernel}},
      {"memory", {shares_memory, 1}},
      {"keys", {has_keys}},
      {"port", {reaches_port, 1}},
      {"replace", {replaces, 1}},
      {"watches", {takes_all_watches}},
  };
  return all;
}

}  // namespace

int main(int argc, char** argv) {
  const auto way = argc > 1 ? ways().find(argv[1]) : ways().end();
  const Arguments arguments(argv + (argc > 2 ? 2 : argc), argv + argc);
  if (way == ways().end() || arguments.size() != way->second.arguments) {
    ::fprintf(stderr, "escapes: unknown way, or wrong arguments\n");
    return 2;
  }
  const bool out = way->second.attempt(arguments);
  ::printf("%s\n", out ? ("escaped: " + found).c_str() : "held");
  return out ? 0 : 1;
}
