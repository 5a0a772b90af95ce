#include "engine/log/rocks_wal_room.h"

#include <rocksdb/file_system.h>

#include <algorithm>
#include <vector>

namespace luzia {
namespace {

/// Room grows with its log, so that a store of a few events takes little: a sync that has to write the most
/// takes half a millisecond more, once in more than a thousand events.
constexpr std::uint64_t kLeastRoom = 32 << 10;
constexpr std::uint64_t kMostRoom = 512 << 10;

constexpr std::size_t kWalBlock = 32 << 10;
constexpr std::size_t kWalHeader = 7;
constexpr std::uint64_t kNoEnd = ~std::uint64_t{0};

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

  /// Behind what is about to be appended, where that does not fit into the room there is.
  void make_room(std::uint64_t size, const rocksdb::IOOptions& options, rocksdb::IODebugContext* debug) {
    if (!room_ || end_ + size <= room_until_) return;
    static const std::vector<char> zeros(kMostRoom);
    const std::uint64_t from = end_ + size;
    const std::uint64_t room = std::clamp(end_, kLeastRoom, kMostRoom);
    if (room_->Write(from, {zeros.data(), room}, options, debug).ok()) {
      room_until_ = from + room;
    } else {
      room_.reset();
    }
  }

  std::unique_ptr<rocksdb::FSRandomRWFile> room_;  // the same file; null: no more room is made
  std::uint64_t end_ = 0;                          // of what was appended
  std::uint64_t room_until_ = 0;
};

/// Where the last record of the file ends; its size where that cannot be told.
std::uint64_t end_of_wal(rocksdb::FileSystem& files, const std::string& path,
                         const rocksdb::FileOptions& options, rocksdb::IODebugContext* debug) {
  std::uint64_t size = 0;
  std::unique_ptr<rocksdb::FSRandomAccessFile> file;
  if (!files.GetFileSize(path, options.io_options, &size, debug).ok()) return kNoEnd;
  if (!files.NewRandomAccessFile(path, options, &file, debug).ok()) return kNoEnd;
  std::string buffer(kWalBlock, '\0');
  for (std::uint64_t blocks = (size + kWalBlock - 1) / kWalBlock; blocks > 0; --blocks) {
    const std::uint64_t begin = (blocks - 1) * kWalBlock;
    rocksdb::Slice block;
    const auto status = file->Read(begin, std::min<std::uint64_t>(kWalBlock, size - begin),
                                   options.io_options, &block, buffer.data(), debug);
    if (!status.ok()) return kNoEnd;
    if (const auto end = end_of_wal_block(block.ToStringView())) return begin + end;
  }
  return 0;
}

/// Reads up to `end`.
class EndedFile : public rocksdb::FSSequentialFileOwnerWrapper {
 public:
  EndedFile(std::unique_ptr<rocksdb::FSSequentialFile> file, std::uint64_t end)
      : FSSequentialFileOwnerWrapper(std::move(file)), left_(end) {}

  rocksdb::IOStatus Read(std::size_t size, const rocksdb::IOOptions& options, rocksdb::Slice* result,
                         char* scratch, rocksdb::IODebugContext* debug) override {
    const auto most = static_cast<std::size_t>(std::min<std::uint64_t>(size, left_));
    auto status = target()->Read(most, options, result, scratch, debug);
    if (status.ok()) left_ -= result->size();
    return status;
  }
  rocksdb::IOStatus Skip(std::uint64_t bytes) override {
    auto status = target()->Skip(bytes);
    if (status.ok()) left_ -= std::min(left_, bytes);
    return status;
  }

 private:
  std::uint64_t left_;
};

class WalFiles : public rocksdb::FileSystemWrapper {
 public:
  WalFiles(const std::shared_ptr<rocksdb::FileSystem>& files, WalRoom room)
      : FileSystemWrapper(files), room_(room) {}
  const char* Name() const override { return "WalFiles"; }

  rocksdb::IOStatus NewSequentialFile(const std::string& path, const rocksdb::FileOptions& options,
                                      std::unique_ptr<rocksdb::FSSequentialFile>* file,
                                      rocksdb::IODebugContext* debug) override {
    auto status = target()->NewSequentialFile(path, options, file, debug);
    if (status.ok() && is_wal(path)) {
      const std::uint64_t end = end_of_wal(*target(), path, options, debug);
      *file = std::make_unique<EndedFile>(std::move(*file), end);
    }
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
};

}  // namespace

WalRoomEnv::WalRoomEnv(rocksdb::Env* target, WalRoom room) : EnvWrapper(target) {
  file_system_ = std::make_shared<WalFiles>(target->GetFileSystem(), room);
  system_clock_ = target->GetSystemClock();
}

std::size_t end_of_wal_block(std::string_view block) {
  const auto last = block.find_last_not_of('\0');
  if (last == std::string_view::npos) return 0;
  for (std::size_t at = 0; at + kWalHeader <= block.size();) {
    const auto byte = [&](std::size_t i) { return static_cast<std::uint8_t>(block[at + i]); };
    const std::size_t end = at + kWalHeader + (byte(4) | byte(5) << 8);
    if (end == at + kWalHeader && byte(6) == 0) break;  // zeros before the last byte: torn
    if (end > last) return std::min(end, block.size());
    at = end;
  }
  return last + 1;
}

}  // namespace luzia
