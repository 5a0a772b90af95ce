#include "tools/luziad/attempts/launches.h"

#include <spdlog/spdlog.h>
#include <unistd.h>

#include <utility>

#include "engine/base/failpoint.h"
#include "engine/job/job_rerouting.h"
#include "tools/luziad/attempts/launch_work.h"

namespace luzia {
namespace {

constexpr std::size_t kMostSpent = 16;

/// A temporary shortage on the machine is no fact about the job.
bool may_work_later(const Error& error) {
  return error.code == "out_of_resources" || error.code == "run_file_unreadable";
}

}  // namespace

void Launches::begin(const JobState& job) {
  launch(std::make_shared<JobState>(job));
}

void Launches::launch(const std::shared_ptr<JobState>& state) {
  failpoint("launch.begin");
  if (!gets_template(*state) || !setting_.prompt) return launch_with(state, {});
  setting_.prompt(*state, [this, closed = attempts_.closed, state](PromptBuild build) {
    if (!*closed) launch_with(state, std::move(build));
  });
}

LaunchPlaces Launches::places_of(const JobState& job, PromptBuild build) {
  const bool is_other = job.spec->uid != ::geteuid() && !setting_.attempts_socket.empty();
  LaunchPlaces places{attempts_.run_dir, is_other ? setting_.attempts_socket : setting_.socket_path,
                      setting_.open_files, std::nullopt, setting_.client_program};
  if (setting_.credential) places.credential = setting_.credential(job.job, job.attempt);
  if (!spent_.empty()) {
    places.spent = std::move(spent_.back());
    spent_.pop_back();
  }
  places.limits = setting_.limits;
  if (job.spec->sandbox) {
    places.sandbox = {setting_.sandbox_door,
                      setting_.own_places ? setting_.own_places(job.spec->home) : std::vector<std::string>(),
                      setting_.client_program};
  }
  places.cgroups = setting_.cgroups;
  places.env_key = setting_.env_key;
  places.secrets = setting_.secrets;
  places.line_buffered = setting_.line_buffered && setting_.line_buffered(job.spec->agent);
  places.build_prompt = std::move(build);
  places.prompt_record = std::make_shared<schema::PromptBuiltT>();
  return places;
}

void Launches::launch_with(const std::shared_ptr<JobState>& state, PromptBuild build) {
  auto result = std::make_shared<Result<Claim>>(tl::unexpected(Error{}));
  const LaunchPlaces places = places_of(*state, std::move(build));
  const bool is_slow = setting_.secrets != nullptr && has_secrets(*state) &&
                       runs_programs_for_secrets(spec_with_all_secrets(*state));
  auto begin = [this, closed = attempts_.closed, state, result, places, is_slow] {
    attempts_.workers.run([launcher = launcher_, &log = log_, state, result,
                           places] { *result = prepare_and_launch(launcher, log, *state, places); },
                          [this, closed, state, result, record = places.prompt_record, is_slow] {
                            if (*closed) return;
                            if (is_slow) slow_.over();
                            if (*result && !record->template_.empty())
                              attempts_.report(state->job, NotePrompt{std::move(*record)});
                            done(state, *result);
                          });
  };
  if (!is_slow) return begin();
  slow_.take([] { return true; }, std::move(begin));
}

void Launches::done(const std::shared_ptr<JobState>& state, const Result<Claim>& claim) {
  failpoint("launch.done");
  const JobState& job = *state;
  if (claim) {
    short_of_resources_.erase(job.job);
    return launched_(job, *claim);
  }
  const Error& why = claim.error();
  const auto again = [this, state] { launch(state); };
  if (may_work_later(why) && !signals_.is_stop_awaited(job.job, job.attempt)) {
    if (short_of_resources_.insert(job.job).second) {
      spdlog::warn("job {}: cannot start attempt {} yet: {}; trying again until it works ({})", job.job,
                   job.attempt, why.message, why.hint);
    }
    return attempts_.later->run(again);
  }
  short_of_resources_.erase(job.job);
  spdlog::warn("job {}: cannot start attempt {}: {}", job.job, job.attempt, why.message);
  // luzia-run may have written its claim: then the claim decides.
  const auto written = read_claim(attempts_.run_dir, job.job, job.attempt);
  if (written && *written) return launched_(job, **written);
  const bool unread = !written && written.error().code != "claim_unreadable";
  // It may still start; launching again cannot run it twice.
  if (unread || why.code == "launch_unconfirmed") return attempts_.later->run(again);
  schema::AttemptEndedT end = ended_without_record(job.attempt);
  end.start_error = why.hint.empty() ? why.message : why.message + "; " + why.hint;
  RecordExit exit{std::move(end), std::nullopt};
  exit.no_secret = why.code == kSecretUnavailable;
  attempts_.report(job.job, std::move(exit));
}

bool Launches::reuse(SpentAttempt spent) {
  if (spent_.size() >= kMostSpent) return false;
  spent_.push_back(std::move(spent));
  return true;
}

}  // namespace luzia
