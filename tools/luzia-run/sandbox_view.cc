#include "tools/luzia-run/sandbox_view.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <initializer_list>

#include "tools/luzia-run/kernel_calls.h"
#include "tools/luzia-run/sandbox_mounts.h"

namespace luzia::run {
namespace {

// Where the new root is built. Nothing below is ever shown: the sandbox gets its own /proc.
constexpr char kBase[] = "/proc";
constexpr char kEmptyFile[] = "/proc/.hidden";
constexpr char kPool[] = "/proc/.private";  // whose folders the private ones are

// Kinds of rules; those of options.h, and links on the way to a shown path.
constexpr char kRead = 'r', kWrite = 'w', kHide = 'x', kCover = 'c', kFresh = 't', kPrivate = 'p',
               kLink = 'l';

bool hides(char kind) {
  return kind == kHide || kind == kCover;
}

struct Rule {
  char kind;
  char* path;         // without links and dots; allocated
  const char* named;  // as the launcher wrote it
  bool linked;        // a link led from the one to the other
};

bool is_below(const char* path, const char* folder) {
  std::size_t length = ::strlen(folder);
  while (length > 0 && folder[length - 1] == '/') --length;
  return ::strncmp(path, folder, length) == 0 && path[length] == '/' && path[length + 1] != '\0';
}

// A private folder below one that is bound as a whole is bound with it.
bool is_no_mount(const Rule& rule) {
  return rule.kind == kLink || rule.kind == kPrivate;
}

// A link may lead a visible path to a hidden one, but only a path that was named there uncovers it.
bool uncovers_by_link(const Rule& shown, const Rule& hidden) {
  return shown.linked && !hides(shown.kind) && hides(hidden.kind) &&
         ::strcmp(shown.named, hidden.named) != 0 && !is_below(shown.named, hidden.named);
}

// A path that grows and shrinks by whole names.
class Path {
 public:
  explicit Path(const char* base = "") { good_ = append(base); }
  bool append(const char* text) {
    const std::size_t more = ::strlen(text);
    if (!good_ || size_ + more >= sizeof text_) return good_ = false;
    ::memcpy(text_ + size_, text, more + 1);
    size_ += more;
    return true;
  }
  bool enter(const char* name) { return append("/") && append(name); }
  void leave() {
    while (size_ > 0 && text_[--size_] != '/') {
    }
    text_[size_] = '\0';
  }
  void clear() { text_[size_ = 0] = '\0'; }
  bool good() const { return good_; }
  const char* c_str() const { return text_; }
  char* text() { return text_; }

 private:
  char text_[PATH_MAX] = "";
  std::size_t size_ = 0;
  bool good_ = true;
};

class View {
 public:
  View(const Options& options, Covers& covers, TextView& problem)
      : options_(options), covers_(covers), problem_(problem) {}
  ~View() {
    for (std::size_t i = 0; i < count_; ++i) ::free(rules_[i].path);
    ::free(rules_);
  }
  View(const View&) = delete;
  View& operator=(const View&) = delete;

  bool build();

 private:
  bool add(const Rule& rule);
  bool resolve(char kind, const char* path);
  bool agents_write_at(const char* path) const;
  bool user_reaches(const char* path) const;
  bool is_closed_by_user(const char* path) const;
  void drop_uncovering();
  const Rule* rule_at(const char* path) const;
  bool any_below(const char* path, const char* kinds) const;
  bool is_nearest(const Rule& rule, const char* folder) const;

  bool show(const char* path, char inherited);
  bool show_folder(const char* path, const struct stat& status, bool is_private);
  bool show_named_below(const char* path);
  bool bind(const char* path, char kind, const struct stat& status);
  bool bind_rules_below(const char* path, char around);
  bool cover(const Rule& rule, const struct stat& status);
  bool mount_copy(const char* path, char kind, const char* target, bool devices = false);
  bool make_folder(const char* path, const struct stat& status);
  bool make_pool() const;
  bool mount_fresh(const char* path, mode_t mode);
  bool make_read_only(const char* target);
  bool make_devices();
  bool make_proc(bool of_root);
  bool enter();
  bool fail(const char* what, const char* path);

