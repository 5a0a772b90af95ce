#include "tools/luziad/inputs/input_files.h"

#include <algorithm>

#include "adapters/inputs/answer_file.h"
#include "engine/base/failpoint.h"
#include "engine/base/hash.h"
#include "engine/event/job_state.h"
#include "engine/job/input_state.h"
#include "tools/luziad/base/salted_text.h"
#include "tools/luziad/inputs/prompt_commands.h"

namespace luzia {
namespace {

using view::InputKind;

/// A file that has not been JSON for this long is no longer being written.
constexpr TimeUs kLookAgain = 2 * kSecondUs;
constexpr auto kTakenBack = "the agent took it back";

bool can_ask(const JobState& job) {
  return job.attempt > 0 && !job.attempt_over && !is_terminal(job.state) &&
         job.state != schema::JobState::queued;
}

bool is_of_file(const JobState& job, const view::InputRequestT& input, InputKind kind) {
  const bool is_here = input.attempt == job.attempt || input.carried;
  return input.kind == kind && input.source == "file" && is_here;
}

bool has_open_file(const JobState& job) {
  return std::ranges::any_of(job.inputs, [&](const auto& input) {
    return is_open(*input) &&
           (is_of_file(job, *input, InputKind::question) || is_of_file(job, *input, InputKind::approval));
  });
}

/// The latest request with these bytes; null: none.
const view::InputRequestT* request_of(const JobState& job, InputKind kind, const std::string& hash) {
  const view::InputRequestT* last = nullptr;
  for (const auto& input : job.inputs) {
    const Bytes known(input->file_hash.data(), input->file_hash.size());
    if (is_of_file(job, *input, kind) && as_text(known) == hash) last = input.get();
  }
  return last;
}

}  // namespace

// ----------------------------------------------------------------------------------------- when to read

InputFiles::Asker* InputFiles::find(const std::string& job, std::uint32_t attempt) {
  const auto it = askers_.find(job);
  return it != askers_.end() && it->second.attempt == attempt ? &it->second : nullptr;
}

InputFiles::Asker* InputFiles::asker_of(const std::string& job) {
  const JobState* state = *closed_ ? nullptr : engine_.find_live(job);
  if (state == nullptr || !can_ask(*state)) return nullptr;
  Asker& asker = askers_[job];
  if (asker.attempt != state->attempt) {
    asker = Asker{};
    asker.attempt = state->attempt;
  }
  return &asker;
}

void InputFiles::hinted(const std::string& job, const std::optional<RequestMarks>& marks) {
  Asker* asker = asker_of(job);
  if (asker == nullptr) return;
  if (marks) {
    asker->question.written_anew |= marks->question == 0;
    asker->gate.written_anew |= marks->gate == 0;
    if (!marks->any() && !has_open_file(*engine_.find_live(job))) return;
  }
  if (asker->looking) {
    asker->again = true;
    return;
  }
  if (const TimeUs left = asker->gap.left(monotonic_now()); left > 0) return due_.look_soon(job, left);
  look(job, *asker);
}

void InputFiles::look(const std::string& job, Asker& asker) {
  const JobState& state = *engine_.find_live(job);
  asker.gap.begin(monotonic_now());
  asker.looking = true;
  asker.again = false;
  due_.forget(job);
  auto found = std::make_shared<Look>();
  workers_.run(
      [found, dir = state.spec->job_dir, uid = state.spec->uid, redactor = secrets_.known(job)] {
        found->question = read_request_file(dir, kQuestionFile, uid, redactor.get());
        found->gate = read_request_file(dir, kGateFile, uid, redactor.get());
        found->answer_stands = answer_file_stands(dir, kResponseFile);
        found->decision_stands = answer_file_stands(dir, kDecisionFile);
      },
      [this, closed = closed_, job, attempt = asker.attempt, found, last = !asker.thens.empty()] {
        if (!*closed) looked(job, attempt, *found, last);
      });
}

void InputFiles::looked(const std::string& job, std::uint32_t attempt, const Look& found, bool last) {
  Asker* asker = find(job, attempt);
  if (asker == nullptr) return;
  asker->looking = false;
  const JobState* state = engine_.find_live(job);
  if (state == nullptr || !can_ask(*state)) return;
  failpoint("question.seen");
  take({job, *asker, asker->question, InputKind::question, found.question, found.answer_stands, last});
  take({job, *asker, asker->gate, InputKind::approval, found.gate, found.decision_stands, last});
  if (last) return end_last_look(*asker);
  if (!asker->thens.empty()) return look(job, *asker);
  if (asker->again) due_.look_soon(job, asker->gap.whole());
}

void InputFiles::look_last(const std::string& job, std::function<void()> then) {
  Asker* asker = asker_of(job);
  const auto marks = watcher_.requests(job);
  const bool none = marks && !marks->any();
  if (asker == nullptr || (none && !has_open_file(*engine_.find_live(job)))) return then();
  asker->thens.push_back(std::move(then));
  if (!asker->looking) look(job, *asker);
}

void InputFiles::end_last_look(Asker& asker) {
  if (asker.unanswered > 0) return;
  // These callbacks may remove this asker.
  for (const auto& then : std::exchange(asker.thens, {})) then();
}

void InputFiles::look_if_free(const std::string& job) {
  Asker* asker = asker_of(job);
  if (asker == nullptr) return;
  if (asker->looking) {
    asker->again = true;
  } else {
    look(job, *asker);
  }
}

void InputFiles::job_changed(const JobState& job) {
  const auto it = askers_.find(job.job);
  if (it == askers_.end() || (can_ask(job) && job.attempt == it->second.attempt)) return;
  askers_.erase(it);
  due_.forget(job.job);
}

void InputFiles::close() {
  *closed_ = true;
  askers_.clear();
  due_.close();
}

// ---------------------------------------------------------------------------------------- handling the files

void InputFiles::take(const Case& now) {
  switch (now.found.state) {
    case RequestFile::State::missing:
      now.file.written_anew = true;
      now.file.refused.clear();
      now.file.unfinished.clear();
      return take_back(now, kTakenBack);
    case RequestFile::State::unfinished:
      return await_rest(now);
    case RequestFile::State::refused:
      return refuse(now, now.found.error);
    case RequestFile::State::unreadable:
      if (!now.last) due_.look_soon(now.job, kLookAgain);
      return;
    case RequestFile::State::whole:
      return ask(now);
  }
}

void InputFiles::take_back(const Case& now, const std::string& reason, const std::string& except) {
  const JobState* state = engine_.find_live(now.job);
  std::vector<std::string> open;
  for (const auto& input : state->inputs) {
    if (is_open(*input) && is_of_file(*state, *input, now.kind) && input->id != except) {
      open.push_back(input->id);
    }
  }
  for (const std::string& id : open) {
    submit(now.asker, {}, {now.job, CancelQuestion{id, reason}}, [](const Result<Outcome>&) {});
  }
}

/// An incomplete file counts as absent. If it stays incomplete, it is refused, so that its author is
/// notified.
void InputFiles::await_rest(const Case& now) {
  const TimeUs time = monotonic_now();
  if (now.file.unfinished != now.found.hash) {
    now.file.unfinished = now.found.hash;
    now.file.unfinished_since = time;
  }
  if (now.last || time - now.file.unfinished_since >= kLookAgain) return refuse(now, now.found.error);
  due_.look_soon(now.job, kLookAgain);
}

void InputFiles::refuse(const Case& now, const Error& why) {
  const std::string what = now.found.hash + why.message;
  now.file.written_anew |= now.found.hash != now.file.asked;
  if (std::exchange(now.file.refused, what) == what) return;
  answers_.clear(*engine_.find_live(now.job), now.kind, now.found, [](const AnswerFiles::Cleared&) {});
  warn_job_once(engine_, now.job, now.asker.attempt,
                {"REQUEST_REFUSED", "cannot ask what its agent wrote: " + why.message, why.hint, what});
  take_back(now, "what stands in its file now was refused");
}

/// Whether these bytes are a new request: their answer was delivered, the agent removed it, and then the file
/// was written again. If this daemon sent the request, the file's identity or time differs from then. If an
/// earlier daemon did, only the modification time shows it.
bool InputFiles::is_asked_anew(const Case& now, const JobState& state, const view::InputRequestT& known) {
  constexpr TimeUs kGrainOfFileTimes = 20 * kMillisecondUs;
  const bool came_back = !now.file.asked.empty() && now.file.asked != now.found.hash;
  if (!known.delivered || came_back || now.answer_stands) return false;
  const auto decided =
      std::ranges::find_if(state.decided, [&](const auto& each) { return each->id == known.id; });
  if (decided == state.decided.end()) return false;
  if (now.file.asked_as.empty()) return now.found.modified_us > (*decided)->at_us;
  return now.found.written != now.file.asked_as &&
         now.found.modified_us + kGrainOfFileTimes > (*decided)->at_us;
}

void InputFiles::take_known(const Case& now, const JobState& state, const view::InputRequestT& known,
                            bool written_again) {
  const bool first_seen = now.file.asked.empty();
  const bool came_back = !first_seen && now.file.asked != now.found.hash;
  const bool unheard = !known.delivered || came_back || (now.file.written_anew && written_again);
  const std::string id = known.id;
  if (known.answered && unheard) {
    answers_.deliver(state, id);
  } else if (known.answered && first_seen) {
    answers_.deliver_in_place(state, id);
  } else if (!known.answered && came_back) {
    answers_.clear(state, now.kind, now.found, [](const AnswerFiles::Cleared&) {});
  }
  if (first_seen) now.file.asked_as = now.found.written;
  now.file.asked = now.found.hash;
  now.file.written_anew = false;
  take_back(now, kTakenBack, id);
}

void InputFiles::ask(const Case& now) {
  now.file.refused.clear();
  now.file.unfinished.clear();
  const bool written_again = std::exchange(now.file.written, now.found.written) != now.found.written;
  const JobState* state = engine_.find_live(now.job);
  const view::InputRequestT* known = request_of(*state, now.kind, now.found.hash);
  const bool asked_anew = known != nullptr && is_asked_anew(now, *state, *known);
  if (known != nullptr && !asked_anew) return take_known(now, *state, *known, written_again);
  if (!asked_anew && now.file.asked == now.found.hash && !now.file.written_anew) return;
  const bool anew =
      asked_anew || now.file.written_anew || (!now.file.asked.empty() && now.file.asked != now.found.hash);
  now.file.asked = now.found.hash;
  now.file.asked_as = now.found.written;
  now.file.written_anew = false;
  auto request = std::make_shared<Request>(Request{now.job, now.asker.attempt, now.kind, now.found, anew});
  const Hash content =
      blake2b({as_bytes(now.kind == InputKind::question ? "question" : "gate"), as_bytes(now.found.hash)});
  CommandMeta meta;
  // Identifies these bytes in this attempt. So a request from an earlier daemon is recognized even if it is
  // over and no longer in memory.
  meta.digest = content;
  meta.command_id = "file/" + now.job + '/' + std::to_string(now.asker.attempt) + '/' + to_hex(content);
  clear_and_put(now.asker, request, std::move(meta));
}

// ----------------------------------------------------------------------------------------- to the engine

ToJob InputFiles::question_from(const Request& request, const AskingJob& asking, TimeUs time) {
  const QuestionFile& file = std::get<QuestionFile>(request.found.content);
  const auto timeout_ms = static_cast<std::uint64_t>((file.timeout + kMillisecondUs - 1) / kMillisecondUs);
  const InputTimes times = input_times(config_, timeout_ms, time, asking).value_or(InputTimes{});
  AskQuestion question;
  question.id = "q-" + ids_.next(time);
  question.attempt = request.attempt;
  question.type = file.type;
  question.text = salted_text(0, file.question);
  question.options = file.options;
  question.default_answer = file.default_answer;
  times.apply_to(question);
  question.source = "file";
  question.file_hash = request.found.hash;
  question.anew = request.written_anew;
  question.ends_attempt = file.ends_attempt;
  return {request.job, std::move(question)};
}

ToJob InputFiles::approval_from(const Request& request, const AskingJob& asking, TimeUs time) {
  const GateFile& file = std::get<GateFile>(request.found.content);
  RequestApproval approval;
  approval.id = "a-" + ids_.next(time);
  approval.attempt = request.attempt;
  approval.gate = file.gate;
  approval.description = salted_text(0, file.description);
  approval.auto_after = file.auto_approve_after == 0 ? 0 : time + file.auto_approve_after;
  approval.source = "file";
  approval.file_hash = request.found.hash;
  approval.anew = request.written_anew;
  apply_gate_rules(config_, asking, approval, time);
  if (approval.auto_after == 0) {
    const InputTimes times = input_times(config_, 0, time, asking).value_or(InputTimes{});
    times.apply_to(approval);
  }
  return {request.job, std::move(approval)};
}

void InputFiles::clear_and_put(Asker& asker, const std::shared_ptr<const Request>& request,
                               CommandMeta meta) {
  ++asker.unanswered;
  const RequestFile& found = request->found;
  answers_.clear(
      *engine_.find_live(request->job), request->kind, found,
      [this, closed = closed_, request, meta = std::move(meta)](const AnswerFiles::Cleared& outcome) {
        if (!*closed) cleared(request, meta, outcome);
      });
}

void InputFiles::cleared(const std::shared_ptr<const Request>& request, CommandMeta meta,
                         const AnswerFiles::Cleared& outcome) {
  Asker* asker = find(request->job, request->attempt);
  const JobState* state = engine_.find_live(request->job);
  if (asker == nullptr) return;
  --asker->unanswered;
  if (state == nullptr || !can_ask(*state)) return end_last_look(*asker);
  if (may_put(*asker, *request, outcome)) {
    auto copy = std::make_shared<Request>(*request);
    // Its answer was removed, so the engine must treat it as new.
    copy->written_anew |= outcome.removed;
    return put(*asker, copy, std::move(meta));
  }
  if (asker->looking) {
    asker->again = true;
  } else if (!asker->thens.empty()) {
    look(request->job, *asker);
  } else {
    due_.look_soon(request->job, outcome.error ? kLookAgain : asker->gap.whole());
  }
}

/// False: the file must be read again.
bool InputFiles::may_put(Asker& asker, const Request& request, const AnswerFiles::Cleared& outcome) {
  File& file = request.kind == InputKind::question ? asker.question : asker.gate;
  if (file.asked != request.found.hash) return false;  // the file has changed since
  const bool changed = !outcome.stands || file.written_anew;
  // Once the attempt is over, nobody mistakes an old answer for the new one.
  const bool in_the_way = outcome.error && asker.thens.empty();
  if (in_the_way) {
    warn_job_once(
        engine_, request.job, request.attempt,
        {"ANSWER_NOT_REMOVED",
         "cannot ask what its agent wrote while an earlier answer lies there: " + outcome.error->message,
         outcome.error->hint, request.found.hash + outcome.error->message});
  }
  if (!changed && !in_the_way) return true;
  file.asked.clear();
  file.written_anew |= request.written_anew;
  return false;
}

void InputFiles::put(Asker& asker, const std::shared_ptr<const Request>& request, CommandMeta meta) {
  const TimeUs time = wall_now();
  const AskingJob asking = asking_job(*engine_.find_live(request->job));
  ToJob item = request->kind == InputKind::question ? question_from(*request, asking, time)
                                                    : approval_from(*request, asking, time);
  submit(asker, std::move(meta), std::move(item),
         [this, request](const Result<Outcome>& outcome) { heard(request, outcome); });
}

void InputFiles::heard(const std::shared_ptr<const Request>& request, const Result<Outcome>& outcome) {
  Asker* asker = find(request->job, request->attempt);
  const JobState* state = engine_.find_live(request->job);
  if (asker == nullptr || state == nullptr || !can_ask(*state)) return;
  if (outcome) {
    if (outcome->repeated && request->written_anew) put(*asker, request, {});
    return;
  }
  const Error& error = outcome.error();
  File& file = request->kind == InputKind::question ? asker->question : asker->gate;
  const bool passes =
      error.kind == ErrorKind::trouble || error.code == "not_running" || error.code == "too_many_requests";
  if (!passes) {
    Error named = error;
    const char* const name = request->kind == InputKind::question ? kQuestionFile : kGateFile;
    named.message = std::string(name) + ": " + error.message;
    return refuse({request->job, *asker, file, request->kind, request->found, false, true}, named);
  }
  if (state->stop_requested) return;
  file.asked.clear();
  file.written_anew |= request->written_anew;
  due_.look_soon(request->job, kLookAgain);
}

/// Submits as the job's agent, which wrote the file.
void InputFiles::submit(Asker& asker, CommandMeta meta, ToJob item,
                        std::function<void(const Result<Outcome>&)> then) {
  const JobState& state = *engine_.find_live(item.job);
  meta.now = wall_now();
  meta.actor = schema::ActorKind::agent;
  meta.uid = state.spec->uid;
  meta.actor_name = state.spec->agent;
  ++asker.unanswered;
  engine_.submit(meta, to_one_job(std::move(item.job), std::move(item.command)),
                 [this, closed = closed_, job = state.job, attempt = asker.attempt,
                  then = std::move(then)](const Result<Outcome>& outcome) {
                   if (*closed) return;
                   then(outcome);
                   Asker* left = find(job, attempt);
                   if (left == nullptr) return;
                   --left->unanswered;
                   if (!left->looking && !left->thens.empty()) end_last_look(*left);
                 });
}

}  // namespace luzia
