// Reads as much of a damaged log as possible. Rejected: repairing a store in place, because what cannot be
// proved today may be rescued with better tools tomorrow.
#include <rocksdb/env.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>

#include "engine/base/try.h"
#include "engine/log/event_texts.h"
#include "engine/log/rocks_event_log.h"
#include "engine/log/rocks_new_store.h"
#include "engine/log/rocks_watermark.h"
#include "engine/log/salvage.h"
#include "engine/log/store_dir.h"
#include "engine/log/verify_chain.h"

namespace luzia {
namespace {

namespace fs = std::filesystem;

constexpr char kFailed[] = "salvage_failed";

/// One pass over the log: into a new store, or, if `target` is null, only to see how far it gets. After
/// copy(), `at_` is where the proved part ends.
class Salvage {
 public:
  Salvage(const RocksLogDb& db, NewStore* target, SalvageReport& report)
      : db_(db), target_(target), report_(report), at_(new_iterator()) {}

  Status copy() {
    ChainWalk walk(Tip{});
    for (at_->SeekToFirst();; at_->Next()) {
      auto group = db_.read(*at_);
      Status good = group ? Status{} : tl::unexpected(group.error());
      if (good && !*group) break;
      if (good) good = walk.step(**group);
      if (!good) {
        report_.fault = good.error().message;
        break;
      }
      LUZIA_TRY(copy_group(**group));
      ++report_.groups;
    }
    report_.copied = walk.tip();
    return copy_untold_erasures();
  }

  /// Records what else can be read, up to `last`.
  void look_behind(Position last) {
    for (Position position = report_.copied.position + 1; position <= last;) {
      at_->Seek(position_key(position));
      if (!at_->Valid()) {
        if (at_->status().ok()) return;
        at_ = new_iterator();  // an iterator that met damage does not move any more
        ++position;
        continue;
      }
      const Position first = key_position(at_->key());
      const auto group = db_.read(*at_);
      if (group) note_readable(**group);
      position = group ? (*group)->last_position() + 1 : std::max(first, position) + 1;
    }
  }

 private:
  std::unique_ptr<rocksdb::Iterator> new_iterator() const {
    rocksdb::ReadOptions options;
    options.fill_cache = false;
    return std::unique_ptr<rocksdb::Iterator>(db_.db().NewIterator(options, db_.groups()));
  }

  Status copy_group(const Group& group) {
    if (target_ != nullptr) {
      LUZIA_TRY(target_->put_group(at_->key(), at_->value()));
    }
    for (const auto* event : group.events()) erasures_.hear(*event);
    return copy_texts(group, {});
  }

  /// Records as lost, in their place, texts that cannot be proved and texts in `untold`. Texts that no event
  /// refers to are not copied.
  Status copy_texts(const Group& group, const std::set<PlaceOfText>& untold) {
    const std::string key = position_key(group.first_position());
    std::string bytes;
    (void)db_.db().Get({}, db_.blobs(), key, &bytes);
    const TextRow row(bytes);
    std::vector<BlobEntry> entries;
    for (const auto* event : group.events()) {
      for (const auto* text : texts_of(*event)) {
        const PlaceOfText place{event->position(), text->index()};
        const FoundText found = row.look_up(place.event, *text);
        const bool lost = !is_accounted_for(found.fate) || untold.contains(place);
        const bool is_new = untold.empty() || untold.contains(place);
        if (lost && is_new) report_.lost_texts.push_back({place.event, place.index});
        if (found.fate == TextFate::erased && !lost) erasures_.found(place);
        entries.push_back(found.entry);
        entries.back().event = place.event;
        entries.back().index = place.index;
        entries.back().state = lost ? BlobState::lost : state_of(found.fate);
      }
    }
    return entries.empty() || target_ == nullptr ? Status{}
                                                 : target_->put_blobs(key, encode_blob_row(entries));
  }

  /// Texts that were erased without an event that says so: the erasure was intended, so it is repeated.
  Status copy_untold_erasures() {
    const std::set<PlaceOfText> untold = erasures_.texts();
    const auto at = new_iterator();
    std::set<Position> groups;
    for (const PlaceOfText& place : untold) {
      auto group = LUZIA_TRY(db_.seek(*at, place.event));
      if (!group || !groups.insert(group->first_position()).second) continue;
      LUZIA_TRY(copy_texts(*group, untold));
    }
    return {};
  }

  static BlobState state_of(TextFate fate) {
    if (fate == TextFate::erased) return BlobState::erased;
    return fate == TextFate::lost ? BlobState::lost : BlobState::present;
  }

  void note_readable(const Group& group) {
    auto& stretches = report_.unproved;
    if (!stretches.empty() && stretches.back().to + 1 == group.first_position()) {
      stretches.back().to = group.last_position();
    } else {
      stretches.push_back({group.first_position(), group.last_position()});
    }
  }

