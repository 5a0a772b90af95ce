// Opens the log. Nothing is written before the log and the watermark are known to agree: recovery for writing
// rewrites files and drops the write-ahead log, so it may only run when nothing in there could still be
// needed.
#include <rocksdb/env.h>

#include <algorithm>

#include "engine/base/failpoint.h"
#include "engine/base/try.h"
#include "engine/log/rocks_error.h"
#include "engine/log/rocks_event_log.h"
#include "engine/log/rocks_log.h"
#include "engine/log/rocks_new_store.h"
#include "engine/log/rocks_torn_end.h"
#include "engine/log/rocks_torn_manifest.h"

namespace luzia {
namespace {

constexpr char kRestoreOrAccept[] =
    "restore the store from a backup, or save what can be proved with `luzia-query salvage DIR`; or, to go "
    "on with "
    "what is there, start luziad once with --accept-log-end";

struct Place {
  std::string store;
  std::string log;  // STORE/log
  rocksdb::Env* env;
  rocksdb::FileSystem* files;
};

tl::unexpected<Error> no_store(const Place& place) {
  return fail(ErrorKind::trouble, "no_store", "there is no store at " + place.store,
              "start luziad, which creates it, or name another store");
}

tl::unexpected<Error> refused(std::string code, std::string message) {
  return fail(ErrorKind::trouble, std::move(code), std::move(message), kRestoreOrAccept);
}

/// Compares the watermark with what the log holds.
Status check_watermark(const Place& place, const RocksLogDb* db, const Tip& end,
                       const std::optional<WatermarkSlots>& slots) {
  if (!slots) {
    if (end.position == 0) return {};
    return refused("watermark_missing", "the store " + place.store + " has a log up to position " +
                                            std::to_string(end.position) +
                                            " and no watermark: it is unknown whether it is complete");
  }
  const auto newest = slots->newest();
  if (!newest) {
    return refused("watermark_damaged",
                   "both halves of " + place.store +
                       "/watermark are damaged: it is unknown whether the log is complete");
  }
  if (newest->position > end.position) {
    return refused("log_shorter_than_watermark", "the log in " + place.store + " ends at position " +
                                                     std::to_string(end.position) + ", but position " +
                                                     std::to_string(newest->position) +
                                                     " was acknowledged: events have been lost");
  }
  if (!db) return {};
  auto agrees = LUZIA_TRY(db->contains(*newest));
  if (agrees) return {};
  return refused("watermark_mismatch", "the log in " + place.store + " is another one at position " +
                                           std::to_string(newest->position) +
                                           " than the one its watermark belongs to");
}

std::vector<std::string> file_names(const Place& place) {
  std::vector<std::string> names;
  (void)place.env->GetChildren(place.log, &names);
  std::ranges::sort(names);
  return names;
}

/// Whether every write-ahead log of `before` still exists. One that a writer removed in between may be
/// missing from what was read, and its events with it.
bool write_ahead_logs_kept(const std::vector<std::string>& before, const std::vector<std::string>& after) {
  return std::ranges::all_of(before, [&](const std::string& name) {
    return !name.ends_with(".log") || std::ranges::binary_search(after, name);
  });
}

struct Proven {
  std::unique_ptr<RocksLogDb> db;
  Tip end;
  Recovery recovery = Recovery::refuse_damage;  // how the database was opened
};

Result<Proven> open_and_prove(const Place& place, OpenMode mode, Recovery recovery,
                              Tables tables = Tables::opened) {
  auto db = LUZIA_TRY(RocksLogDb::open(place.log, mode, place.env, tables, recovery));
  auto end = LUZIA_TRY(db->prove_end());
  return Proven{std::move(db), end, recovery};
}

/// Reads the log without a write torn by a power loss. Such a write is the last one and was never
/// acknowledged: the caller checks that the watermark is not beyond the end. Any other damage is an error.
Result<Proven> read_and_prove(const Place& place, Tables tables) {
  auto whole = open_and_prove(place, OpenMode::read_only, Recovery::refuse_damage, tables);
  if (whole && whole->db->stepped_over() && groups_behind(*place.env, place.log, whole->end)) {
    return fail(ErrorKind::trouble, "log_corrupt",
                "the write-ahead log in " + place.log + " is damaged behind position " +
                    std::to_string(whole->end.position) + ", and groups of events follow",
                kRestoreOrAccept);
  }
  if (whole || whole.error().code != "log_corrupt") return whole;
  auto cut = open_and_prove(place, OpenMode::read_only, Recovery::end_at_damage, tables);
  if (!cut || groups_behind(*place.env, place.log, cut->end)) return whole;
  return cut;
}

/// What a writer changes: file names, and the watermark after each group.
struct Seen {
  std::vector<std::string> names;
  std::optional<Tip> watermark;
  bool operator==(const Seen&) const = default;
};

Seen look(const Place& place) {
  Seen seen{file_names(place), std::nullopt};
  const auto slots = RocksWatermark::read(*place.files, place.store);
  if (slots && *slots) seen.watermark = (*slots)->newest();
  return seen;
}

/// A writer beside us may replace files while they are opened, or be in the middle of a record. Tries again
/// as long as that may be the cause of the failure.
Result<Proven> open_beside_writer(const Place& place, Tables tables) {
  constexpr int kMaxTries = 16;
  for (int tries = 1;; ++tries) {
    const Seen before = look(place);
    auto proven = read_and_prove(place, tables);
    const Seen after = look(place);
    const bool settled = proven ? write_ahead_logs_kept(before.names, after.names) : before == after;
    if (settled || tries == kMaxTries) return proven;
  }
}

Result<std::unique_ptr<EventLog>> open_for_reading(const Place& place, const LogOptions& options) {
  // Read before the log, so that the log can only be ahead of it.
  auto slots = LUZIA_TRY(RocksWatermark::read(*place.files, place.store));
  auto there = LUZIA_TRY(RocksLogDb::exists(place.log, place.env));
  if (!there) {
    LUZIA_TRY(check_watermark(place, nullptr, {}, slots));
    return no_store(place);
  }
  auto proven = LUZIA_TRY(open_beside_writer(place, options.hold_files ? Tables::held : Tables::as_needed));
  if (!options.accept_end) {
    LUZIA_TRY(check_watermark(place, proven.db.get(), proven.end, slots));
  }
  return std::make_unique<RocksLog>(std::move(proven.db), proven.end, place.env, std::nullopt);
}

/// Checks before creating anything: a folder with files but without a database has lost something.
Status check_creatable(const Place& place, const LogOptions& options,
                       const std::optional<WatermarkSlots>& slots) {
  LUZIA_TRY(check_watermark(place, nullptr, {}, slots));
  if (!options.create) return no_store(place);
  const bool empty =
      std::ranges::all_of(file_names(place), [](const std::string& name) { return name[0] == '.'; });
  if (slots || empty) return {};
  return fail(ErrorKind::trouble, "log_corrupt", "the folder " + place.log + " holds files but no database",
              "restore the store from a backup, or name another store");
}

struct FoundEnd {
  Tip tip;
  Recovery recovery = Recovery::refuse_damage;  // how to open it to get there
};

/// Finds the present end of the log without changing anything.
Result<FoundEnd> find_end(const Place& place, const LogOptions& options,
                          const std::optional<WatermarkSlots>& slots) {
  auto there = LUZIA_TRY(RocksLogDb::exists(place.log, place.env));
  if (!there) {
    LUZIA_TRY(check_creatable(place, options, slots));
    return FoundEnd{};
  }
  auto proven = LUZIA_TRY(read_and_prove(place, Tables::opened));
  if (!options.accept_end) {
    LUZIA_TRY(check_watermark(place, proven.db.get(), proven.end, slots));
  }
  return FoundEnd{proven.end, proven.recovery};
}

/// The same if a power loss may have torn the manifest. Then the torn end is cut off, and the cut is kept if
/// everything is proved to be there without it.
Result<FoundEnd> find_end_behind_tears(const Place& place, const LogOptions& options,
                                       const std::optional<WatermarkSlots>& slots) {
  auto found = find_end(place, options, slots);
  if (found || found.error().code != "log_corrupt") return found;
  auto cut = LUZIA_TRY(CutManifest::cut(*place.files, place.log));
  if (!cut) return found;
  auto without = find_end(place, options, slots);
  // A database that was being made has no events yet; the watermark says so, too.
  const auto there = RocksLogDb::exists(place.log, place.env);
  if (without && there && *there) {
    auto db = RocksLogDb::open(place.log, OpenMode::read_only, place.env, Tables::opened, without->recovery);
    const Status whole = db ? prove_whole(**db) : Status(tl::unexpected(db.error()));
    if (!whole) without = tl::unexpected(whole.error());
  }
  if (without) {
    cut->keep();
    return without;
  }
  LUZIA_TRY(cut->undo());
  return found;
}

/// The watermark file; rewritten if it is missing or a person accepted the log as it is.
Result<RocksWatermark> ready_watermark(const Place& place, const LogOptions& options,
                                       std::optional<WatermarkSlots> slots, const Tip& end) {
  if (!slots || options.accept_end) {
    LUZIA_TRY(RocksWatermark::create(*place.files, place.store, end));
    slots = WatermarkSlots{{end, end}};
  }
  return RocksWatermark::open(*place.files, place.store, *slots);
}

Status sync_folder(const Place& place) {
  std::unique_ptr<rocksdb::FSDirectory> folder;
  auto status = place.files->NewDirectory(place.store, {}, &folder, nullptr);
  if (status.ok()) status = folder->Fsync({}, nullptr);
  if (!status.ok()) return rocks_failure(status, "store_unusable", "cannot sync the folder " + place.store);
  return {};
}

Result<std::unique_ptr<EventLog>> open_for_writing(const Place& place, const LogOptions& options) {
  if (!options.create && !place.env->FileExists(place.store).ok()) return no_store(place);
  if (place.env->FileExists(place.store + kArchiveMark).ok()) {
    return fail(ErrorKind::trouble, "store_is_archive",
                place.store + " is an archive: it is read, and nothing is added to it",
                "read it with luzia-query --store " + place.store +
                    "; for a store that goes on from there: luzia-query backup DIR --store " + place.store);
  }
  LUZIA_TRY(prepare_store_dir(place.store));
  auto lock = LUZIA_TRY(options.held_lock ? StoreLock::adopt(place.store, *options.held_lock)
                                          : StoreLock::acquire(place.store));
  auto slots = LUZIA_TRY(RocksWatermark::read(*place.files, place.store));
  const auto found = LUZIA_TRY(find_end_behind_tears(place, options, slots));
  const Tip& end = found.tip;
  // A new store gets its watermark first. So a log with events but without a watermark never comes from us.
  auto watermark = LUZIA_TRY(ready_watermark(place, options, slots, end));

  failpoint("open.found");
  if (options.proved) options.proved();
  auto proven = LUZIA_TRY(open_and_prove(place, OpenMode::read_write, found.recovery));
  if (proven.end != end) {
    return fail(ErrorKind::trouble, "log_corrupt",
                "recovery ended the log in " + place.store + " at position " +
                    std::to_string(proven.end.position) + ", before it the end was at " +
                    std::to_string(end.position),
                "restore the store from a backup");
  }
  failpoint("open.recovered");
  // Recovery has made everything durable that it replayed, acknowledged or not.
  LUZIA_TRY(watermark.write(end));
  LUZIA_TRY(watermark.sync());
  LUZIA_TRY(sync_folder(place));
  return std::make_unique<RocksLog>(std::move(proven.db), end, place.env,
                                    LogWriter{std::move(lock), std::move(watermark)});
}

}  // namespace

Result<std::unique_ptr<EventLog>> open_rocks_event_log(const std::string& store, const LogOptions& options) {
  rocksdb::Env* env = options.env ? options.env : rocksdb::Env::Default();
  const Place place{store, store + "/log", env, env->GetFileSystem().get()};
  LUZIA_TRY(check_store_filesystem(store));
  if (is_unfinished_copy(store, *env)) {
    return fail(ErrorKind::trouble, "store_unfinished",
                store + " holds a copy that was cut short, or is being made",
                "make the copy again, or remove what is there");
  }
  return options.mode == OpenMode::read_only ? open_for_reading(place, options)
                                             : open_for_writing(place, options);
}

}  // namespace luzia
