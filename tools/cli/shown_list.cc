#include "tools/cli/shown_list.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>
#include <memory>
#include <sstream>

#include "engine/base/descriptor.h"
#include "engine/base/places.h"
#include "engine/base/whole_number.h"

namespace luzia {
namespace {

constexpr std::string_view kHead = "luzia list 1 ", kPrefix = "list-";
constexpr std::size_t kMostBytes = 64 << 10;
constexpr std::size_t kLongestName = 40;  // of a job or flow
constexpr int kMostLookedAt = 200;        // files of other terminals
static_assert(ShownList::kMostRows * (kLongestName + 1) < kMostBytes);

/// Nobody else can read or replace what lies there.
bool is_ours(int fd, mode_t type, mode_t others) {
  struct stat status {};
  return ::fstat(fd, &status) == 0 && (status.st_mode & S_IFMT) == type && status.st_uid == ::geteuid() &&
         (status.st_mode & others) == 0;
}

/// The folder, made with `make` where it is missing and its parent is ours; -1: it is not ours alone.
int open_folder(const std::string& folder, bool make) {
  constexpr int kFlags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
  const std::size_t slash = folder.rfind('/');
  if (slash == std::string::npos || slash == 0) return -1;
  const Descriptor parent(::open(folder.substr(0, slash).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!parent || !is_ours(parent.get(), S_IFDIR, S_IWGRP | S_IWOTH)) return -1;
  const std::string name = folder.substr(slash + 1);
  if (make) ::mkdirat(parent.get(), name.c_str(), 0700);
  const int fd = ::openat(parent.get(), name.c_str(), kFlags);
  if (fd >= 0 && is_ours(fd, S_IFDIR, S_IWGRP | S_IWOTH)) return fd;
  if (fd >= 0) ::close(fd);
  return -1;
}

/// Empty: there is no such file that is ours, or it is too large.
std::string read_file(int folder, const std::string& name) {
  const Descriptor file(::openat(folder, name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  if (!file || !is_ours(file.get(), S_IFREG, S_IWGRP | S_IWOTH)) return {};
  std::string text(kMostBytes + 1, '\0');
  std::size_t size = 0;
  while (size < text.size()) {
    const ssize_t count = ::read(file.get(), text.data() + size, text.size() - size);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return {};
    if (count == 0) break;
    size += static_cast<std::size_t>(count);
  }
  text.resize(size);
  return size > kMostBytes ? std::string() : text;
}

bool write_file(int folder, const std::string& name, const std::string& text) {
  const std::string fresh = name + "." + std::to_string(::getpid());
  ::unlinkat(folder, fresh.c_str(), 0);
  const Descriptor file(
      ::openat(folder, fresh.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!file) return false;
  const bool written = ::write(file.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size()) &&
                       ::renameat(folder, fresh.c_str(), folder, name.c_str()) == 0;
  if (!written) ::unlinkat(folder, fresh.c_str(), 0);
  return written;
}

/// Lists of terminals that are gone. Takes the descriptor.
void remove_old(int folder, TimeUs now) {
  const std::unique_ptr<DIR, int (*)(DIR*)> entries(::fdopendir(folder), ::closedir);
  if (!entries) {
    ::close(folder);
    return;
  }
  for (int looked = 0; looked < kMostLookedAt; ++looked) {
    const dirent* entry = ::readdir(entries.get());
    if (entry == nullptr) return;
    struct stat status {};
    if (!std::string_view(entry->d_name).starts_with(kPrefix)) continue;
    if (::fstatat(folder, entry->d_name, &status, AT_SYMLINK_NOFOLLOW) != 0) continue;
    const bool is_old = status.st_mtim.tv_sec * kSecondUs < now - ShownList::kKeptFor;
    if (is_old) ::unlinkat(folder, entry->d_name, 0);
  }
}

/// Words of /proc/PID/stat behind the program's name, which may hold blanks and brackets.
std::vector<std::string> stat_of(const std::string& process) {
  std::ostringstream text;
  text << std::ifstream("/proc/" + process + "/stat").rdbuf();
  const std::string line = text.str();
  std::istringstream rest(line.substr(std::min(line.size(), line.rfind(')') + 1)));
  std::vector<std::string> words;
  for (std::string word; rest >> word;) words.push_back(word);
  return words;
}

/// The terminal's device, the session on it and when that began: a later session may get the same numbers.
/// Empty: no terminal controls this process.
std::string terminal_of_process() {
  constexpr std::size_t kSession = 3, kDevice = 4, kStartedAt = 19;
  const auto self = stat_of("self");
  if (self.size() <= kDevice || self[kDevice] == "0") return {};
  const auto leader = stat_of(self[kSession]);
  return std::string(kPrefix) + self[kDevice] + "-" + self[kSession] + "-" +
         (leader.size() > kStartedAt ? leader[kStartedAt] : "0");
}

tl::unexpected<Error> no_row(std::size_t row, const std::string& why) {
  return fail(ErrorKind::usage, "no_such_row", "%" + std::to_string(row) + ": " + why,
              "luzia jobs, status, top, queue, inbox and flows number their rows");
}

}  // namespace

std::optional<ShownList> ShownList::of_this_terminal(const Surroundings& surroundings) {
  std::string terminal = terminal_of_process();
  if (terminal.empty()) return std::nullopt;
  for (const std::string& parent :
       {variable(surroundings, "XDG_RUNTIME_DIR"), base_directory("XDG_CACHE_HOME", "/.cache")}) {
    if (!parent.starts_with('/')) continue;
    // The cache folder may be missing in a new home.
    const Descriptor made(parent.ends_with("/.cache") ? open_folder(parent, true) : -1);
    const Descriptor folder(open_folder(parent + "/luzia", true));
    if (folder) return ShownList(parent + "/luzia", std::move(terminal));
  }
  return std::nullopt;
}

bool ShownList::keep(const std::vector<std::string>& jobs, TimeUs now) const {
  const Descriptor folder(open_folder(folder_, true));
  if (!folder) return false;
  ::unlinkat(folder.get(), terminal_.c_str(), 0);
  std::string text = std::string(kHead) + std::to_string(now) + "\n";
  for (std::size_t i = 0; i < std::min(jobs.size(), kMostRows); ++i) {
    const bool fits = jobs[i].size() <= kLongestName && jobs[i].find('\n') == std::string::npos;
    text += (fits ? jobs[i] : std::string()) + "\n";
  }
  remove_old(::fcntl(folder.get(), F_DUPFD_CLOEXEC, 0), now);
  return write_file(folder.get(), terminal_, text);
}

Result<std::string> ShownList::job(std::size_t row, TimeUs now) const {
  const Descriptor folder(open_folder(folder_, false));
  std::istringstream text(folder ? read_file(folder.get(), terminal_) : std::string());
  std::string line;
  std::getline(text, line);
  const auto shown = line.starts_with(kHead) ? parse_whole_number(line.substr(kHead.size()))
                                             : std::optional<std::uint64_t>();
  if (!shown) return no_row(row, "no list of jobs or flows was shown on this terminal");
  const auto age = now - static_cast<TimeUs>(*shown);
  if (age > kKeptFor || age < 0) {
    return no_row(row, "the list that was shown last on this terminal is older than 12 hours");
  }
  std::vector<std::string> jobs;
  while (std::getline(text, line)) jobs.push_back(line);
  if (row == 0 || row > jobs.size() || jobs[row - 1].empty()) {
    return no_row(row, "the list that was shown last on this terminal has " + std::to_string(jobs.size()) +
                           (jobs.size() == 1 ? " row" : " rows"));
  }
  return jobs[row - 1];
}

std::size_t row_named_by(std::string_view word) {
  constexpr std::size_t kMostDigits = 6;
  if (!word.starts_with('%') || word.size() == 1 || word.size() > 1 + kMostDigits) return 0;
  const auto row = word.find_first_not_of("0123456789", 1) == std::string_view::npos
                       ? parse_whole_number(word.substr(1))
                       : std::optional<std::uint64_t>();
  return row ? static_cast<std::size_t>(*row) : 0;
}

Result<std::string> job_named_by(std::string_view word, const Surroundings& surroundings) {
  const std::size_t row = row_named_by(word);
  const auto list = ShownList::of_this_terminal(surroundings);
  if (!list) return no_row(row, "this is not a terminal on which a list of jobs or flows was shown");
  return list->job(row, surroundings.now != 0 ? surroundings.now : wall_clock());
}

}  // namespace luzia