  const RocksLogDb& db_;
  NewStore* target_;
  SalvageReport& report_;
  UntoldErasures erasures_;
  std::unique_ptr<rocksdb::Iterator> at_;
};

/// A folder for the copy whose index is rebuilt; removed at the end.
class WorkFolder {
 public:
  explicit WorkFolder(std::string path) : path_(std::move(path)) {}
  ~WorkFolder() {
    std::error_code ignored;
    if (copy_) fs::remove_all(path_, ignored);
  }
  WorkFolder(const WorkFolder&) = delete;
  WorkFolder& operator=(const WorkFolder&) = delete;

  /// Removes the copy to free its space. The copy must not be open.
  Status clear() {
    std::error_code error;
    if (copy_) fs::remove_all(path_, error);
    copy_.reset();
    if (error) return fail(ErrorKind::trouble, kFailed, "cannot remove " + path_ + ": " + error.message());
    return {};
  }

  Status check_free() const {
    std::error_code ignored;
    if (!fs::exists(path_, ignored)) return {};
    return fail(ErrorKind::trouble, "target_not_empty", "cannot work in " + path_ + ": it is there already",
                "remove it, or name another folder");
  }
  /// The copy, made once; later calls return the same copy or the same error.
  Result<std::string> copy_of(const std::string& log) {
    if (!copy_) copy_ = make_copy(log);
    return *copy_;
  }

 private:
  Result<std::string> make_copy(const std::string& log) const {
    std::error_code error;
    fs::create_directories(path_, error);
    if (!error) fs::copy(log, path_ + "/log", fs::copy_options::recursive, error);
    if (error) return fail(ErrorKind::trouble, kFailed, "cannot copy " + log + ": " + error.message());
    return path_ + "/log";
  }

  std::string path_;
  std::optional<Result<std::string>> copy_;
};

/// Positions at which records of a write-ahead log have the type of a recycled one. Luzia never recycles
/// logs, so only damage causes this. RocksDB 7.8 reads such a record in an endless loop if it is told to skip
/// damage. The format: https://github.com/facebook/rocksdb/wiki/Write-Ahead-Log-File-Format
std::vector<std::size_t> recycled_types_in(std::string_view wal) {
  constexpr std::size_t kBlock = 32'768, kHeader = 7, kLength = 4, kType = 6;
  constexpr std::uint8_t kFirstRecycled = 5, kLastRecycled = 8;
  const auto byte = [wal](std::size_t at) { return static_cast<std::uint8_t>(wal[at]); };
  std::vector<std::size_t> found;
  for (std::size_t block = 0; block < wal.size(); block += kBlock) {
    const std::size_t end = std::min(wal.size(), block + kBlock);
    std::size_t at = block;
    while (at + kHeader <= end) {
      const std::uint8_t type = byte(at + kType);
      if (type >= kFirstRecycled && type <= kLastRecycled) found.push_back(at + kType);
      at += kHeader + byte(at + kLength) + byte(at + kLength + 1) * 256U;
    }
  }
  return found;
}

/// Whether there are such records. `spoil`: changes them into records that RocksDB skips.
Result<bool> find_recycled_types(const std::string& log, bool spoil) {
  bool found = false;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(log, error)) {
    if (entry.path().extension() != ".log") continue;
    std::fstream file(entry.path(), std::ios::binary | std::ios::in | (spoil ? std::ios::out : std::ios::in));
    const std::string wal((std::istreambuf_iterator<char>(file)), {});
    const auto types = recycled_types_in(wal);
    found |= !types.empty();
    file.clear();
    for (const std::size_t at : types) {
      if (spoil) file.seekp(static_cast<std::streamoff>(at)).put('\xff');
    }
    file.close();
    if (file.fail())
      return fail(ErrorKind::trouble, kFailed, "cannot read or change " + entry.path().string());
  }
  if (error) return fail(ErrorKind::trouble, kFailed, "cannot list " + log + ": " + error.message());
  return found;
}

/// The log itself, or a copy of it that RocksDB can read to its end.
Result<std::string> readable(const std::string& log, WorkFolder& work) {
  const auto found = LUZIA_TRY(find_recycled_types(log, false));
  if (!found) return log;
  auto copy = work.copy_of(log);
  if (!copy) return copy;
  LUZIA_TRY(find_recycled_types(*copy, true));
  return copy;
}

using OpenedLog = Result<std::unique_ptr<RocksLogDb>>;

/// Opens the log by the database's own index.
OpenedLog open_as_it_is(const std::string& log, rocksdb::Env* env, WorkFolder& work) {
  const auto there = RocksLogDb::exists(log, env);
  if (!there || !*there) return fail(ErrorKind::trouble, kFailed, "the index of " + log + " is gone");
  const auto source = LUZIA_TRY(readable(log, work));
  return RocksLogDb::open(source, OpenMode::read_only, env, Tables::opened, Recovery::skip_damage);
}

/// Opens a copy of the log by an index rebuilt from all of its files.
OpenedLog open_rebuilt(const std::string& log, rocksdb::Env* env, WorkFolder& work) {
  LUZIA_TRY(readable(log, work));
  const auto copy = LUZIA_TRY(work.copy_of(log));
  LUZIA_TRY(RocksLogDb::rebuild_index(copy, env));
  return RocksLogDb::open(copy, OpenMode::read_only, env, Tables::opened, Recovery::skip_damage);
}

std::optional<Position> acknowledged_in(const std::string& store, rocksdb::Env* env) {
  const auto slots = RocksWatermark::read(*env->GetFileSystem(), store);
  if (!slots || !*slots) return std::nullopt;
  const auto newest = (*slots)->newest();
  if (!newest) return std::nullopt;
  return newest->position;
}

Status copy_from(const RocksLogDb& db, const std::string& target, rocksdb::Env* env, SalvageReport& report) {
  auto copy = LUZIA_TRY(NewStore::create(target, env, kFailed, "cannot write the copy to " + target));
  Salvage salvage(db, &copy, report);
  LUZIA_TRY(salvage.copy());
  salvage.look_behind(std::max(report.acknowledged.value_or(0), db.last_known_position()));
  return copy.finish(report.copied);
}

/// Whether the log behind this index proves more than `report`.
bool proves_more(const RocksLogDb& db, const SalvageReport& report) {
  SalvageReport other;
  if (!Salvage(db, nullptr, other).copy()) return false;
  if (other.copied.position != report.copied.position) return other.copied.position > report.copied.position;
  return other.lost_texts.size() < report.lost_texts.size();
}

Status empty_folder(const std::string& folder) {
  std::error_code error;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    fs::remove_all(at->path(), error);
  }
  if (error) return fail(ErrorKind::trouble, kFailed, "cannot empty " + folder + ": " + error.message());
  return {};
}

