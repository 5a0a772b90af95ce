#include "tools/luziad/inputs/hand_answers.h"

#include <algorithm>
#include <utility>

#include "adapters/inputs/answer_file.h"
#include "engine/base/account.h"
#include "engine/job/input_state.h"
#include "tools/luziad/base/job_warning.h"
#include "tools/luziad/base/salted_text.h"
#include "tools/luziad/inputs/prompt_commands.h"

namespace luzia {
namespace {

using Requests = std::vector<const view::InputRequestT*>;

/// Between looks if the machine could not open a file, or gives no watches.
constexpr TimeUs kWithoutHints = kSecondUs;
/// File times are a little behind the clock.
constexpr TimeUs kMostBehind = 20 * kMillisecondUs;
/// A file that has not been JSON for this long is no longer being written (as InputFiles has it).
constexpr TimeUs kUnfinished = 2 * kSecondUs;
/// Warnings about the answers to one request.
constexpr std::size_t kMostRefusals = 10;

/// The open requests of this kind that came by file.
Requests open_of_files(const JobState& job, view::InputKind kind) {
  Requests open;
  for (const auto& input : job.inputs) {
    if (is_open(*input) && input->kind == kind && input->source == "file") open.push_back(input.get());
  }
  return open;
}

bool is_asked_by_file(const JobState& job) {
  return !open_of_files(job, view::InputKind::question).empty() ||
         !open_of_files(job, view::InputKind::approval).empty();
}

bool is_meant(const HandAnswer& answer, const view::InputRequestT& request) {
  if (!answer.id.empty()) return answer.id == request.id;
  return answer.gate.empty() || answer.gate == request.gate;
}

JobCommand command_of(const HandAnswer& answer, const view::InputRequestT& request) {
  if (request.kind == view::InputKind::question)
    return AnswerQuestion{request.id, salted_text(0, answer.value)};
  return DecideApproval{request.id, answer.approve, answer.note, false};
}

}  // namespace

struct HandAnswers::Found {
  Result<std::optional<HandAnswer>> response, decision;
};

HandAnswers::HandAnswers(const Threads& threads, const Config& config, Engine& engine)
    : loop_(threads.loop),
      workers_(threads.workers),
      config_(config),
      engine_(engine),
      hint_([this](std::uint64_t watch, FileHint::About about) {
        const auto it = watches_.find(watch);
        if (it != watches_.end() && about == FileHint::About::answers) hinted(std::string(it->second));
      }) {}

void HandAnswers::job_changed(const JobState& job) {
  if (*closed_) return;
  if (is_terminal(job.state) || !is_asked_by_file(job)) return forget(job.job);
  const auto [it, is_new] = asked_.try_emplace(job.job);
  if (!is_new) return;
  const std::uint64_t watch = next_watch_++;
  watches_[watch] = job.job;
  it->second.hint = std::make_unique<FileHint>(loop_, watch, job.spec->job_dir, &hint_);
  it->second.unhinted = it->second.hint->arm() != 0;  // no watches are left
  look(job.job);
}

void HandAnswers::forget(const std::string& job) {
  const auto it = asked_.find(job);
  if (it == asked_.end()) return;
  std::erase_if(watches_, [&job](const auto& watch) { return watch.second == job; });
  FileHint::close(std::move(it->second.hint), [] {});
  const auto thens = std::move(it->second.thens);
  asked_.erase(it);
  if (*closed_) return;
  for (const auto& then : thens) then();
}

void HandAnswers::look_last(const std::string& job, std::function<void()> then) {
  const auto it = asked_.find(job);
  if (*closed_ || it == asked_.end() || engine_.find_live(job) == nullptr) return then();
  it->second.thens.push_back(std::move(then));
  look(job);
}

void HandAnswers::hinted(const std::string& job) {
  const auto it = asked_.find(job);
  if (it == asked_.end()) return;
  const TimeUs left = it->second.gap.left(monotonic_now());
  if (it->second.looking || left == 0) return look(job);
  look_later(job, left);
}

void HandAnswers::look_later(const std::string& job, TimeUs wait) {
  std::unique_ptr<Timer>& later = asked_.at(job).later;
  if (!later) later = std::make_unique<Timer>(loop_);
  if (later->running()) return;
  later->start(static_cast<std::uint64_t>(wait / kMillisecondUs) + 1, [this, job] { look(job); });
}

void HandAnswers::look(const std::string& job) {
  const auto it = asked_.find(job);
  const JobState* state = engine_.find_live(job);
  if (*closed_ || it == asked_.end() || state == nullptr) return;
  if (std::exchange(it->second.looking, true)) {
    it->second.again = true;
    return;
  }
  it->second.gap.begin(monotonic_now());
  auto found = std::make_shared<Found>();
  workers_.run(
      [found, dir = state->spec->job_dir, uid = state->spec->uid] {
        found->response = read_hand_answer(dir, kResponseFile, uid);
        found->decision = read_hand_answer(dir, kDecisionFile, uid);
      },
      [this, closed = closed_, job, found] {
        if (!*closed) looked(job, *found);
      });
}

void HandAnswers::looked(const std::string& job, const Found& found) {
  const auto it = asked_.find(job);
  if (it == asked_.end()) return;
  it->second.looking = false;
  const bool again = std::exchange(it->second.again, false);
  for (const auto& [kind, answer] : {std::pair(view::InputKind::question, &found.response),
                                     std::pair(view::InputKind::approval, &found.decision)}) {
    if (const JobState* state = engine_.find_live(job)) take(*state, kind, *answer);
  }
  if (again && engine_.find_live(job) != nullptr) return it->second.thens.empty() ? hinted(job) : look(job);
  if (it->second.unhinted) look_later(job, kWithoutHints);
  // What was submitted is decided already. The callbacks may end the watch.
  for (const auto& then : std::exchange(it->second.thens, {})) then();
}

Status HandAnswers::check_author(const JobState& job, const view::InputRequestT& request,
                                 const HandAnswer& answer) const {
  if (answer.uid != job.spec->uid) {
    if (answer.written_us + kMostBehind > request.asked_us) return {};
    return fail(ErrorKind::refused, "answer_too_old", "it was written before this was asked",
                "write it anew, or answer with luzia answer or luzia approve");
  }
  if (job.spec->sandbox) {
    return fail(ErrorKind::refused, "answer_needs_a_person",
                "the job's agent is in a sandbox, and could have written this itself",
                "luzia answer or luzia approve " + job.job);
  }
  if (request.kind == view::InputKind::question || !answer.approve) return {};
  wire::RequestApprovalT asked;
  asked.gate = request.gate;
  if (!is_gated(config_, job.spec->project, &job, asked)) return {};
  return fail(ErrorKind::refused, "gate_needs_a_person",
              "a person decides about gate '" + request.gate + "', and its agent could have written this",
              "luzia approve " + job.job);
}

void HandAnswers::take(const JobState& job, view::InputKind kind,
                       const Result<std::optional<HandAnswer>>& found) {
  const Requests open = open_of_files(job, kind);
  if (open.empty()) return;
  if (!found && found.error().code == kUnreadableAnswer) return look_later(job.job, kWithoutHints);
  if (!found) return refuse(job, found.error());
  if (!*found) return;
  const HandAnswer& answer = **found;
  if (answer.unfinished) return await_rest(job, kind, answer.written_us);
  const auto meant =
      std::ranges::find_if(open, [&answer](const auto* request) { return is_meant(answer, *request); });
  if (meant == open.end()) return;
  if (const Status counts = check_author(job, **meant, answer); !counts) return refuse(job, counts.error());
  CommandMeta meta;
  meta.now = wall_now();
  meta.actor = schema::ActorKind::person;
  meta.uid = answer.uid;
  const auto account = account_of(answer.uid);
  meta.actor_name = account ? account->name : std::to_string(answer.uid);
  meta.actor_name += kind == view::InputKind::question ? " (response.json)" : " (approved.json)";
  engine_.submit(meta, to_one_job(job.job, command_of(answer, **meant)),
                 [this, closed = closed_, id = job.job](const Result<Outcome>& outcome) {
                   const JobState* state = *closed ? nullptr : engine_.find_live(id);
                   const bool told = outcome || outcome.error().code == "already_answered" ||
                                     outcome.error().code == "already_decided";
                   if (!told && state != nullptr) refuse(*state, outcome.error());
                 });
}

void HandAnswers::await_rest(const JobState& job, view::InputKind kind, TimeUs written) {
  Rest& rest = asked_.at(job.job).rest[kind];
  const TimeUs now = monotonic_now();
  if (std::exchange(rest.written, written) != written) rest.since = now;
  if (now - rest.since < kUnfinished) return look_later(job.job, kUnfinished);
  const char* name = kind == view::InputKind::question ? kResponseFile : kDecisionFile;
  refuse(job, {ErrorKind::usage, "bad_answer_file", job.spec->job_dir + '/' + name + ": it is not JSON",
               "write it anew, or answer with luzia answer or luzia approve"});
}

void HandAnswers::refuse(const JobState& job, const Error& why) {
  const auto it = asked_.find(job.job);
  if (it == asked_.end() || it->second.refused.size() == kMostRefusals) return;
  if (!it->second.refused.insert(why.message).second) return;
  warn_job_once(
      engine_, job.job, job.attempt,
      {"ANSWER_REFUSED", "cannot take what was written as an answer: " + why.message, why.hint, why.message});
}

void HandAnswers::close() {
  *closed_ = true;
  while (!asked_.empty()) forget(std::string(asked_.begin()->first));
}

}  // namespace luzia
