#include "engine/view/scratch_views.h"

#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <filesystem>

#include "engine/view/overlay_store.h"
#include "engine/view/rocks_view_store.h"

namespace luzia {
namespace fs = std::filesystem;

namespace {

constexpr std::string_view kScratch = "scratch.";

/// Whether the process that made `folder`, which its name contains, is gone. A folder with this process's own
/// pid is from an earlier process.
bool is_left(const fs::path& folder) {
  const std::string name = folder.filename().string();
  if (!name.starts_with(kScratch)) return false;
  pid_t pid = 0;
  const char* end = name.data() + name.size();
  const auto parsed = std::from_chars(name.data() + kScratch.size(), end, pid);
  if (parsed.ec != std::errc() || parsed.ptr == end || *parsed.ptr != '.') return false;
  return pid == getpid() || (kill(pid, 0) != 0 && errno == ESRCH);
}

}  // namespace

void remove_left_scratch(const std::string& store) {
  std::error_code ignored;
  std::vector<fs::path> left;
  for (const auto& entry : fs::directory_iterator(store, ignored)) {
    if (is_left(entry.path())) left.push_back(entry.path());
  }
  for (const fs::path& folder : left) fs::remove_all(folder, ignored);
}

Result<ScratchViews> ScratchViews::open(const std::string& store, Position events) {
  ScratchViews scratch;
  if (events <= kEventsInMemory) {
    scratch.rows_ = std::make_unique<OverlayStore>();
    return scratch;
  }
  std::error_code error;
  const fs::path temporary = fs::temp_directory_path(error);
  for (const fs::path& parent : {fs::path(store), temporary}) {
    std::string folder =
        (parent / std::string(kScratch).append(std::to_string(getpid())).append(".XXXXXX")).string();
    if (parent.empty() || mkdtemp(folder.data()) == nullptr) continue;
    scratch.folder_ = folder;
    break;
  }
  if (scratch.folder_.empty()) {
    return fail_errno(errno, "scratch_failed",
                      "cannot make a folder for scratch rows in " + store + " or " + temporary.string(),
                      "set TMPDIR to a folder with room for the rows");
  }
  auto opened = LUZIA_TRY(open_rocks_view_store(scratch.folder_, OpenMode::read_write));
  scratch.rows_ = std::move(opened.store);
  return scratch;
}

ScratchViews::ScratchViews(ScratchViews&& other) noexcept
    : rows_(std::move(other.rows_)), folder_(std::exchange(other.folder_, {})) {}

ScratchViews::~ScratchViews() {
  rows_.reset();
  std::error_code ignored;
  if (!folder_.empty()) fs::remove_all(folder_, ignored);
}

}  // namespace luzia
