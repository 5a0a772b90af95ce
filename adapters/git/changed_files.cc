#include "adapters/git/changed_files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>

namespace luzia {
namespace {

constexpr std::int64_t kUsPerSecond = 1'000'000;
/// The kernel stamps files with the time of its last tick, which at 100 ticks a second may be this old.
constexpr std::int64_t kTickUs = 10'000;
/// FAT's resolution is two seconds; some other file systems have one.
constexpr std::int64_t kCoarsestUs = 2 * kUsPerSecond;

/// f_type of statfs(2), from linux/magic.h: NFS, SMB, SMB2, CIFS, 9p, FUSE, Ceph, AFS.
constexpr std::array<std::uint32_t, 8> kNotLocal = {0x6969,     0x517b,     0xfe534d42, 0xff534d42,
                                                    0x01021997, 0x65735546, 0x00c36400, 0x5346414f};

bool is_local(const std::string& folder) {
  struct statfs stats {};
  if (::statfs(folder.c_str(), &stats) != 0) return false;
  return std::ranges::find(kNotLocal, static_cast<std::uint32_t>(stats.f_type)) == kNotLocal.end();
}

/// The number of entries in the index's header (gitformat-index(5): "DIRC", version, count, big-endian). 0:
/// no index.
std::uint32_t entries_in(const std::string& index) {
  std::array<unsigned char, 12> header{};
  const int file = ::open(index.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return 0;
  const ssize_t size = ::read(file, header.data(), header.size());
  ::close(file);
  if (size != static_cast<ssize_t>(header.size())) return 0;
  std::uint32_t count = 0;
  for (std::size_t i = 8; i < header.size(); ++i) count = count << 8 | header[i];
  return count;
}

/// The path in a line of `git status --porcelain=v2` (git-status(1)); empty: the line has none.
std::string_view path_of(std::string_view entry) {
  const auto after = [entry](int fields) {
    std::size_t at = 0;
    for (int i = 0; i < fields && at != std::string_view::npos; ++i) {
      at = entry.find(' ', at);
      if (at != std::string_view::npos) ++at;
    }
    return at == std::string_view::npos ? std::string_view() : entry.substr(at);
  };
  if (entry.starts_with("? ")) return after(1);
  if (entry.starts_with("1 ")) return after(8);
  if (entry.starts_with("u ")) return after(10);
  return {};
}

class Listing {
 public:
  Listing(const std::string& top, std::int64_t since_us, const ChangedFilesLimits& limits)
      : top_(top), since_us_(since_us), limits_(limits) {}

  /// Takes a piece of git's output; false: a limit is exceeded.
  bool take(std::string_view piece) {
    while (!piece.empty()) {
      const std::size_t end = piece.find('\0');
      rest_.append(piece.substr(0, end));
      if (end == std::string_view::npos) return true;
      piece.remove_prefix(end + 1);
      if (++listed_ > limits_.listed) return false;
      add(path_of(rest_));
      rest_.clear();
    }
    return true;
  }
  bool is_too_much() const { return listed_ > limits_.listed; }
  ChangedFiles take_found() { return std::move(found_); }

 private:
  void add(std::string_view path) {
    struct stat status {};
    std::string name(path);
    if (path.empty() || ::lstat((top_ + "/" + name).c_str(), &status) != 0 || S_ISDIR(status.st_mode)) return;
    const std::int64_t from = status.st_ctim.tv_sec * kUsPerSecond + status.st_ctim.tv_nsec / 1000;
    const std::int64_t until = from + (status.st_ctim.tv_nsec == 0 ? kCoarsestUs : kTickUs);
    if (until < since_us_) return;
    bytes_ += name.size();
    if (found_.files.size() >= limits_.files || bytes_ > limits_.bytes) {
      ++found_.more;
      return;
    }
    found_.files.push_back({std::move(name), from, until});
  }

  const std::string& top_;
  std::int64_t since_us_;
  ChangedFilesLimits limits_;
  std::string rest_;
  std::uint32_t listed_ = 0;
  std::size_t bytes_ = 0;
  ChangedFiles found_;
};

tl::unexpected<Error> too_many(const std::string& top, std::uint32_t limit) {
  return fail(ErrorKind::refused, "too_many_files",
              top + " has over " + std::to_string(limit) + " files: it is not looked at");
}

template <class Number>
bool read_number(std::string_view& text, Number& number) {
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
  if (read.ec != std::errc()) return false;
  text.remove_prefix(static_cast<std::size_t>(read.ptr - text.data()));
  if (text.starts_with(' ')) text.remove_prefix(1);
  return true;
}

}  // namespace

std::string work_tree_top(const std::string& directory) {
  std::error_code error;
  std::filesystem::path folder = std::filesystem::canonical(directory, error);
  while (!error) {
    struct stat status {};
    if (::lstat((folder / ".git").c_str(), &status) == 0) {
      return is_local(folder.string()) ? folder.string() : std::string();
    }
    if (!folder.has_relative_path()) break;
    folder = folder.parent_path();
  }
  return {};
}

Result<ChangedFiles> changed_files(const std::string& top, std::int64_t since_us,
                                   const ChangedFilesLimits& limits, GitDeadline deadline) {
  const Git git(top, deadline);
  const auto index = LUZIA_TRY(git.line({"rev-parse", "--path-format=absolute", "--git-path", "index"}));
  if (entries_in(index) > limits.tracked) return too_many(top, limits.tracked);
  Listing listing(top, since_us, limits);
  const Status passed = git.pass({"status", "--porcelain=v2", "-z", "--untracked-files=all", "--no-renames",
                                  "--ignore-submodules=all", "--no-ahead-behind"},
                                 [&listing](std::string_view piece) { return listing.take(piece); });
  if (listing.is_too_much()) return too_many(top, limits.listed);
  if (!passed) return tl::unexpected(passed.error());
  return listing.take_found();
}

std::string to_text(const ChangedFiles& changed) {
  std::string text;
  for (const ChangedFile& file : changed.files) {
    text.append(std::to_string(file.from_us)).append(" ").append(std::to_string(file.until_us)).append(" ");
    text.append(file.path).push_back('\0');
  }
  text.append(std::to_string(changed.more)).push_back('\0');
  return text;
}

Result<ChangedFiles> changed_files_from_text(std::string_view text) {
  const auto bad = [] {
    return fail(ErrorKind::trouble, "bad_text", "the list of changed files is not whole");
  };
  ChangedFiles changed;
  if (!text.ends_with('\0')) return bad();
  const std::vector<std::string> pieces = split_at_nul(text);
  for (std::size_t i = 0; i + 1 < pieces.size(); ++i) {
    std::string_view rest = pieces[i];
    ChangedFile file;
    if (!read_number(rest, file.from_us) || !read_number(rest, file.until_us) || rest.empty()) return bad();
    file.path = rest;
    changed.files.push_back(std::move(file));
  }
  std::string_view last = pieces.back();
  if (!read_number(last, changed.more) || !last.empty()) return bad();
  return changed;
}

}  // namespace luzia
