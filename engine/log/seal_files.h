// The files of seals: STORE/seal.key, the key of the machine, and the file that seals are appended to. Any
// thread; the functions wait for the disk.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "engine/log/seal.h"

namespace luzia {

/// The key in this file, which only its user may read. Makes it if there is none; of two processes that do,
/// both get the same key. Errors, all trouble: `bad_seal_key_file` (it holds none), `seal_key_open` (others
/// may read it), `seal_unwritable`, and those of open_store_file().
Result<SealKey> seal_key(const std::string& path);

/// The last acknowledged position of a store and its chain hash, by its watermark. A log that is open for
/// reading may show groups that a loss of power would still take. `watermark_missing`, `watermark_damaged`
/// (trouble).
Result<Tip> acknowledged_tip(const std::string& store);

/// Appends the line durably, in one write; makes the file, readable by all, if there is none. After a line
/// that an interrupted write left, it begins a new one. A write that fails leaves the file as it was. If
/// another process locks the file, it waits up to 5 s, then appends all the same: a failed write may then
/// leave half a line. `seal_unwritable` (trouble), also if the path is no regular file.
Status append_seal(const std::string& path, std::string_view line);

/// The last seal in the file that is signed with this key and of this store. nullopt: there is none among the
/// last lines (kSealsLookedThrough bytes), or the file cannot be read.
constexpr std::size_t kSealsLookedThrough = 16 << 10;
std::optional<Seal> last_seal(const std::string& path, const StoreIdentity& store, const SealPublicKey& key);

}  // namespace luzia
