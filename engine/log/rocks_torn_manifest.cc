#include "engine/log/rocks_torn_manifest.h"

#include <rocksdb/env.h>

#include <array>
#include <filesystem>

#include "engine/log/event_texts.h"
#include "engine/log/rocks_error.h"
#include "engine/log/verify_chain.h"

namespace luzia {
namespace {

constexpr std::size_t kBlock = 32'768, kHeader = 7;
constexpr char kCannotCut[] = "cannot cut the damaged end off ";

enum Fragment : std::uint8_t { full = 1, first = 2, middle = 3, last = 4 };

/// CRC-32C (Castagnoli), reflected: RFC 3720, B.4.
std::uint32_t crc32c(std::string_view bytes) {
  static const auto table = [] {
    std::array<std::uint32_t, 256> made{};
    for (std::uint32_t i = 0; i < made.size(); ++i) {
      made[i] = i;
      for (int bit = 0; bit < 8; ++bit) made[i] = made[i] >> 1 ^ ((made[i] & 1U) != 0 ? 0x82f63b78U : 0U);
    }
    return made;
  }();
  std::uint32_t crc = ~0U;
  for (const char byte : bytes) crc = crc >> 8 ^ table[(crc ^ static_cast<std::uint8_t>(byte)) & 0xffU];
  return ~crc;
}

std::uint32_t little_endian(std::string_view bytes) {
  std::uint32_t number = 0;
  for (std::size_t i = bytes.size(); i-- > 0;) number = number << 8 | static_cast<std::uint8_t>(bytes[i]);
  return number;
}

/// RocksDB stores a checksum rotated and shifted, so that a checksum over checksums stays strong.
std::uint32_t masked(std::uint32_t crc) {
  return (crc >> 15 | crc << 17) + 0xa282ead8U;
}

/// The fragment at the beginning of `rest`, with its header; nullopt: it is not whole.
std::optional<std::string_view> fragment_at(std::string_view rest) {
  if (rest.size() < kHeader) return std::nullopt;
  const std::size_t size = kHeader + little_endian(rest.substr(4, 2));
  if (size > rest.size()) return std::nullopt;
  const auto checked = rest.substr(kHeader - 1, size - kHeader + 1);  // type and content
  if (masked(crc32c(checked)) != little_endian(rest.substr(0, 4))) return std::nullopt;
  return rest.substr(0, size);
}

/// Replaces the file at `path` atomically and durably.
rocksdb::IOStatus replace(rocksdb::FileSystem& files, const std::string& path, std::string_view content) {
  // RocksDB removes leftovers with this name.
  const std::string aside = std::filesystem::path(path).parent_path() / "000000.dbtmp";
  std::unique_ptr<rocksdb::FSWritableFile> file;
  auto status = files.NewWritableFile(aside, {}, &file, nullptr);
  if (status.ok()) status = file->Append({content.data(), content.size()}, {}, nullptr);
  if (status.ok()) status = file->Sync({}, nullptr);
  if (file) {
    const auto closed = file->Close({}, nullptr);
    if (status.ok()) status = closed;
  }
  return status.ok() ? files.RenameFile(aside, path, {}, nullptr) : status;
}

rocksdb::IOStatus sync_folder_of(rocksdb::FileSystem& files, const std::string& path) {
  std::unique_ptr<rocksdb::FSDirectory> folder;
  auto status = files.NewDirectory(std::filesystem::path(path).parent_path(), {}, &folder, nullptr);
  return status.ok() ? folder->Fsync({}, nullptr) : status;
}

std::string kept_as(const std::string& manifest) {
  return manifest + ".damaged";
}

}  // namespace

std::size_t end_of_whole_records(std::string_view manifest) {
  std::size_t whole = 0, at = 0;
  for (bool inside = false;;) {
    const std::size_t left = kBlock - at % kBlock;
    if (left < kHeader) at += left;  // a header never spans two blocks
    if (at >= manifest.size()) return whole;
    const auto fragment = fragment_at(manifest.substr(at, kBlock - at % kBlock));
    if (!fragment) return whole;
    const auto type = static_cast<std::uint8_t>((*fragment)[kHeader - 1]);
    const bool begins = type == full || type == first, ends = type == full || type == last;
    if (begins == inside || type < full || type > last) return whole;
    at += fragment->size();
    inside = !ends;
    if (ends) whole = at;
  }
}

Result<std::optional<CutManifest>> CutManifest::cut(rocksdb::FileSystem& files, const std::string& log) {
  std::string name, content;
  auto status = rocksdb::ReadFileToString(&files, log + "/CURRENT", &name);
  if (name.ends_with('\n')) name.pop_back();
  if (!status.ok() || !name.starts_with("MANIFEST-") || name.find('/') != std::string::npos)
    return std::nullopt;
  CutManifest manifest(files, log + "/" + name);
  status = rocksdb::ReadFileToString(&files, manifest.path_, &content);
  if (!status.ok()) return std::nullopt;
  const std::size_t whole = end_of_whole_records(content);
  if (whole == 0 || whole == content.size()) return std::nullopt;
  status = replace(files, kept_as(manifest.path_), content);
  if (status.ok()) status = replace(files, manifest.path_, std::string_view(content).substr(0, whole));
  if (status.ok()) status = sync_folder_of(files, manifest.path_);
  if (!status.ok()) return rocks_failure(status, "log_unusable", kCannotCut + manifest.path_);
  return manifest;
}

Status CutManifest::undo() {
  auto status = files_.RenameFile(kept_as(path_), path_, {}, nullptr);
  if (status.ok()) status = sync_folder_of(files_, path_);
  if (!status.ok()) return rocks_failure(status, "log_unusable", "cannot bring back " + path_);
  return {};
}

void CutManifest::keep() {
  (void)files_.DeleteFile(kept_as(path_), {}, nullptr);
}

Status prove_whole(const RocksLogDb& db) {
  const std::unique_ptr<rocksdb::Iterator> at(db.db().NewIterator({}, db.groups()));
  ChainWalk walk(Tip{});
  for (at->SeekToFirst();; at->Next()) {
    auto group = LUZIA_TRY(db.read(*at));
    if (!group) return {};
    LUZIA_TRY(walk.step(*group));
    std::string bytes;
    std::optional<TextRow> row;
    for (const auto* event : group->events()) {
      for (const auto* text : texts_of(*event)) {
        if (!row) {
          (void)db.db().Get({}, db.blobs(), at->key(), &bytes);
          row.emplace(bytes);
        }
        if (is_accounted_for(row->look_up(event->position(), *text).fate)) continue;
        return fail(ErrorKind::trouble, "log_corrupt",
                    "a text of event " + std::to_string(event->position()) + " is missing",
                    "restore the store from a backup, or save what can be proved of it: "
                    "`luzia-query salvage DIR`");
      }
    }
  }
}

}  // namespace luzia
