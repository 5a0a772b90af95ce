// Models what a disk holds, and what would be left of it after a power loss. It distinguishes fsynced bytes
// from bytes that were only written, and names made durable by an fsync of their folder from names that were
// not.
//
// The files lie in a real folder, so that readers see what the page cache would show; this class keeps the
// difference. Owned by FragileDisk; not thread-safe.
//
// It promises what a journaling file system promises and no more:
//
// - A synced file is lost if its name was not synced.
// - Names of one folder become durable in their order. RocksDB depends on that: its CURRENT and the manifest
//   named there share one fsync of the folder.
// - Of unsynced bytes, any 512-byte sectors may be on the disk; the others are zero.
// - A sector is written whole, or torn if the power goes in the middle of it.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "tests/simulation/dice.h"

namespace luzia::test {

class DiskContents {
 public:
  using FileId = std::uint64_t;
  static constexpr std::uint64_t kSector = 512;

  /// `root` must exist; its present contents count as durable.
  explicit DiskContents(std::string root);

  bool covers(const std::string& path) const;
  /// The file with this name. A file that was not created through this class counts as durable.
  FileId file(const std::string& path);
  /// Notes that a new, empty file was created under this name. Keeps a file that had the name as long as it
  /// may come back after a power loss.
  FileId created(const std::string& path);
  /// Call before a file is truncated to `size`.
  void about_to_cut(FileId file, std::uint64_t size);
  /// Call before bytes are written: over existing bytes, beyond the end, or both.
  void about_to_write(FileId file, std::uint64_t offset, std::string_view bytes);
  std::uint64_t size_of(FileId file) const { return contents_.at(file).size; }
  void synced(FileId file);
  /// Notes a failed fsync. The kernel then drops the pages that it could not write and reports the error only
  /// once, so no later fsync of the file proves anything.
  void sync_failed(FileId file);

  /// These functions change the real folder as well.
  bool remove(const std::string& path);
  bool rename(const std::string& from, const std::string& to);

  void folder_created(const std::string& path);
  void folder_synced(const std::string& path);

  /// Cuts the power: turns the real folder into what is found afterwards. All of it then counts as durable.
  void lose_power(Dice& dice);

 private:
  struct Content {
    std::uint64_t size = 0, synced = 0;
    bool unprovable = false;  // an fsync failed
    // For each sector written in place since the last sync: its content then, and after each write.
    std::map<std::uint64_t, std::vector<std::string>> sectors;
    std::string place;      // the path of the real file
    std::string cut_off{};  // bytes cut off since the last sync, from `size` on; may come back
  };
  enum class Kind { appear, vanish, move, folder };
  struct Change {
    Kind kind;
    std::string name, to;
    FileId file;
  };
  using Names = std::map<std::string, FileId>;

  void bury(const std::string& path);
  void note(const std::string& folder, Change change) { pending_[folder].push_back(std::move(change)); }
  static void apply(const Change& change, Names& names);
  Names names_after_loss(Dice& dice, std::vector<std::string>& lost_folders) const;
  void leave_what_survives(Content& content, Dice& dice) const;
  void keep_part_of_tail(Content& content, Dice& dice) const;

  std::string root_, graveyard_;
  FileId next_file_ = 1;
  std::map<FileId, Content> contents_;
  Names now_, durable_;
  std::map<std::string, std::vector<Change>> pending_;  // by folder, in order of time
};

}  // namespace luzia::test
