#include "tools/luzia-query/scratch_views.h"

#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>

#include "engine/view/overlay_store.h"
#include "engine/view/rocks_view_store.h"

namespace luzia {
namespace fs = std::filesystem;

Result<ScratchViews> ScratchViews::open(const std::string& store, Position events) {
  ScratchViews scratch;
  if (events <= kEventsInMemory) {
    scratch.rows_ = std::make_unique<OverlayStore>();
    return scratch;
  }
  std::error_code error;
  const fs::path temporary = fs::temp_directory_path(error);
  for (const fs::path& parent : {fs::path(store), temporary}) {
    std::string folder = (parent / "scratch.XXXXXX").string();
    if (parent.empty() || mkdtemp(folder.data()) == nullptr) continue;
    scratch.folder_ = folder;
    break;
  }
  if (scratch.folder_.empty()) {
    return fail_errno(errno, "scratch_failed",
                      "cannot make a folder for scratch rows in " + store + " or " + temporary.string(),
                      "set TMPDIR to a folder with room for the rows");
  }
  auto opened = open_rocks_view_store(scratch.folder_, OpenMode::read_write);
  if (!opened) return tl::unexpected(opened.error());
  scratch.rows_ = std::move(opened->store);
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