  const Options& options_;
  Covers& covers_;
  TextView& problem_;
  unsigned private_folders_ = 0;
  Rule* rules_ = nullptr;
  std::size_t count_ = 0, capacity_ = 0;
};

bool View::fail(const char* what, const char* path) {
  const int error = errno;
  if (problem_.empty()) {
    problem_.add("sandbox_unavailable: cannot %s %.600s in the sandbox: %s", what, path, ::strerror(error));
  }
  return false;
}

// A later rule for the same path replaces an earlier one.
bool View::add(const Rule& rule) {
  for (std::size_t i = 0; i < count_; ++i) {
    if (::strcmp(rules_[i].path, rule.path) != 0) continue;
    char* const path = rules_[i].path;
    if (!uncovers_by_link(rule, rules_[i])) rules_[i] = {rule.kind, path, rule.named, rule.linked};
    return true;
  }
  if (count_ == capacity_) {
    const std::size_t capacity = capacity_ == 0 ? 64 : capacity_ * 2;
    auto* grown = static_cast<Rule*>(::realloc(rules_, capacity * sizeof(Rule)));
    if (grown == nullptr) return fail("name", rule.path);
    rules_ = grown;
    capacity_ = capacity;
  }
  char* copy = ::strdup(rule.path);
  if (copy == nullptr) return fail("name", rule.path);
  rules_[count_++] = {rule.kind, copy, rule.named, rule.linked};
  return true;
}

// Below a path that the attempt may write, as an earlier one may have done.
bool View::agents_write_at(const char* path) const {
  for (std::size_t i = 0; i < count_; ++i) {
    if (rules_[i].kind == kWrite && is_below(path, rules_[i].path)) return true;
  }
  return false;
}

// Folders on the way to a shown path are open to everyone. A link of the attempt's user must not open those
// of others with it.
bool View::user_reaches(const char* path) const {
  if (!options_.switch_user) return true;
  struct stat status;
  const bool reaches = ::setgroups(options_.group_count, options_.groups) == 0 &&
                       ::setegid(options_.gid) == 0 && ::seteuid(options_.uid) == 0 &&
                       ::lstat(path, &status) == 0;
  return ::seteuid(0) == 0 && ::setegid(0) == 0 && reaches;
}

// The folder that keeps us out belongs to the attempt's user, so an agent may open it to itself.
bool View::is_closed_by_user(const char* path) const {
  Path at(path);
  struct stat status;
  while (::lstat(at.c_str(), &status) != 0) {
    if (errno != EACCES) return false;
    at.leave();
  }
  errno = EACCES;
  return status.st_uid == options_.uid;
}

void View::drop_uncovering() {
  for (std::size_t i = 0; i < count_;) {
    bool drops = false;
    for (std::size_t other = 0; other < count_ && !drops; ++other) {
      drops = uncovers_by_link(rules_[i], rules_[other]) && is_below(rules_[i].path, rules_[other].path);
    }
    if (!drops) {
      ++i;
      continue;
    }
    ::free(rules_[i].path);
    rules_[i] = rules_[--count_];
  }
}

// Follows links one at a time, because those on the way to a shown path must be shown too. A path that does
// not exist, or that we may not reach, has no rule, unless it is to stay absent when somebody makes it. Nor
// has one that leads over a link that an agent may have made, or over a user's to where that user may not go.
bool View::resolve(char kind, const char* path) {
  constexpr int kMostLinks = 40;
  char left[PATH_MAX], target[PATH_MAX];
  Path done;
  if (::snprintf(left, sizeof left, "%s", path) >= static_cast<int>(sizeof left)) {
    errno = ENAMETOOLONG;
    return fail("show", path);
  }
  int links = 0;
  bool over_a_users = false;
  for (char* at = left; *at != '\0';) {
    char* const name = at;
    at += ::strcspn(at, "/");
    if (*at != '\0') *at++ = '\0';
    if (*name == '\0' || ::strcmp(name, ".") == 0) continue;
    if (::strcmp(name, "..") == 0) {
      done.leave();
      continue;
    }
    struct stat status;
    if (!done.enter(name)) return true;
    if (::lstat(done.c_str(), &status) != 0) {
      if (errno == EACCES && agents_write_at(done.c_str()) && is_closed_by_user(done.c_str()))
        return fail("protect", path);
      return kind != kHide || (*at != '\0' && !done.enter(at)) || add({kind, done.text(), path, links > 0});
    }
    if (!S_ISLNK(status.st_mode)) continue;
    const ssize_t size = ::readlink(done.c_str(), target, sizeof target - 1);
    if (size < 0 || ++links > kMostLinks || (!hides(kind) && agents_write_at(done.c_str()))) return true;
    target[size] = '\0';
    over_a_users = over_a_users || status.st_uid != 0;
    if (!hides(kind) && !add({kLink, done.text(), path, false})) return false;
    if (*target == '/') {
      done.clear();
    } else {
      done.leave();
    }
    char rest[PATH_MAX];
    ::memcpy(rest, at, ::strlen(at) + 1);
    const int length = ::snprintf(left, sizeof left, "%s/%s", target, rest);
    if (length < 0 || length >= static_cast<int>(sizeof left)) return true;
    at = left;
  }
  if (over_a_users && !hides(kind) && !user_reaches(done.c_str())) return true;
  char root[] = "/";
  return add({kind, *done.c_str() == '\0' ? root : done.text(), path, links > 0});
}

const Rule* View::rule_at(const char* path) const {
  for (std::size_t i = 0; i < count_; ++i) {
    if (::strcmp(rules_[i].path, path) == 0) return &rules_[i];
  }
  return nullptr;
}

bool View::any_below(const char* path, const char* kinds) const {
  for (std::size_t i = 0; i < count_; ++i) {
    if (::strchr(kinds, rules_[i].kind) != nullptr && is_below(rules_[i].path, path)) return true;
  }
  return false;
}

// No other rule lies between the folder and this one.
bool View::is_nearest(const Rule& rule, const char* folder) const {
  if (!is_below(rule.path, folder) || is_no_mount(rule)) return false;
  for (std::size_t i = 0; i < count_; ++i) {
    const Rule& other = rules_[i];
    if (!is_no_mount(other) && is_below(other.path, folder) && is_below(rule.path, other.path)) return false;
  }
  return true;
}

// The copy keeps owner and mode, so that a folder that others may not read stays so.
bool View::make_folder(const char* path, const struct stat& status) {
  Path full(kBase);
  if (!full.append(path)) return fail("show", path);
  if (::mkdir(full.c_str(), 0700) != 0 && errno != EEXIST) return fail("show", path);
  const int folder = open_without_links(full.c_str(), O_RDONLY | O_DIRECTORY);
  if (folder < 0) return fail("show", path);
  // Of an owner unknown to our user namespace it stays ours, and its mode then keeps us out as before.
  if (::fchown(folder, status.st_uid, status.st_gid) != 0) errno = 0;
  const bool done = ::fchmod(folder, status.st_mode & 07777) == 0;
  ::close(folder);
  return done || fail("show", path);
}

bool View::mount_copy(const char* path, char kind, const char* target, bool devices) {
  const int from = open_without_links(path, O_PATH);
  if (from < 0 && errno == ENOENT) return true;  // it has just been removed; its place stays empty
  const int to = from < 0 ? -1 : open_without_links(target, O_PATH);
  const bool done = to >= 0 && mount_copy_of(from, to, {.read_only = kind == kRead, .devices = devices});
  const int error = errno;
  for (const int fd : {from, to}) {
    if (fd >= 0) ::close(fd);
  }
  errno = error;
  return done || fail("show", path);
}

bool View::make_read_only(const char* target) {
  mount_attr wanted{};
  wanted.attr_set = MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV;
  const int fd = open_without_links(target, O_PATH);
  const bool done = fd >= 0 && kernel::mount_setattr(fd, AT_EMPTY_PATH, wanted) == 0;
  const int error = errno;
  if (fd >= 0) ::close(fd);
  errno = error;
  return done || fail("protect", target);
}

// All are of one file system, so that they share its room.
bool View::mount_fresh(const char* path, mode_t mode) {
  Text<64> from;
  from.add("%s/%u", kPool, private_folders_++);
  Path target(kBase);
  if (!target.append(path) || ::mkdir(from.c_str(), mode) != 0) return fail("make a private", path);
  return mount_copy(from.c_str(), kPrivate, target.c_str());
}

bool View::bind(const char* path, char kind, const struct stat& status) {
  Path target(kBase);
  if (!target.append(path)) return fail("show", path);
  if (S_ISDIR(status.st_mode)) {
    if (!make_folder(path, status)) return false;
  } else {
    const int file = open_without_links(target.c_str(), O_WRONLY | O_CREAT | O_NONBLOCK, 0600);
    if (file < 0) return fail("show", path);
    ::close(file);
  }
  return mount_copy(path, kind, target.c_str()) && bind_rules_below(path, kind);
}

// Below a folder that is bound as a whole, where each path exists already. In one that is only read nobody
// inside puts anything in the place of what is gone.
bool View::bind_rules_below(const char* path, char around) {
  for (std::size_t i = 0; i < count_; ++i) {
    const Rule& rule = rules_[i];
    struct stat status;
    if (!is_nearest(rule, path)) continue;
    if (::lstat(rule.path, &status) != 0) {
      if (errno != EACCES || around != kWrite || !is_closed_by_user(rule.path)) continue;
      return fail("protect", rule.path);
    }
    const bool hidden = hides(rule.kind) || rule.kind == kFresh;
    if ((hidden || around == kWrite) && !covers_.add(rule.kind, rule.path)) return fail("name", rule.path);
    if (hidden) {
      if (!cover(rule, status)) return false;
      continue;
    }
    Path target(kBase);
    if (!target.append(rule.path)) return fail("show", rule.path);
    if (!mount_copy(rule.path, rule.kind, target.c_str()) || !bind_rules_below(rule.path, rule.kind))
      return false;
  }
  return true;
}

bool View::cover(const Rule& rule, const struct stat& status) {
  Path target(kBase);
  if (!target.append(rule.path)) return fail("hide", rule.path);
  if (!S_ISDIR(status.st_mode)) return mount_copy(kEmptyFile, kRead, target.c_str());
  if (!mount_fresh(rule.path, rule.kind == kFresh ? 01777 : 0755)) return false;
  if (!show_named_below(rule.path)) return false;
  return rule.kind == kFresh || make_read_only(target.c_str());
}

// Of a folder that is not shown itself: what rules name below it.
bool View::show_named_below(const char* path) {
  for (std::size_t i = 0; i < count_; ++i) {
    if (!is_below(rules_[i].path, path)) continue;
    Path child(::strcmp(path, "/") == 0 ? "" : path);
    const char* name = rules_[i].path + ::strlen(child.c_str()) + 1;
    char first[NAME_MAX + 1];
    const std::size_t length = ::strcspn(name, "/");
    if (length >= sizeof first) continue;
    ::memcpy(first, name, length);
    first[length] = '\0';
    child.enter(first);
    bool seen = false;
    for (std::size_t before = 0; before < i && !seen; ++before) {
      seen =
          ::strcmp(rules_[before].path, child.c_str()) == 0 || is_below(rules_[before].path, child.c_str());
    }
    if (!seen && !show(child.c_str(), kHide)) return false;
  }
  return true;
}

// Entry by entry, because something below is hidden or private.
bool View::show_folder(const char* path, const struct stat& status, bool is_private) {
  if (!make_folder(path, status)) return false;
  // Owner and mode again, now of the mount.
  if (is_private && !(mount_fresh(path, 0700) && make_folder(path, status))) return false;
  const int fd = open_without_links(path, O_RDONLY | O_DIRECTORY);
  DIR* folder = fd < 0 ? nullptr : ::fdopendir(fd);
  if (folder == nullptr) return show_named_below(path);
  bool good = true;
  while (const dirent* entry = good ? ::readdir(folder) : nullptr) {
    if (::strcmp(entry->d_name, ".") == 0 || ::strcmp(entry->d_name, "..") == 0) continue;
    Path child(::strcmp(path, "/") == 0 ? "" : path);
    good = child.enter(entry->d_name) && show(child.c_str(), kRead);
  }
  ::closedir(folder);
  return good;
}

bool View::show(const char* path, char inherited) {
  if (::strcmp(path, "/proc") == 0 || ::strcmp(path, "/dev") == 0) return true;
  const Rule* rule = rule_at(path);
  const char kind = rule == nullptr ? inherited : rule->kind;
  struct stat status;
  if (::lstat(path, &status) != 0) return true;  // it has just been removed
  if (S_ISLNK(status.st_mode)) {
    char target[PATH_MAX];
    Path link(kBase);
    const ssize_t size = ::readlink(path, target, sizeof target - 1);
    if (hides(kind) || size < 0) return true;
    target[size] = '\0';
    return (link.append(path) && (::symlink(target, link.c_str()) == 0 || errno == EEXIST)) ||
           fail("show", path);
  }
  if (hides(kind)) {
    if (!S_ISDIR(status.st_mode) || !any_below(path, "rwtpl")) return true;
    // Only a way to what is named, which everybody may go: the store's folder is its user's alone.
    status.st_mode = S_IFDIR | 0755;
    return make_folder(path, status) && show_named_below(path);
  }
  if (kind == kFresh) {
    return make_folder(path, status) && mount_fresh(path, 01777) && show_named_below(path);
  }
  const bool is_private = kind == kPrivate && S_ISDIR(status.st_mode);
  const bool in_parts = kind == kRead && S_ISDIR(status.st_mode) && any_below(path, "xtp");
  if (is_private || in_parts) return show_folder(path, status, is_private);
  return bind(path, kind == kPrivate ? kRead : kind, status);
}

bool View::make_devices() {
  constexpr const char* kNodes[] = {"null", "zero", "full", "random", "urandom", "tty"};
  struct stat status;
  if (::stat("/dev", &status) != 0 || !make_folder("/dev", status) || !mount_fresh("/dev", 0755)) {
    return fail("make", "/dev");
  }
  for (const char* name : kNodes) {
    Path node("/dev"), target("/proc/dev");
    node.enter(name);
    target.enter(name);
    const int file = ::open(target.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
    if (file < 0) return fail("make", node.c_str());
    ::close(file);
    if (!mount_copy(node.c_str(), kWrite, target.c_str(), /*devices=*/true)) return false;
  }
  Path nothing(kBase);
  const bool linked = ::symlink("/proc/self/fd", "/proc/dev/fd") == 0 &&
                      ::symlink("/proc/self/fd/0", "/proc/dev/stdin") == 0 &&
                      ::symlink("/proc/self/fd/1", "/proc/dev/stdout") == 0 &&
                      ::symlink("/proc/self/fd/2", "/proc/dev/stderr") == 0 &&
                      ::symlink("pts/ptmx", "/proc/dev/ptmx") == 0 && nothing.append(kNothing) &&
                      ::mkdir(nothing.c_str(), 0500) == 0;
  const bool made = linked && ::mkdir("/proc/dev/pts", 0755) == 0 && ::mkdir("/proc/dev/shm", 01777) == 0 &&
                    ::mount("devpts", "/proc/dev/pts", "devpts", MS_NOSUID | MS_NOEXEC,
                            "newinstance,ptmxmode=0666,mode=620") == 0;
  return (made && mount_fresh("/dev/shm", 01777) && make_read_only("/proc/dev")) || fail("make", "/dev");
}

// An agent that is root could change the kernel's settings there without any capability.
bool View::make_proc(bool of_root) {
  constexpr const char* kProtected[] = {"sys", "sysrq-trigger", "irq", "bus", "fs", "acpi", "scsi"};
  constexpr const char* kSecret[] = {"kcore", "keys", "timer_list"};
  if (::mkdir("/proc/proc", 0555) != 0 ||
      ::mount("proc", "/proc/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, nullptr) != 0) {
    return fail("make", "/proc");
  }
  if (!of_root) return true;
  for (const char* name : kProtected) {
    Path path("/proc/proc");
    path.enter(name);
    if (::access(path.c_str(), F_OK) == 0 && !mount_copy(path.c_str(), kRead, path.c_str())) return false;
  }
  for (const char* name : kSecret) {
    Path path("/proc/proc");
    path.enter(name);
    if (::access(path.c_str(), F_OK) == 0 && !mount_copy(kEmptyFile, kRead, path.c_str())) return false;
  }
  return true;
}

// The old root ends up on top of the new one, and is then taken off (pivot_root(2)).
bool View::enter() {
  const bool entered = ::chdir(kBase) == 0 && ::syscall(SYS_pivot_root, ".", ".") == 0 &&
                       ::umount2(".", MNT_DETACH) == 0 && ::chdir("/") == 0;
  return entered || fail("enter", "its root");
}

bool View::make_pool() const {
  Text<64> mode;
  mode.add("mode=0700");
  // Half of the memory, if nothing is said (tmpfs(5)).
  const auto half = static_cast<std::uint64_t>(::sysconf(_SC_PHYS_PAGES)) *
                    static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE)) / 2;
  if (options_.private_bytes != 0 && options_.private_bytes < half)
    mode.add(",size=%llu", static_cast<unsigned long long>(options_.private_bytes));
  return ::mkdir(kPool, 0700) == 0 &&
         ::mount("tmpfs", kPool, "tmpfs", MS_NOSUID | MS_NODEV, mode.c_str()) == 0;
}

bool View::build() {
  ::umask(0);
  for (std::size_t i = 0; i < options_.shown.count; ++i) {
    const char* rule = options_.shown.rules[i];
    if (!resolve(*rule, rule + 2)) return false;
  }
  drop_uncovering();
  if (::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0)
    return fail("separate", "its mounts");
  if (::mount("tmpfs", kBase, "tmpfs", MS_NOSUID | MS_NODEV, "mode=0755") != 0)
    return fail("make", "its root");
  if (!make_pool()) return fail("make", "its private folders");
  const int empty = ::open(kEmptyFile, O_WRONLY | O_CREAT | O_CLOEXEC, 0);
  if (empty < 0) return fail("make", "an empty file");
  ::close(empty);
  struct stat status;
  if (::stat("/", &status) != 0) return fail("show", "/");
  const Rule* whole = rule_at("/");
  const bool shown =
      whole != nullptr && whole->kind == kRead ? show_folder("/", status, false) : show_named_below("/");
  if (!shown || !make_devices() || !make_proc(options_.uid == 0)) return false;
  ::unlink(kEmptyFile);
  if (::umount2(kPool, MNT_DETACH) != 0 || ::rmdir(kPool) != 0) return fail("make", "its private folders");
  return make_read_only(kBase) && enter();
}

}  // namespace

bool build_view(const Options& options, Covers& covers, TextView& problem) {
  return View(options, covers, problem).build();
}

}  // namespace luzia::run
