#include "tools/luzia/look/watch_output.h"

#include <algorithm>

#include "engine/base/try.h"
#include "engine/event/event.h"
#include "projections/rows/harmless.h"

namespace luzia {
namespace {

constexpr std::int64_t kFirstLines = 10;  // as tail -f

bool waits_its_turn(const view::Job& job) {
  return job.state() == schema::JobState::queued || job.state() == schema::JobState::parked;
}

}  // namespace

Status WatchedOutput::follow(Client& client, const std::vector<const view::Job*>& jobs) {
  for (const view::Job* job : jobs) {
    const std::string id(luzia::text(job->id()));
    Followed& followed = jobs_[id];
    const std::uint32_t attempt = waits_its_turn(*job) ? job->attempts() + 1 : job->attempt();
    if (followed.whole && attempt > followed.attempt) LUZIA_TRY(begin(*job, followed, attempt));
    if (!followed.whole && followed.request == 0) LUZIA_TRY(send(client, id, followed));
  }
  return {};
}

Status WatchedOutput::begin(const view::Job& job, Followed& followed, std::uint32_t attempt) {
  const std::string prefix = named_ ? std::string(luzia::text(job.id())) + " | " : std::string();
  auto stream = LUZIA_TRY(OutputStream::make(
      options_, [this, prefix](std::string_view line) { text_.append(prefix).append(line); }));
  // Output of shell commands is never converted, even if it looks like an agent's JSON.
  if (luzia::text(job.agent()) != "shell") stream.make_readable();
  const bool runs_already = followed.attempt == 0 && !waits_its_turn(job);
  followed.attempt = attempt;
  followed.offset = 0;
  followed.last_lines = runs_already ? kFirstLines : -1;
  followed.request = 0;
  followed.whole = false;
  followed.stream.reset();
  followed.stream.emplace(std::move(stream));
  return {};
}

Status WatchedOutput::send(Client& client, const std::string& job, Followed& followed) {
  wire::TailT tail;
  tail.job = job;
  tail.attempt = followed.attempt;
  tail.offset = followed.offset;
  tail.last_lines = followed.last_lines;
  tail.live = true;
  followed.request = LUZIA_TRY(client.send(request_of(std::move(tail))));
  return {};
}

void WatchedOutput::forget_requests() {
  for (auto& [id, followed] : jobs_) followed.request = 0;
}

void WatchedOutput::end(Followed& followed) {
  followed.stream->finish();
  followed.whole = true;
}

bool WatchedOutput::take(const wire::ServerFrame& frame) {
  const auto found = std::ranges::find_if(jobs_, [&](const auto& entry) {
    return !entry.second.whole && entry.second.request != 0 && entry.second.request == frame.id();
  });
  if (found == jobs_.end()) return false;
  Followed& followed = found->second;
  if (const auto* refused = frame.reply_as_Refused()) {
    // Without its output a job can still be watched. The job may also have ended before its next attempt
    // began.
    end(followed);
    if (luzia::text(refused->code()) != "no_such_attempt") {
      text_ +=
          "(no output: " + make_harmless(luzia::text(refused->message()), {.unicode = options_.unicode}) +
          ")\n";
    }
    return true;
  }
  const auto* piece = frame.reply_as_Output();
  if (piece == nullptr) return true;
  if (const std::string_view note = luzia::text(piece->note()); !note.empty()) {
    followed.stream->begin_anew();
    text_ += "(" + make_harmless(note, {.unicode = options_.unicode}) + ")\n";
  }
  if (piece->data() != nullptr && piece->data()->size() > 0) {
    followed.stream->add(piece->offset(), as_text({piece->data()->data(), piece->data()->size()}));
    followed.offset = piece->offset() + piece->data()->size();
    followed.last_lines = -1;
  }
  if (piece->last()) end(followed);
  return true;
}

bool WatchedOutput::is_whole() const {
  return std::ranges::all_of(jobs_, [](const auto& entry) { return entry.second.whole; });
}

}  // namespace luzia
