#include "tools/luziad/queries/tails.h"

#include <algorithm>
#include <utility>

#include "engine/base/ids.h"
#include "engine/job/job_rerouting.h"
#include "projections/jobs.h"
#include "projections/live_jobs.h"
#include "projections/query.h"
#include "projections/rows/names.h"
#include "projections/rows/row_bytes.h"
#include "tools/luziad/watching/tracked_log.h"

namespace luzia {
namespace {

constexpr std::size_t kChunkBytes = 256 * 1024;
/// Of one search. The client asks again from where it ended.
constexpr TimeUs kMostSearchUs = 100'000;
/// Of one worker, without coming back to the loop with what was found.
constexpr std::size_t kMostInARow = 16;
constexpr TimeUs kMostInARowUs = 2'000;
constexpr TimeUs kOwnerIsKnownUs = 1'000'000;
constexpr std::uint32_t kMostFoundLines = 1'000;
constexpr const char* kBeganAnew = "output.log has started over: it was cut off or replaced";

}  // namespace

Status Tails::add(const RequestId& to, const Caller& caller, const wire::Tail& request) {
  Tailing tailing;
  tailing.caller = caller;
  tailing.attempt = request.attempt();
  tailing.offset = request.offset();
  tailing.last_lines = request.last_lines();
  tailing.live = request.live();
  tailing.until = request.live() ? 0 : request.until();
  if (request.find() != nullptr) {
    tailing.live = false;
    tailing.words = {
        std::string(text(request.find())),          request.offset(),    request.until(), request.backward(),
        std::min(request.limit(), kMostFoundLines), request.expression()};
  }
  auto shared = std::make_shared<Tailing>(std::move(tailing));
  return queries_.when_current(to, [this, to, name = std::string(text(request.job())), shared]() -> Status {
    const auto rows = store_.views.snapshot();
    const auto may_see = project_filter(desk_.config, shared->caller);
    // A search names each of many jobs by its id. To unpack their rows would take as long as some searches.
    auto job = is_job_id(name) ? read_row<view::Job>(*rows, kJobsView, name) : std::nullopt;
    if (!job || (may_see && !may_see(text((*job)->project())))) {
      const std::string id = LUZIA_TRY(resolve_job(*rows, name, may_see));
      const auto found = LUZIA_TRY(find_job(*rows, store_.log, id, 0));
      job = StoredRow<view::Job>(row_bytes(found));
    }
    return begin(to, **job, *rows, std::move(*shared));
  });
}

Status Tails::begin(const RequestId& to, const view::Job& job, const ViewReader& rows, Tailing tailing) {
  tailing.job = text(job.id());
  tailing.project = text(job.project());
  const auto row = find_state_row(rows, tailing.job, is_terminal(job.state()));
  if (job.tracked() && (text(job.log()).empty() || !row || (*row)->spec() == nullptr)) {
    return fail(ErrorKind::not_found, "no_output",
                "job " + tailing.job + " has no output here: Luzia did not start it",
                "luzia why " + tailing.job + " shows what was published about it");
  }
  const bool between = job.state() == schema::JobState::queued || job.state() == schema::JobState::parked;
  // Following a waiting job shows its next attempt.
  const bool to_come =
      between && tailing.live && (tailing.attempt == 0 || tailing.attempt == job.attempts() + 1);
  if (to_come) tailing.attempt = job.attempts() + 1;
  if (tailing.attempt > job.attempts() && !to_come) {
    return fail(ErrorKind::not_found, "no_such_attempt",
                "job " + tailing.job + " has no attempt " + std::to_string(tailing.attempt) +
                    " (it has had " + std::to_string(job.attempts()) + ")");
  }
  if (job.files_gone_us() != 0 && !to_come) {
    return fail(ErrorKind::not_found, "output_removed",
                "the output of job " + tailing.job +
                    " is gone: " + files_gone_text(job.files_gone_us(), text(job.files_gone_rule())),
                "luzia why " + tailing.job + " shows what is known of it");
  }
  const bool earlier = tailing.attempt != 0 && tailing.attempt < job.attempts();
  if (tailing.attempt == 0) tailing.attempt = job.attempts();
  tailing.dir = text(job.dir());
  if (earlier) tailing.dir += "/attempt-" + std::to_string(tailing.attempt);
  tailing.user = text(job.user());
  if (row && (job.tracked() || may_have_secrets(**row))) {
    const JobState state = row->native();
    if (state.spec) note_secrets(tailing, state);
    if (job.tracked()) tailing.foreign = tracked_log(std::string(text(job.log())), *state.spec);
  }
  tailing.earlier = earlier;
  if (earlier) {
    tailing.live = false;
  } else if (!to_come && (between || job.attempt() > job.attempts())) {
    // To be retried but not started: the row no longer has the size, but the files are still in place.
    tailing.live = false;
    tailing.earlier = true;
  } else if (is_terminal(job.state())) {
    tailing.live = false;
    tailing.end = job.output_bytes();
  }
  if (job.tracked()) {
    tailing.first = job.log_from();
    settle_log(tailing);
  }
  LUZIA_TRY(may_subscribe(desk_, to, tails_));
  if (tailing.words) {
    find(to, std::move(tailing));
  } else {
    tails_.emplace(to, std::move(tailing));
    read(to);
  }
  return {};
}

/// What stays here says whose search it is: the worker has the rest.
void Tails::find(const RequestId& to, Tailing tailing) {
  Tailing& kept = tails_[to];
  kept.caller = tailing.caller;
  kept.job = tailing.job;
  kept.project = tailing.project;
  kept.reading = true;
  if (tailing.secretive) return find_slowly(to, std::move(tailing));
  waiting_.push_back({to, std::move(tailing)});
  begin_searches();
}

/// It may wait for programs, meanwhile others are searched.
void Tails::find_slowly(const RequestId& to, Tailing tailing) {
  auto searches = std::make_shared<Searches>();
  searches->all.push_back({to, std::move(tailing)});
  auto begin = [this, searches] {
    take_ready(*searches);
    workers_.run([this, searches] { search_all(*searches); },
                 [this, searches] {
                   slow_.over();
                   keep_ready(*searches);
                   take_found(searches->all.front());
                 });
  };
  slow_.take([this, to] { return tails_.contains(to); }, std::move(begin));
}

void Tails::begin_searches() {
  while (searching_ < most_searches_) {
    auto searches = std::make_shared<Searches>(next_searches());
    if (searches->all.empty()) return;
    ++searching_;
    workers_.run([this, searches] { search_all(*searches); },
                 [this, searches] {
                   --searching_;
                   keep_ready(*searches);
                   auto& all = searches->all;
                   while (!all.empty() && !all.back().over) {
                     waiting_.push_front(std::move(all.back()));
                     all.pop_back();
                   }
                   begin_searches();
                   for (const Search& each : all) take_found(each);
                 });
  }
}

/// Several for one worker, all for the same words: to search a short output takes less time than to give it
/// to a worker.
Tails::Searches Tails::next_searches() {
  Searches next;
  const std::size_t most = std::clamp<std::size_t>(waiting_.size() / most_searches_, 1, kMostInARow);
  while (!waiting_.empty() && next.all.size() < most) {
    Search& first = waiting_.front();
    if (!next.all.empty()) {
      const WordQuery& words = *next.all.front().at.words;
      if (words.words != first.at.words->words || words.expression != first.at.words->expression) break;
    }
    if (tails_.contains(first.to)) next.all.push_back(std::move(first));
    waiting_.pop_front();
  }
  if (!next.all.empty()) take_ready(next);
  return next;
}

/// Takes what was made for the same words; none: it must be made.
void Tails::take_ready(Searches& searches) {
  const WordQuery& words = *searches.all.front().at.words;
  const auto ready = std::ranges::find_if(
      ready_, [&](const auto& each) { return each.first.is_for(words.words, words.expression); });
  if (ready == ready_.end()) return;
  searches.scan = std::move(ready->first);
  searches.owner = std::move(ready->second);
  ready_.erase(ready);
}

void Tails::keep_ready(Searches& searches) {
  if (searches.scan) ready_.emplace_back(std::move(*searches.scan), std::move(searches.owner));
  if (ready_.size() > most_searches_) ready_.erase(ready_.begin());
}

/// Worker threads.
void Tails::search_all(Searches& searches) const {
  TimeUs now = monotonic_now();
  const TimeUs until = now + kMostInARowUs;
  KnownOwner& known = searches.owner;
  for (Search& each : searches.all) {
    if (&each != &searches.all.front() && (now = monotonic_now()) >= until) return;
    if (!each.at.foreign) {
      const bool is_known = known.user == each.at.user && now - known.asked_us < kOwnerIsKnownUs;
      if (!is_known) known = {each.at.user, output_owner(each.at.user), now};
      each.at.owner = known.owner;
    }
    each.found = find_words(each, searches.scan);
    each.over = true;
  }
}

/// Worker threads.
Result<WordsFound> Tails::find_words(Search& search, std::optional<WordScan>& scan) const {
  search.size = LUZIA_TRY(open_to_end(search.at));
  WordQuery query = *search.at.words;
  if (!scan) scan = LUZIA_TRY(WordScan::of(query.words, query.expression));
  const std::uint64_t first = search.at.generation.value_or(0) == 0 ? search.at.first : 0;
  if (!query.backward) query.from = std::max(query.from, first);
  const TimeUs until = monotonic_now() + kMostSearchUs;
  auto found = LUZIA_TRY(scan->find(
      [&](std::uint64_t offset, std::span<char> into) { return search.at.reader->read(offset, into); }, query,
      search.size, [&] { return monotonic_now() < until; }));
  std::erase_if(found.lines, [&](const WordLine& line) { return line.offset < first; });
  found.over = found.over || (query.backward && found.reached <= first);
  return found;
}

void Tails::take_found(const Search& search) {
  if (tails_.erase(search.to) == 0) return;
  if (!search.found) return refuse(desk_, search.to, search.found.error());
  desk_.server.send_built(search.to.connection, [&](flatbuffers::FlatBufferBuilder& builder) {
    std::vector<flatbuffers::Offset<wire::FoundLine>> lines;
    lines.reserve(search.found->lines.size());
    for (const WordLine& line : search.found->lines) {
      const Bytes bytes = as_bytes(line.text);
      lines.push_back(wire::CreateFoundLine(builder, line.offset, line.end, line.text_from,
                                            builder.CreateVector(bytes.data(), bytes.size())));
    }
    const auto found = wire::CreateFoundWords(builder, builder.CreateVector(lines), search.found->count,
                                              search.found->reached, search.found->over, search.size);
    wire::OutputBuilder output(builder);
    output.add_last(true);
    output.add_found(found);
    return wire::CreateServerFrame(builder, search.to.request, wire::Reply::Output, output.Finish().Union());
  });
}

/// Each of the job's agents that begins an attempt may have secrets of its own.
void Tails::note_secrets(Tailing& tailing, const JobState& job) {
  if (std::exchange(tailing.secrets_of, job.routes_run) == job.routes_run || !has_secrets(job)) return;
  tailing.secretive = std::make_shared<const schema::JobSpecT>(spec_with_all_secrets(job));
}

/// If the attempt has ended since, its recorded size is the end and nothing more will come.
void Tails::settle_end(Tailing& tailing) {
  if (tailing.foreign) return settle_log(tailing);
  const JobState* job = desk_.engine.find_live(tailing.job);
  if (job == nullptr) {
    if (!settle_by_row(tailing)) return;
  } else if (job->attempt > tailing.attempt) {
    become_earlier(tailing);
  } else if (job->attempt < tailing.attempt) {
    if (!is_terminal(job->state)) return;  // has not started yet
    tailing.end = 0;
  } else if (job->state == schema::JobState::queued) {
    // To be retried: the state no longer has the size, but the files are still in place.
    tailing.earlier = true;
  } else if (job->attempt_over) {
    // Without a checkpoint, no output was ever read: there can only be the exit line.
    tailing.end = job->checkpoint ? job->checkpoint->scanned_to : 0;
    if (job->checkpoint) see_generation(tailing, job->checkpoint->generation);
  } else {
    return;
  }
  tailing.live = false;
}

/// A tracked job has no attempts: its log is its output until the job ends.
void Tails::settle_log(Tailing& tailing) {
  std::optional<JobState> ended;
  const JobState* job = desk_.engine.find_live(tailing.job);
  if (job == nullptr) {
    ended = find_job_state(*store_.views.snapshot(), tailing.job);
    job = ended ? &*ended : nullptr;
  }
  if (job != nullptr && job->checkpoint) see_generation(tailing, job->checkpoint->generation);
  if (job != nullptr && !is_terminal(job->state)) return;
  if (job != nullptr && job->checkpoint) tailing.read = *job->checkpoint;
  tailing.end = tailing.read.scanned_to;
  tailing.live = false;
}

/// False: the rows cannot be read, and the daemon is about to restart.
bool Tails::settle_by_row(Tailing& tailing) {
  const auto rows = store_.views.snapshot();
  const auto row = find_job(*rows, store_.log, tailing.job, 0);
  if (!rows->status()) return false;
  if (!row || !is_terminal(row->state)) return true;
  if (row->attempts > tailing.attempt) {
    become_earlier(tailing);
  } else {
    tailing.end = row->attempts == tailing.attempt ? row->output_bytes : 0;
    if (tailing.generation && tailing.end < tailing.offset) begin_anew(tailing);
  }
  return true;
}

/// If the file was replaced or truncated, its bytes count from its beginning.
void Tails::see_generation(Tailing& tailing, std::uint32_t generation) {
  const bool first = !tailing.generation;
  // A lower generation means that the watcher is rereading what the log does not have yet.
  if (!first && *tailing.generation >= generation) return;
  tailing.generation = generation;
  if (!first) begin_anew(tailing);
}

void Tails::begin_anew(Tailing& tailing) {
  tailing.reader.reset();
  tailing.began_anew = tailing.began_anew || tailing.offset > 0;
  tailing.offset = 0;
}

void Tails::become_earlier(Tailing& tailing) {
  tailing.earlier = true;
  tailing.dir += "/attempt-" + std::to_string(tailing.attempt);
}

/// Opens the file, and returns where its output ends. Worker threads.
Result<std::uint64_t> Tails::open_to_end(Tailing& at) const {
  if (!at.reader || !at.reader->is_open()) {
    if (!at.foreign && !at.owner) at.owner = output_owner(at.user);
    auto opened = LUZIA_TRY(at.foreign ? OutputReader::open_foreign(*at.foreign, at.read)
                                       : OutputReader::open(at.dir, *at.owner));
    at.reader = std::make_shared<OutputReader>(std::move(opened));
  }
  if (at.secretive) at.reader->black_out(LUZIA_TRY(secrets_.for_reading(at.job, *at.secretive)), at.live);
  // The recorded size may exceed the file's (the agent truncated it); then the file ends with the exit line.
  const std::uint64_t whole = at.reader->size();
  const bool exact = !at.earlier && at.end == whole;
  return exact ? at.end : std::min(at.end, at.reader->size_without_exit_line(whole));
}

/// The next bytes up to the end; none at the end. Worker threads.
Result<std::string> Tails::read_chunk(Tailing& at) const {
  const std::uint64_t end = LUZIA_TRY(open_to_end(at));
  if (at.last_lines >= 0) {
    // Count lines in the file itself: the watcher may not have read it yet.
    const std::uint64_t written =
        at.foreign ? end : std::max(end, at.reader->size_without_exit_line(at.reader->size()));
    const auto offset = at.reader->offset_of_last_lines(static_cast<std::uint64_t>(at.last_lines), written);
    at.offset = offset ? *offset : 0;
    at.last_lines = -1;
  }
  if (at.generation.value_or(0) == 0 && at.offset < at.first) {
    if (at.until != 0) at.until += at.first - at.offset;
    at.offset = at.first;
  }
  const std::uint64_t stop = at.until == 0 ? end : std::min(end, at.until);
  const std::uint64_t left = at.offset < stop ? stop - at.offset : 0;
  if (left == 0) return std::string();
  return at.reader->read(at.offset, std::min<std::uint64_t>(left, kChunkBytes));
}

/// Null until the watcher has the attempt: before that, the directory may hold the previous attempt's files.
const LiveTail* Tails::live_tail(const Tailing& tailing) const {
  const JobState* job = desk_.engine.find_live(tailing.job);
  const bool present = job != nullptr && job->attempt == tailing.attempt;
  return present ? watcher_.tail(tailing.job) : nullptr;
}

void Tails::read(const RequestId& to) {
  const auto it = tails_.find(to);
  if (it == tails_.end()) return;
  Tailing& tailing = it->second;
  if (tailing.reading) {
    tailing.again = true;
    return;
  }
  if (desk_.server.full(to.connection)) return;  // drained() continues
  if (const JobState* job = tailing.live ? desk_.engine.find_live(tailing.job) : nullptr)
    note_secrets(tailing, *job);
  if (tailing.live) settle_end(tailing);
  // While it runs, read only what the watcher has read: never the line that luzia-run appends at the end.
  std::uint64_t end = tailing.end;
  if (tailing.live) {
    const LiveTail* tail = live_tail(tailing);
    if (tail == nullptr) return;  // its files may not exist yet; look() continues
    see_generation(tailing, tail->generation);
    end = tail->bytes;
  }
  tailing.reading = true;
  tailing.again = false;
  struct Work {
    Tailing at;
    Result<std::string> bytes = std::string();
  };
  auto work = std::make_shared<Work>(Work{tailing});
  work->at.end = end;
  const bool is_slow = tailing.secretive && !tailing.live;
  auto begin = [this, to, work, is_slow] {
    workers_.run([this, work] { work->bytes = read_chunk(work->at); },
                 [this, to, work, is_slow] {
                   if (is_slow) slow_.over();
                   take_chunk(to, work->at, work->bytes);
                 });
  };
  if (!is_slow) return begin();
  slow_.take([this, to] { return tails_.contains(to); }, std::move(begin));
}

void Tails::take_chunk(const RequestId& to, const Tailing& at, const Result<std::string>& bytes) {
  const auto it = tails_.find(to);
  if (it == tails_.end()) return;
  Tailing& tailing = it->second;
  tailing.reading = false;
  tailing.reader = at.reader;
  tailing.offset = at.offset;
  tailing.until = at.until;
  tailing.last_lines = at.last_lines;
  if (!bytes) {
    tails_.erase(it);
    return refuse(desk_, to, bytes.error());
  }
  wire::OutputT reply;
  reply.offset = tailing.offset;
  reply.generation = tailing.generation.value_or(0);
  reply.data.assign(bytes->begin(), bytes->end());
  tailing.offset += bytes->size();
  const bool nothing_left = bytes->empty();
  const bool more_hinted = tailing.again;
  const bool last = nothing_left && !tailing.live && !more_hinted;
  reply.last = last;
  if (!nothing_left || last) {
    if (std::exchange(tailing.began_anew, false)) reply.note = kBeganAnew;
    send_reply(desk_, to, std::move(reply));
  }
  if (last) {
    tails_.erase(to);
  } else if (!nothing_left || more_hinted || !tailing.live) {
    read(to);
  }
}

bool Tails::watches(const std::string& job) const {
  return std::ranges::any_of(tails_,
                             [&job](const auto& each) { return each.second.live && each.second.job == job; });
}

void Tails::look(const std::string& job) {
  std::vector<RequestId> woken;
  for (const auto& [to, tailing] : tails_) {
    if (tailing.job == job && tailing.live) woken.push_back(to);
  }
  for (const RequestId& to : woken) read(to);
}

void Tails::drained(ConnectionId connection) {
  std::vector<RequestId> waiting;
  for (const auto& [to, tailing] : tails_) {
    if (to.connection == connection) waiting.push_back(to);
  }
  for (const RequestId& to : waiting) read(to);
}

void Tails::config_changed() {
  for (auto next = tails_.begin(); next != tails_.end();) {
    const auto [to, tailing] = *next;
    if (may_use(desk_.config, tailing.caller, tailing.project)) {
      ++next;
      continue;
    }
    next = tails_.erase(next);
    refuse(desk_, to, no_longer_allowed(tailing.caller, tailing.project));
  }
}

}  // namespace luzia
