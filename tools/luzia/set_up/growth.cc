#include "tools/luzia/set_up/growth.h"

#include <sys/stat.h>

#include <cstdint>
#include <filesystem>

#include "adapters/config/byte_size.h"

namespace luzia {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostEntries = 50'000;

struct Grown {
  std::uint64_t bytes = 0;
  std::size_t entries = 0;
};

/// Adds what the files of the tree occupy; stops after kMostEntries.
void add_tree(const std::string& folder, Grown& grown) {
  std::error_code error;
  for (fs::recursive_directory_iterator at(folder, fs::directory_options::skip_permission_denied, error), end;
       !error && at != end && grown.entries < kMostEntries; at.increment(error)) {
    struct stat status {};
    if (::lstat(at->path().c_str(), &status) != 0) continue;
    ++grown.entries;
    constexpr std::uint64_t kBlock = 512;
    if (S_ISREG(status.st_mode)) grown.bytes += static_cast<std::uint64_t>(status.st_blocks) * kBlock;
  }
}

std::string grown_text(const std::string& what, const Grown& grown) {
  constexpr std::uint64_t kMib = 1 << 20;
  const std::uint64_t mib = (grown.bytes + kMib - 1) / kMib;
  return what + (grown.entries >= kMostEntries ? " over " : " ") + bytes_text(mib * kMib);
}

}  // namespace

std::string grown_so_far(const std::string& store, const std::string& jobs_root) {
  Grown log, rows, jobs;
  add_tree(store + "/log", log);
  std::error_code error;
  for (fs::directory_iterator at(store, error), end; !error && at != end; at.increment(error)) {
    if (at->path().filename().string().starts_with("views")) add_tree(at->path(), rows);
  }
  add_tree(jobs_root, jobs);
  if (log.entries + rows.entries + jobs.entries == 0) return {};
  return "disk use: " + grown_text("log", log) + ", " + grown_text("rows", rows) + ", " +
         grown_text("job directories", jobs);
}

}  // namespace luzia
