#include "tools/luziad/upkeep/keep_rules.h"

#include <sys/stat.h>

#include <algorithm>

#include "adapters/config/byte_size.h"
#include "adapters/job_dir/remove_dir.h"
#include "adapters/job_dir/room_taken.h"
#include "engine/base/cancelled.h"
#include "engine/event/job_state.h"
#include "engine/job/job_removal.h"
#include "projections/jobs.h"
#include "projections/live_jobs.h"
#include "projections/rows/json_writer.h"
#include "projections/stream_events.h"
#include "projections/streams.h"
#include "tools/luziad/upkeep/removal_texts.h"
#include "tools/luziad/upkeep/removals.h"

namespace luzia {
namespace {

constexpr KeepRule kAllRules[] = {KeepRule::outputs, KeepRule::job_dirs, KeepRule::size, KeepRule::jobs,
                                  KeepRule::texts};

std::uint64_t age_of(const KeepConfig& keep, KeepRule rule) {
  switch (rule) {
    case KeepRule::outputs:
      return keep.outputs_ms;
    case KeepRule::job_dirs:
      return keep.job_dirs_ms;
    case KeepRule::size:
      return 0;
    case KeepRule::jobs:
      return keep.jobs_ms;
    case KeepRule::texts:
      return keep.texts_ms;
  }
  return 0;
}

bool is_there(const std::string& path) {
  struct stat status {};
  return !path.empty() && ::lstat(path.c_str(), &status) == 0;
}

/// Whether the directory is there, or is left from an interrupted removal (remove_dir.h).
bool has_left(const std::string& dir, const std::string& job) {
  return is_there(dir) || is_there(dir.substr(0, dir.size() - job.size()) + ".removing-" + job);
}

bool may_expire(const view::Job& job) {
  if (!is_terminal(job.state()) || job.ended_us() == 0) return false;
  return job.tags() == nullptr || std::ranges::none_of(*job.tags(), [](const flatbuffers::String* tag) {
           return tag->string_view() == kKeepTag;
         });
}

/// The strongest rule of age that applies; nullopt: none, or it was looked at before.
std::optional<KeepRule> rule_of_age(const KeepConfig& keep, const view::Job& job, TimeUs now,
                                    const KeptUntil& kept_until) {
  for (const KeepRule rule : {KeepRule::texts, KeepRule::jobs, KeepRule::job_dirs, KeepRule::outputs}) {
    if (job.ended_us() > due_until(keep, rule, now)) continue;
    if (rule != KeepRule::texts && job.removed_us() != 0) return std::nullopt;
    const bool looked_at = job.ended_us() <= kept_until[static_cast<std::size_t>(rule)];
    return looked_at ? std::nullopt : std::optional(rule);
  }
  return std::nullopt;
}

/// Whether the log says that the output of its last attempt expired, so that only the files are left.
Result<bool> output_is_recorded(const ViewReader& rows, const EventLog& log, const std::string& job) {
  bool recorded = false;
  LUZIA_TRY(visit_events(log, stream_positions(rows, "job/" + job), [&](const schema::Event& event, Bytes) {
    const auto* its = event.payload_as_JobEvent();
    if (its != nullptr && its->fact_as_JobEnded() != nullptr) recorded = false;
    const auto* system = event.payload_as_SystemEvent();
    const auto* expired = system != nullptr ? system->fact_as_FilesExpired() : nullptr;
    if (expired != nullptr && expired->files() == schema::KeptFiles::output) recorded = true;
    return true;
  }));
  return recorded;
}

/// One job that a rule applies to.
class ExpiryOfJob {
 public:
  ExpiryOfJob(const ViewReader& rows, const EventLog& log, const view::Job& row, KeepRule rule)
      : rows_(rows), log_(log), row_(row) {
    item_.rule = rule;
    item_.job = row.id()->str();
  }

