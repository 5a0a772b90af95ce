#include "engine/log/rocks_wal_room.h"

#include <rocksdb/file_system.h>

#include <algorithm>
#include <string>
#include <vector>

namespace luzia {
namespace {

/// The preallocated room grows with its log, so that a store of a few events stays small. A sync that writes
/// the most takes half a millisecond longer, once in more than a thousand events.
constexpr std::uint64_t kLeastRoom = 32 << 10;
constexpr std::uint64_t kMostRoom = 512 << 10;

constexpr std::size_t kWalBlock = 32 << 10;
constexpr std::size_t kWalHeader = 7;

class WalFile : public rocksdb::FSWritableFileOwnerWrapper {
 public:
  WalFile(std::unique_ptr<rocksdb::FSWritableFile> file, std::unique_ptr<rocksdb::FSRandomRWFile> room)
      : FSWritableFileOwnerWrapper(std::move(file)), room_(std::move(room)) {}

  rocksdb::IOStatus Append(const rocksdb::Slice& bytes, const rocksdb::IOOptions& options,
                           rocksdb::IODebugContext* debug) override {
    make_room(bytes.size(), options, debug);
    return grown(bytes, target()->Append(bytes, options, debug));
  }
  rocksdb::IOStatus Append(const rocksdb::Slice& bytes, const rocksdb::IOOptions& options,
                           const rocksdb::DataVerificationInfo& verification,
                           rocksdb::IODebugContext* debug) override {
    make_room(bytes.size(), options, debug);
    return grown(bytes, target()->Append(bytes, options, verification, debug));
  }
  rocksdb::IOStatus Close(const rocksdb::IOOptions& options, rocksdb::IODebugContext* debug) override {
    if (room_ && room_until_ > end_) (void)target()->Truncate(end_, options, debug);
    room_.reset();
    return target()->Close(options, debug);
  }

 private:
  rocksdb::IOStatus grown(const rocksdb::Slice& bytes, rocksdb::IOStatus appended) {
    if (appended.ok()) end_ += bytes.size();
    return appended;
  }

  /// Preallocates room after the next `size` bytes if they do not fit what is left.
  void make_room(std::uint64_t size, const rocksdb::IOOptions& options, rocksdb::IODebugContext* debug) {
    if (!room_ || end_ + size <= room_until_) return;
    static const std::vector<char> zeros(kMostRoom);
    const std::uint64_t from = end_ + size;
    const std::uint64_t room = std::clamp(end_, kLeastRoom, kMostRoom);
    if (room_->Write(from, {zeros.data(), room}, options, debug).ok()) {
      room_until_ = from + room;
      return;
    }
    (void)target()->Truncate(end_, options, debug);  // gives back what it took of a full disk
    room_.reset();
  }

  std::unique_ptr<rocksdb::FSRandomRWFile> room_;  // the same file; null: preallocates no more
  std::uint64_t end_ = 0;                          // of the appended bytes
  std::uint64_t room_until_ = 0;
};

/// Finds the end of the last record in the file.
rocksdb::IOStatus find_end(rocksdb::FileSystem& files, const std::string& path,
                           const rocksdb::FileOptions& options, rocksdb::IODebugContext* debug,
                           std::uint64_t& end) {
  std::uint64_t size = 0;
  std::unique_ptr<rocksdb::FSRandomAccessFile> file;
  auto status = files.GetFileSize(path, options.io_options, &size, debug);
  if (status.ok()) status = files.NewRandomAccessFile(path, options, &file, debug);
  end = 0;
  std::string buffer(kWalBlock, '\0');
  for (std::uint64_t blocks = (size + kWalBlock - 1) / kWalBlock; status.ok() && blocks > 0; --blocks) {
    const std::uint64_t begin = (blocks - 1) * kWalBlock;
    rocksdb::Slice block;
    status = file->Read(begin, std::min<std::uint64_t>(kWalBlock, size - begin), options.io_options, &block,
                        buffer.data(), debug);
    if (!status.ok()) break;
    if (const auto found = walk_wal_block(block.ToStringView()); found.end > 0) {
      end = begin + found.end;
      break;
    }
  }
  return status;
}

/// Reads up to `end`, block by block as RocksDB reads its logs, and notes what RocksDB skips. Not used for
/// direct reads, which are off.
class EndedFile : public rocksdb::FSSequentialFileOwnerWrapper {
 public:
  EndedFile(std::unique_ptr<rocksdb::FSSequentialFile> file, std::uint64_t end,
            std::shared_ptr<std::atomic<bool>> stepped_over)
      : FSSequentialFileOwnerWrapper(std::move(file)), left_(end), stepped_over_(std::move(stepped_over)) {}

