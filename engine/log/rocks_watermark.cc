#include "engine/log/rocks_watermark.h"

#include "engine/base/store_file.h"
#include "engine/log/rocks_error.h"

namespace luzia {
namespace {

std::string path_of(const std::string& store) {
  return store + "/watermark";
}

/// Runs the steps in order; stops at the first failure and returns it.
rocksdb::IOStatus write_new_file(rocksdb::FileSystem& files, const std::string& path,
                                 const std::string& bytes) {
  const rocksdb::IOOptions io;
  std::unique_ptr<rocksdb::FSWritableFile> file;
  auto status = files.NewWritableFile(path, {}, &file, nullptr);
  if (status.ok()) status = file->Append(bytes, io, nullptr);
  if (status.ok()) status = file->Sync(io, nullptr);
  if (status.ok()) status = file->Close(io, nullptr);
  return status;
}

}  // namespace

Result<std::optional<WatermarkSlots>> RocksWatermark::read(rocksdb::FileSystem& files,
                                                           const std::string& store) {
  // RocksDB would block for ever on a FIFO.
  LUZIA_TRY(check_store_file(path_of(store)));
  const rocksdb::IOOptions io;
  std::unique_ptr<rocksdb::FSSequentialFile> file;
  auto status = files.NewSequentialFile(path_of(store), {}, &file, nullptr);
  if (status.IsNotFound() || status.IsPathNotFound()) return std::nullopt;
  std::string bytes(kWatermarkFileSize, '\0');
  rocksdb::Slice got;
  if (status.ok()) status = file->Read(bytes.size(), io, &got, bytes.data(), nullptr);
  if (!status.ok()) return rocks_failure(status, "watermark_unreadable", "cannot read " + path_of(store));
  return decode_watermark(as_bytes(std::string_view(got.data(), got.size())));
}

Status RocksWatermark::create(rocksdb::FileSystem& files, const std::string& store, const Tip& tip) {
  const rocksdb::IOOptions io;
  std::string bytes;
  for (std::size_t i = 0; i < kWatermarkSlots; ++i) {
    bytes.append(encode_watermark_slot(tip));
    bytes.resize((i + 1) * kWatermarkSlotDistance);
  }
  const std::string fresh = path_of(store) + ".new";
  std::unique_ptr<rocksdb::FSDirectory> directory;
  rocksdb::IOStatus status = write_new_file(files, fresh, bytes);
  if (status.ok()) status = files.RenameFile(fresh, path_of(store), io, nullptr);
  if (status.ok()) status = files.NewDirectory(store, io, &directory, nullptr);
  if (status.ok()) status = directory->Fsync(io, nullptr);
  if (!status.ok()) return rocks_failure(status, "watermark_failed", "cannot create " + path_of(store));
  return {};
}

Result<RocksWatermark> RocksWatermark::open(rocksdb::FileSystem& files, const std::string& store,
                                            const WatermarkSlots& slots) {
  std::unique_ptr<rocksdb::FSRandomRWFile> file;
  const auto status = files.NewRandomRWFile(path_of(store), {}, &file, nullptr);
  if (!status.ok()) return rocks_failure(status, "watermark_failed", "cannot open " + path_of(store));
  return RocksWatermark(std::move(file), slots.next_slot());
}

Status RocksWatermark::write(const Tip& tip) {
  const auto status =
      file_->Write(next_slot_ * kWatermarkSlotDistance, encode_watermark_slot(tip), {}, nullptr);
  if (!status.ok()) return rocks_failure(status, "watermark_failed", "cannot write the store's watermark");
  next_slot_ = (next_slot_ + 1) % kWatermarkSlots;
  return {};
}

Status RocksWatermark::sync() {
  const auto status = file_->Sync({}, nullptr);
  if (!status.ok()) return rocks_failure(status, "watermark_failed", "cannot sync the store's watermark");
  return {};
}

}  // namespace luzia