  /// nullopt: nothing of it is left to take, or not now (`left`).
  Result<std::optional<Expiring>> look(bool& left) {
    const auto state = find_job_state(rows_, item_.job);
    LUZIA_TRY(rows_.status());
    if (!state || !state->spec || is_foreign(*state)) return std::nullopt;
    item_.dir = std::string(text(row_.dir()));
    item_.uid = state->spec->uid;
    item_.version = state->version;
    const bool ours = !is_foreign(*state) && item_.dir.ends_with("/" + item_.job);
    if (item_.rule == KeepRule::outputs) return ours ? look_at_outputs() : std::nullopt;
    if (is_there(std::string(text(row_.worktree())))) {
      left = true;
      return std::nullopt;
    }
    if (ours) item_.bytes = measure_job_dir(item_.dir).bytes;
    if (item_.rule == KeepRule::texts) return look_at_texts(*state);
    if (item_.rule == KeepRule::jobs) return std::move(item_);
    if (!ours || !has_left(item_.dir, item_.job)) return std::nullopt;
    item_.recorded = state->spec->job_dir == kExpiredJobDir;
    return std::move(item_);
  }

 private:
  Result<std::optional<Expiring>> look_at_outputs() {
    item_.outputs = outputs_of(item_.dir, item_.uid, row_.attempts());
    if (item_.outputs.empty()) return std::nullopt;
    for (const OutputFile& file : item_.outputs) item_.bytes += file.bytes;
    item_.recorded = LUZIA_TRY(output_is_recorded(rows_, log_, item_.job));
    return std::move(item_);
  }

  Result<std::optional<Expiring>> look_at_texts(const JobState& state) {
    auto texts = LUZIA_TRY(texts_of_job(rows_, log_, state));
    // Removal goes on with the rest by itself.
    if (is_purged(state)) return std::nullopt;
    item_.bytes += texts.left_bytes;
    item_.texts = std::move(texts.left);
    if (item_.texts.size() > kMostTextsAtOnce) item_.texts.resize(kMostTextsAtOnce);
    return std::move(item_);
  }

