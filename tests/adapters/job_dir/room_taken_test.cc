// The room that a job directory takes on the disk, counted on real files.
#include "adapters/job_dir/room_taken.h"

#include <filesystem>
#include <fstream>

#include "tests/scratch.h"

namespace luzia {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kFileBytes = 1 << 20;

class RoomTakenTest : public ScratchTest {
 protected:
  RoomTakenTest() {
    fs::create_directories(folder_ / "below/further");
    empty_ = room_taken(folder_.string());
  }
  void fill(const std::string& name) const { std::ofstream(folder_ / name) << std::string(kFileBytes, 'x'); }
  /// What was added since the folders were made; they may have grown by a block each.
  std::uint64_t added() const { return room_taken(folder_.string()) - empty_; }

  const fs::path folder_ = scratch_;
  std::uint64_t empty_ = 0;
};

TEST_F(RoomTakenTest, CountsAllFilesBelow) {
  fill("a");
  fill("below/further/b");
  EXPECT_GE(added(), 2 * kFileBytes);
  EXPECT_LT(added(), 3 * kFileBytes);
}

TEST_F(RoomTakenTest, AFileWithSeveralNamesCountsOnce) {
  fill("a");
  fs::create_hard_link(folder_ / "a", folder_ / "below/again");
  EXPECT_GE(added(), kFileBytes);
  EXPECT_LT(added(), 2 * kFileBytes);
}

TEST_F(RoomTakenTest, FollowsNoLink) {
  fs::create_directory_symlink("/usr", folder_ / "usr");
  fs::create_directory_symlink(folder_, folder_ / "below/up");
  EXPECT_LT(added(), kFileBytes);
}

TEST_F(RoomTakenTest, ASparseFileCountsForWhatItFills) {
  std::ofstream(folder_ / "sparse") << "x";
  fs::resize_file(folder_ / "sparse", 1ULL << 40);
  EXPECT_LT(added(), kFileBytes);
}

TEST_F(RoomTakenTest, AMissingFolderTakesNothing) {
  EXPECT_EQ(room_taken((folder_ / "none").string()), 0u);
}

}  // namespace
}  // namespace luzia
