#include "tools/luziad/inputs/answer_files.h"

#include "adapters/inputs/answer_file.h"
#include "adapters/job_dir/owned_directory.h"
#include "engine/base/failpoint.h"
#include "engine/job/input_state.h"
#include "tools/luziad/attempts/given_answer.h"

namespace luzia {
namespace {

constexpr mode_t kAnswerMode = 0600;

bool has_agent(const JobState& job) {
  return job.pid != 0 && !job.attempt_over;
}

}  // namespace

struct AnswerFiles::Work {
  std::string job, job_dir;
  std::uint32_t attempt = 0, uid = 0, gid = 0;
  view::InputRequestT input;
  When when = When::always;
  enum class Done { written, not_asked_any_more, failed } done = Done::failed;
  Error error;

  const char* asked_by() const { return is_question() ? kQuestionFile : kGateFile; }
  const char* answered_by() const { return is_question() ? kResponseFile : kDecisionFile; }
  void run(const EventLog& log);

 private:
  bool is_question() const { return input.kind == view::InputKind::question; }
  Status write(const EventLog& log, const RequestFile& asked) const;
};

void AnswerFiles::Work::run(const EventLog& log) {
  const RequestFile asked = read_request_file(job_dir, asked_by(), uid);
  if (asked.state == RequestFile::State::unreadable) {
    error = asked.error;
    return;
  }
  const Bytes hash(input.file_hash.data(), input.file_hash.size());
  const bool told = when == When::another_lies && !answer_file_stands(job_dir, answered_by());
  if (asked.hash != as_text(hash) || told) {
    done = Done::not_asked_any_more;
    return;
  }
  if (auto wrote = write(log, asked); !wrote) {
    error = wrote.error();
    return;
  }
  done = Done::written;
}

Status AnswerFiles::Work::write(const EventLog& log, const RequestFile& asked) const {
  const auto given = LUZIA_TRY(read_answer(log, input));
  const std::string text = answer_file_text(given, own_id_of(asked));
  auto directory = LUZIA_TRY(OwnedDirectory::open(job_dir, uid, gid));
  failpoint("answer.write");
  if (!directory.holds(answered_by(), text)) {
    LUZIA_TRY(directory.write(answered_by(), text, kAnswerMode));
  }
  failpoint("answer.written");
  return {};
}

struct AnswerFiles::Clearing {
  std::string job_dir;
  std::uint32_t uid = 0;
  view::InputKind kind = view::InputKind::question;
  RequestFile found;
  std::function<void(const Cleared&)> then;
  Cleared outcome;
  bool under_way = false;

  void run();
};

void AnswerFiles::Clearing::run() {
  const bool is_question = kind == view::InputKind::question;
  const RequestFile now = read_request_file(job_dir, is_question ? kQuestionFile : kGateFile, uid);
  outcome.stands = now.state == found.state && now.hash == found.hash;
  if (!outcome.stands) return;
  failpoint("answer.clear");
  const auto removed = remove_answer_file(job_dir, is_question ? kResponseFile : kDecisionFile, uid);
  if (removed) {
    outcome.removed = *removed;
  } else {
    outcome.error = removed.error();
  }
  failpoint("answer.cleared");
}

bool AnswerFiles::is_delivering(const std::string& job) const {
  const auto it = under_way_.lower_bound({job, std::string()});
  return it != under_way_.end() && it->first == job;
}

void AnswerFiles::clear(const JobState& job, view::InputKind kind, const RequestFile& found,
                        std::function<void(const Cleared&)> then) {
  if (*closed_) return;
  auto clearing = std::make_shared<Clearing>();
  clearing->job_dir = job.spec->job_dir;
  clearing->uid = job.spec->uid;
  clearing->kind = kind;
  clearing->found = found;
  clearing->then = std::move(then);
  clearings_[job.job].push_back(std::move(clearing));
  clear_next(job.job);
}

void AnswerFiles::clear_next(const std::string& job) {
  const auto it = clearings_.find(job);
  if (it == clearings_.end() || it->second.front()->under_way || is_delivering(job)) return;
  const auto clearing = it->second.front();
  clearing->under_way = true;
  workers_.run([clearing] { clearing->run(); },
               [this, closed = closed_, job, clearing] {
                 if (!*closed) cleared(job, *clearing);
               });
}

void AnswerFiles::cleared(const std::string& job, const Clearing& clearing) {
  const auto it = clearings_.find(job);
  it->second.pop_front();
  if (!it->second.empty()) {
    clear_next(job);
  } else {
    clearings_.erase(it);
    std::map<Key, When> held;
    for (auto each = held_.lower_bound({job, std::string()});
         each != held_.end() && each->first.first == job;) {
      held.insert(held_.extract(each++));
    }
    const JobState* state = engine_.find_live(job);
    for (const auto& [key, when] : held) {
      if (state != nullptr) deliver(*state, key.second, when);
    }
  }
  clearing.then(clearing.outcome);
}

void AnswerFiles::deliver(const JobState& job, const std::string& input, When when) {
  const view::InputRequestT* request = find_input(job, input);
  if (*closed_ || request == nullptr || !request->answered || !has_agent(job)) return;
  // The state is ahead of the log: an answer that is not durable yet comes again as an effect once it is.
  if (request->answer_position > engine_.durable()) return;
  if (clearings_.contains(job.job)) {
    When& held = held_.try_emplace({job.job, input}, when).first->second;
    if (when == When::always) held = when;
    return;
  }
  if (!under_way_.insert({job.job, input}).second) return;
  auto work = std::make_shared<Work>();
  work->job = job.job;
  work->job_dir = job.spec->job_dir;
  work->attempt = job.attempt;
  work->uid = job.spec->uid;
  work->gid = job.spec->gid;
  work->input = *request;
  work->when = when;
  workers_.run([work, &log = log_] { work->run(log); },
               [this, closed = closed_, work] {
                 if (!*closed) written(*work);
               });
}

void AnswerFiles::written(const Work& work) {
  const Key key{work.job, work.input.id};
  under_way_.erase(key);
  clear_next(work.job);
  switch (work.done) {
    case Work::Done::written: {
      auto confirmation = to_one_job(work.job, ConfirmDelivery{work.input.id, "file"});
      return engine_.submit(by_daemon(wall_now()), std::move(confirmation), [](const Result<Outcome>&) {});
    }
    case Work::Done::not_asked_any_more:
      return;  // if the file changes back, the answer is delivered then
    case Work::Done::failed:
      break;
  }
  warn_job_once(engine_, work.job, work.attempt,
                {"ANSWER_NOT_WRITTEN", "the answer is not with the agent yet: " + work.error.message,
                 work.error.hint.empty() ? "it is written as soon as that is fixed" : work.error.hint,
                 work.input.id + work.error.message});
  try_again(key);
}

void AnswerFiles::try_again(const Key& key) {
  again_.insert(key);
  if (again_timer_->running()) return;
  again_timer_->start(kTryAgainMs, [this] {
    for (const auto& [job, input] : std::exchange(again_, {})) {
      if (const JobState* state = engine_.find_live(job)) deliver(*state, input);
    }
  });
}

void AnswerFiles::close() {
  *closed_ = true;
  again_timer_.reset();
}

}  // namespace luzia
