#include "engine/log/seal_files.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <thread>

#include "engine/base/descriptor.h"
#include "engine/base/store_file.h"
#include "engine/log/watermark.h"

namespace luzia {
namespace {

tl::unexpected<Error> seal_unwritable(int error, const std::string& what) {
  return fail_errno(error, "seal_unwritable", what);
}

/// Makes the name of a new file durable.
Status sync_folder_of(const std::string& path) {
  const std::string parent = std::filesystem::path(path).parent_path().string();
  const Descriptor folder(open(parent.empty() ? "." : parent.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (folder && fsync(folder.get()) == 0) return {};
  return seal_unwritable(errno, "cannot make " + path + " durable");
}

Result<SealKey> read_seal_key(int file, const std::string& path) {
  struct stat status {};
  constexpr mode_t kOthers = S_IRWXG | S_IRWXO;
  if (fstat(file, &status) == 0 && (status.st_mode & kOthers) != 0) {
    return fail(ErrorKind::trouble, "seal_key_open", "others may read the key " + path,
                "chmod 600 " + path + "; if somebody may have read it, move it away, and a new one is made");
  }
  constexpr std::size_t kMostKeyBytes = 1'024;
  const auto text = read_up_to(file, kMostKeyBytes);
  if (!text) return fail_errno(errno, "bad_seal_key_file", "cannot read " + path);
  const auto key = SealKey::parse_file(*text);
  if (key) return *key;
  return fail(ErrorKind::trouble, "bad_seal_key_file", path + " holds no key for seals",
              "put the key back, or move the file away, and a new one is made");
}

/// Renames the file unless another has that name: EEXIST.
bool take_free_name(const std::string& from, const std::string& to) {
  if (renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) == 0) return true;
  // NFS knows no such renaming, and FAT no links.
  return errno == EINVAL && link(from.c_str(), to.c_str()) == 0 && unlink(from.c_str()) == 0;
}

/// Makes the whole file under another name first, so that nobody reads half of it.
Status make_seal_key(const std::string& path) {
  std::string made = path + ".XXXXXX";
  const Descriptor file(mkostemp(made.data(), O_CLOEXEC));  // with mode 0600
  if (!file) return seal_unwritable(errno, "cannot make the key " + path);
  bool done = write_fully(file.get(), SealKey::random().file_text()) && fsync(file.get()) == 0;
  done = done && take_free_name(made, path);
  const int error = errno;
  if (done) return sync_folder_of(path);
  unlink(made.c_str());
  return error == EEXIST ? Status() : seal_unwritable(error, "cannot make the key " + path);
}

/// Two that append wait for each other, so that taking back half a line takes nothing else. Not for ever:
/// whoever may read the file can lock it.
bool lock_for_appending(int file) {
  constexpr int kTries = 50;
  for (int tries = 0; tries < kTries; ++tries) {
    if (flock(file, LOCK_EX | LOCK_NB) == 0) return true;
    if (errno != EWOULDBLOCK && errno != EINTR) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  return false;
}

/// Whether the file is empty or ends with a line break.
bool ends_a_line(int file, off_t size) {
  char last = '\n';
  return size == 0 || (pread(file, &last, 1, size - 1) == 1 && last == '\n');
}

}  // namespace

Result<SealKey> seal_key(const std::string& path) {
  auto file = open_store_file(path, O_RDONLY);
  if (!file && file.error().code == "store_file_missing") {
    LUZIA_TRY(make_seal_key(path));
    file = open_store_file(path, O_RDONLY);
  }
  if (!file) return tl::unexpected(file.error());
  const Descriptor opened(*file);
  return read_seal_key(opened.get(), path);
}

Result<Tip> acknowledged_tip(const std::string& store) {
  const auto text = LUZIA_TRY(read_store_file(store + "/watermark"));
  if (!text) return fail(ErrorKind::trouble, "watermark_missing", "there is no watermark in " + store);
  const auto tip = decode_watermark(as_bytes(*text)).newest();
  if (tip) return *tip;
  return fail(ErrorKind::trouble, "watermark_damaged", "the watermark in " + store + " is damaged",
              "luzia-query verify says what can be done");
}

Status append_seal(const std::string& path, std::string_view line) {
  const std::string what = "cannot append the seal to " + path;
  const bool is_new = access(path.c_str(), F_OK) != 0;
  const Descriptor file(
      open(path.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, 0644));
  if (!file) return seal_unwritable(errno, what);
  const bool is_alone = lock_for_appending(file.get());
  struct stat status {};
  if (fstat(file.get(), &status) != 0) return seal_unwritable(errno, what);
  if (!S_ISREG(status.st_mode)) return seal_unwritable(EINVAL, what + ", which is not a file");
  const std::string text = (ends_a_line(file.get(), status.st_size) ? "" : "\n") + std::string(line) + "\n";
  const ssize_t written = write(file.get(), text.data(), text.size());
  if (written != static_cast<ssize_t>(text.size())) {
    const int error = written < 0 ? errno : ENOSPC;
    if (written > 0 && is_alone && ftruncate(file.get(), status.st_size) != 0)
      return seal_unwritable(errno, what);
    return seal_unwritable(error, what);
  }
  if (fsync(file.get()) != 0) return seal_unwritable(errno, what);
  return is_new ? sync_folder_of(path) : Status();
}

std::optional<Seal> last_seal(const std::string& path, const StoreIdentity& store, const SealPublicKey& key) {
  const Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  struct stat status {};
  if (!file || fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode)) return std::nullopt;
  constexpr auto kMost = static_cast<off_t>(kSealsLookedThrough);
  std::string text(kSealsLookedThrough, '\0');
  const ssize_t got =
      pread(file.get(), text.data(), text.size(), status.st_size - std::min(status.st_size, kMost));
  std::string_view rest(text.data(), got < 0 ? 0 : static_cast<std::size_t>(got));
  while (!rest.empty()) {
    const std::size_t before = rest.find_last_of('\n');
    const std::string_view line = before == std::string_view::npos ? rest : rest.substr(before + 1);
    const auto read = parse_seal(line);
    if (read && read->seal.store == store && is_signed_with(line, *read, key)) return read->seal;
    rest.remove_suffix(before == std::string_view::npos ? rest.size() : rest.size() - before);
  }
  return std::nullopt;
}

}  // namespace luzia