  const ViewReader& rows_;
  const EventLog& log_;
  const view::Job& row_;
  Expiring item_;
};

/// Visits ended jobs with ids after `from`, until `visit` returns false.
Status visit_ended(const ViewReader& rows, const std::string& from, const std::stop_token& stop,
                   const std::function<bool(const view::Job&)>& visit) {
  const std::string begin = row_key(kJobsView, from.empty() ? from : from + '\0');
  rows.scan(begin, row_end(kJobsView), [&](std::string_view, std::string_view value) {
    const StoredRow<view::Job> job(value);
    return !stop.stop_requested() && (!may_expire(*job) || visit(*job));
  });
  if (stop.stop_requested()) return cancelled("looking for what [keep] lets go");
  return rows.status();
}

struct Sized {
  TimeUs ended;
  std::uint64_t bytes;
  std::string job;
};

}  // namespace

TimeUs due_until(const KeepConfig& keep, KeepRule rule, TimeUs now) {
  const std::uint64_t age_ms = age_of(keep, rule);
  const bool none = age_ms == 0 || now <= 0 || age_ms > static_cast<std::uint64_t>(now / kMillisecondUs);
  return none ? 0 : now - static_cast<TimeUs>(age_ms) * kMillisecondUs;
}

std::string rule_words(const KeepConfig& keep, KeepRule rule) {
  constexpr std::string_view kNames[] = {"outputs", "job_dirs", "size", "jobs", "texts"};
  const std::string name(kNames[static_cast<std::size_t>(rule)]);
  if (rule == KeepRule::size) return keep.size == 0 ? "" : name + " = " + bytes_text(keep.size);
  const std::uint64_t age_ms = age_of(keep, rule);
  constexpr std::uint64_t kDayMs = 86'400'000;
  if (age_ms == 0) return {};
  const bool whole = age_ms % kDayMs == 0;
  return name + " = " +
         (whole ? std::to_string(age_ms / kDayMs) + "d"
                : format_duration(static_cast<TimeUs>(age_ms) * kMillisecondUs));
}

Result<KeepLook> look_for_expired(const ViewReader& rows, const EventLog& log, const KeepConfig& keep,
                                  TimeUs now, const KeptUntil& kept_until, const std::string& from,
                                  std::size_t most, const std::stop_token& stop) {
  KeepLook look;
  Status failed;
  const Status read = visit_ended(rows, from, stop, [&](const view::Job& job) {
    const auto rule = rule_of_age(keep, job, now, kept_until);
    if (!rule) return true;
    auto item = ExpiryOfJob(rows, log, job, *rule).look(look.left);
    if (!item) failed = tl::unexpected(item.error());
    if (!item) return false;
    if (*item) look.due.push_back(std::move(**item));
    if (look.due.size() < most) return true;
    look.next = job.id()->str();
    return false;
  });
  LUZIA_TRY(read);
  LUZIA_TRY(failed);
  return look;
}

Result<KeepLook> look_over_size(const ViewReader& rows, const EventLog& log, const KeepConfig& keep,
                                std::size_t most, const std::set<std::string>& tried,
                                const std::stop_token& stop) {
  KeepLook look;
  std::vector<Sized> all;
  std::uint64_t total = 0;
  LUZIA_TRY(visit_ended(rows, "", stop, [&](const view::Job& job) {
    const std::string dir(text(job.dir()));
    const bool ours = job.removed_us() == 0 && dir.ends_with("/" + job.id()->str());
    const std::uint64_t bytes = ours ? room_taken(dir) : 0;
    total += bytes;
    if (bytes > 0) all.push_back({job.ended_us(), bytes, job.id()->str()});
    return true;
  }));
  if (total <= keep.size) return look;
  std::ranges::sort(all, {}, [](const Sized& each) { return std::pair(each.ended, each.job); });
  for (const Sized& each : all) {
    if (total <= keep.size || look.due.size() >= most) break;
    const auto row = tried.contains(each.job) ? std::nullopt : find_job_row(rows, each.job);
    if (!row) continue;
    flatbuffers::FlatBufferBuilder builder;
    builder.Finish(view::Job::Pack(builder, &*row));
    const auto& job = *flatbuffers::GetRoot<view::Job>(builder.GetBufferPointer());
    auto item = LUZIA_TRY(ExpiryOfJob(rows, log, job, KeepRule::size).look(look.left));
    if (!item) continue;
    item->bytes = each.bytes;
    total -= std::min(total, each.bytes);
    look.due.push_back(std::move(*item));
  }
  return look;
}

Result<std::string> preview_of_keep(const ViewReader& rows, const EventLog& log, const KeepConfig& keep,
                                    TimeUs now, const std::stop_token& stop) {
  if (keep.keeps_all()) return "[]";
  constexpr std::size_t kMostAtOnce = 1'000;
  std::array<std::uint64_t, kKeepRules> jobs{}, bytes{};
  const auto add = [&](const KeepLook& look) {
    for (const Expiring& item : look.due) {
      ++jobs[static_cast<std::size_t>(item.rule)];
      bytes[static_cast<std::size_t>(item.rule)] += item.bytes;
    }
  };
  std::string from;
  do {
    const auto look = LUZIA_TRY(look_for_expired(rows, log, keep, now, {}, from, kMostAtOnce, stop));
    add(look);
    from = look.next;
  } while (!from.empty());
  if (keep.size != 0) {
    const auto over_size = LUZIA_TRY(look_over_size(rows, log, keep, ~std::size_t{0}, {}, stop));
    add(over_size);
  }
  std::string out;
  JsonWriter json(out);
  json.begin_array();
  for (const KeepRule rule : kAllRules) {
    const std::string words = rule_words(keep, rule);
    if (words.empty()) continue;
    json.begin_object();
    json.key("rule");
    json.text(words);
    json.key("jobs");
    json.number(jobs[static_cast<std::size_t>(rule)]);
    json.key("bytes");
    json.number(bytes[static_cast<std::size_t>(rule)]);
    json.end_object();
  }
  json.end_array();
  return out;
}

Status take_files(const Expiring& expiring, const std::string& rule, const std::stop_token& stop) {
  switch (expiring.rule) {
    case KeepRule::outputs:
      for (const OutputFile& file : expiring.outputs) {
        LUZIA_TRY(expire_output(expiring.dir, expiring.uid, file, rule));
      }
      return {};
    case KeepRule::job_dirs:
    case KeepRule::size:
      return remove_job_dir(expiring.dir, stop);
    case KeepRule::jobs:
    case KeepRule::texts:
      return {};  // the removal's own work (RemovalWork)
  }
  return {};
}

JobCommand command_of(const Expiring& expiring, const std::string& rule) {
  switch (expiring.rule) {
    case KeepRule::outputs:
      return ExpireFiles{schema::KeptFiles::output, rule, expiring.bytes};
    case KeepRule::job_dirs:
    case KeepRule::size:
      return ExpireFiles{schema::KeptFiles::directory, rule, expiring.bytes};
    case KeepRule::jobs:
    case KeepRule::texts:
      break;
  }
  return RemoveJob{expiring.rule == KeepRule::texts, "[keep] " + rule, expiring.texts, expiring.version};
}

}  // namespace luzia
