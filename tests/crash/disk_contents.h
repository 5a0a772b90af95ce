// What a disk holds, and what it would still hold if the power went: bytes that were fsynced apart from bytes
// that were only written, names that a folder's fsync made durable apart from names that were only given. The
// files lie in a real folder, so that whoever reads sees what a page cache would show; this keeps the
// difference. Not thread-safe; owned by FragileDisk. Modelled after what a journalling file system promises
// and no more: a synced file whose name was not synced is lost, names of one folder become durable in their
// order (RocksDB counts on that: its CURRENT and the manifest it names share one fsync of the folder), of
// unsynced bytes any 512-byte sectors may be on the disk and the others are zero. A sector is written whole
// or, when the power goes in the middle of it, torn.
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

  /// `root` exists. What lies in it is durable.
  explicit DiskContents(std::string root);

  bool covers(const std::string& path) const;
  /// The file of this name; one that came from elsewhere counts as durable.
  FileId file(const std::string& path);
  /// A new, empty file was made under this name; a file that had it is kept as long as that may come back.
  FileId created(const std::string& path);
  /// Before a file is cut.
  void about_to_cut(FileId file, std::uint64_t size);
  /// Before bytes are written: over what the file has there, beyond its end, or both.
  void about_to_write(FileId file, std::uint64_t offset, std::string_view bytes);
  std::uint64_t size_of(FileId file) const { return contents_.at(file).size; }
  void synced(FileId file);
  /// After a failed fsync the kernel drops what it could not write and says no more of it: no later fsync of
  /// the file proves anything.
  void sync_failed(FileId file);

  /// These change the real folder as well.
  bool remove(const std::string& path);
  bool rename(const std::string& from, const std::string& to);

  void folder_created(const std::string& path);
  void folder_synced(const std::string& path);

  /// The power goes: the real folder becomes what is found afterwards, and all of it counts as durable.
  void lose_power(Dice& dice);

 private:
  struct Content {
    std::uint64_t size = 0, synced = 0;
    bool unprovable = false;  // an fsync failed
    // Written in place since the last sync: each sector's state then and after each write.
    std::map<std::uint64_t, std::vector<std::string>> sectors;
    std::string place;      // where it really lies
    std::string cut_off{};  // since the last sync, from `size` on: may come back
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
  std::map<std::string, std::vector<Change>> pending_;  // by folder, in order
};

}  // namespace luzia::test