/// Copies what the database's own index leads to. nullopt: that index is unusable.
Result<std::optional<SalvageReport>> copy_by_index(const std::string& log, const std::string& target,
                                                   rocksdb::Env* env, SalvageReport report,
                                                   WorkFolder& work) {
  const auto db = open_as_it_is(log, env, work);
  if (!db) return std::nullopt;
  LUZIA_TRY(copy_from(**db, target, env, report));
  return report;
}

/// An index that lost its end opens without error but does not know the latest files. So if something is
/// missing, all files are read as well. This needs the space of the store's files twice. If there is not
/// enough, the result is what the index led to, and the report says why.
Result<SalvageReport> copy_most(const std::string& log, const std::string& target, rocksdb::Env* env,
                                const SalvageReport& begun) {
  // Checked before a damaged log is copied, which may take long and much space.
  LUZIA_TRY(NewStore::check(target, env));
  WorkFolder work(target + ".work");
  LUZIA_TRY(work.check_free());
  auto first = LUZIA_TRY(copy_by_index(log, target, env, begun, work));
  if (first && first->complete()) return std::move(*first);
  auto rebuilt = open_rebuilt(log, env, work);
  if (!rebuilt && !first) return tl::unexpected(rebuilt.error());
  if (!rebuilt) {
    first->rebuild_fault = rebuilt.error().message;
    return std::move(*first);
  }
  if (first && !proves_more(**rebuilt, *first)) return std::move(*first);
  if (first) {
    LUZIA_TRY(empty_folder(target));
  }
  SalvageReport report = begun;
  report.index_rebuilt = true;
  const Status copied = copy_from(**rebuilt, target, env, report);
  if (copied) return report;
  if (!first) return tl::unexpected(copied.error());
  // The first copy had room and is removed, so there is room again.
  rebuilt->reset();
  LUZIA_TRY(work.clear());
  LUZIA_TRY(empty_folder(target));
  auto again = LUZIA_TRY(copy_by_index(log, target, env, begun, work));
  if (!again) return tl::unexpected(copied.error());
  again->rebuild_fault = copied.error().message;
  return std::move(*again);
}

Status verify_copy(const std::string& target, rocksdb::Env* env, const SalvageReport& report) {
  auto opened = LUZIA_TRY(open_rocks_event_log(target, {.create = false, .env = env}));
  const auto verified = LUZIA_TRY(verify_chain(*opened));
  if (verified.tip == report.copied) return {};
  return fail(ErrorKind::trouble, kFailed, "the copy in " + target + " is not what was written to it",
              "check that disk");
}

}  // namespace

Result<SalvageReport> salvage_log(const std::string& store, const std::string& target, rocksdb::Env* env) {
  if (env == nullptr) env = rocksdb::Env::Default();
  if (!env->FileExists(store + "/log").ok())
    return fail(ErrorKind::trouble, "no_store", "there is no log at " + store,
                "name another store (--store)");
  const auto lock = LUZIA_TRY(StoreLock::acquire(store));
  SalvageReport begun;
  begun.acknowledged = acknowledged_in(store, env);
  auto report = copy_most(store + "/log", target, env, begun);
  if (!report) return report;
  LUZIA_TRY(verify_copy(target, env, *report));
  return report;
}

}  // namespace luzia