  rocksdb::IOStatus Read(std::size_t size, const rocksdb::IOOptions& options, rocksdb::Slice* result,
                         char* scratch, rocksdb::IODebugContext* debug) override {
    const auto most = static_cast<std::size_t>(std::min<std::uint64_t>(size, left_));
    auto status = target()->Read(most, options, result, scratch, debug);
    if (!status.ok()) return status;
    left_ -= result->size();
    for (std::string_view read = result->ToStringView(); !read.empty();) {
      if (walk_wal_block(read.substr(0, kWalBlock)).stepped_over) *stepped_over_ = true;
      read.remove_prefix(std::min(read.size(), kWalBlock));
    }
    return status;
  }
  rocksdb::IOStatus Skip(std::uint64_t bytes) override {
    auto status = target()->Skip(bytes);
    if (status.ok()) left_ -= std::min(left_, bytes);
    return status;
  }

 private:
  std::uint64_t left_;
  const std::shared_ptr<std::atomic<bool>> stepped_over_;
};

class WalFiles : public rocksdb::FileSystemWrapper {
 public:
  WalFiles(const std::shared_ptr<rocksdb::FileSystem>& files, WalRoom room,
           std::shared_ptr<std::atomic<bool>> stepped_over)
      : FileSystemWrapper(files), room_(room), stepped_over_(std::move(stepped_over)) {}
  const char* Name() const override { return "WalFiles"; }

  rocksdb::IOStatus NewSequentialFile(const std::string& path, const rocksdb::FileOptions& options,
                                      std::unique_ptr<rocksdb::FSSequentialFile>* file,
                                      rocksdb::IODebugContext* debug) override {
    if (!is_wal(path)) return target()->NewSequentialFile(path, options, file, debug);
    std::uint64_t end = 0;
    std::unique_ptr<rocksdb::FSSequentialFile> plain;
    auto status = find_end(*target(), path, options, debug, end);
    if (status.ok()) status = target()->NewSequentialFile(path, options, &plain, debug);
    if (status.ok()) *file = std::make_unique<EndedFile>(std::move(plain), end, stepped_over_);
    return status;
  }

  rocksdb::IOStatus NewWritableFile(const std::string& path, const rocksdb::FileOptions& options,
                                    std::unique_ptr<rocksdb::FSWritableFile>* file,
                                    rocksdb::IODebugContext* debug) override {
    std::unique_ptr<rocksdb::FSWritableFile> plain;
    auto status = target()->NewWritableFile(path, options, &plain, debug);
    if (!status.ok()) return status;
    std::unique_ptr<rocksdb::FSRandomRWFile> room;
    const bool wanted = room_ == WalRoom::zeroed && is_wal(path);
    if (wanted && target()->NewRandomRWFile(path, options, &room, debug).ok()) {
      *file = std::make_unique<WalFile>(std::move(plain), std::move(room));
    } else {
      *file = std::move(plain);
    }
    return status;
  }

 private:
  static bool is_wal(const std::string& path) { return path.ends_with(".log"); }

  const WalRoom room_;
  const std::shared_ptr<std::atomic<bool>> stepped_over_;
};

}  // namespace

WalRoomEnv::WalRoomEnv(rocksdb::Env* target, WalRoom room)
    : EnvWrapper(target), stepped_over_(std::make_shared<std::atomic<bool>>(false)) {
  file_system_ = std::make_shared<WalFiles>(target->GetFileSystem(), room, stepped_over_);
  system_clock_ = target->GetSystemClock();
}

WalBlock walk_wal_block(std::string_view block) {
  const auto last = block.find_last_not_of('\0');
  if (last == std::string_view::npos) return {};
  for (std::size_t at = 0; at + kWalHeader <= block.size();) {
    const auto byte = [&](std::size_t i) { return static_cast<std::uint8_t>(block[at + i]); };
    const std::size_t end = at + kWalHeader + (byte(4) | byte(5) << 8);
    if (end > block.size()) return {block.size(), true};
    if (end == at + kWalHeader && byte(6) == 0) return {last + 1, true};
    if (end > last) return {end, false};
    at = end;
  }
  return {last + 1, false};
}

}  // namespace luzia
