#include "tools/luzia/run/foreground.h"

#include <csignal>
#include <cstdio>
#include <optional>

#include "engine/base/try.h"
#include "engine/event/event.h"
#include "projections/rows/json.h"
#include "projections/rows/names.h"
#include "tools/luzia/look/output_stream.h"
#include "tools/luzia/run/asked_prompts.h"
#include "tools/luzia/run/attaching.h"
#include "tools/luzia/signals.h"

namespace luzia {
namespace {

enum class Choice { stay, detach, cancel };

Choice ask_choice(const std::string& job) {
  std::fprintf(stderr, "\n%s is running. Detach [d], cancel it [c] or stay [s]? ", job.c_str());
  char answer[16] = {};
  // End of input means Ctrl-D or a closed terminal: detach and leave the job running.
  if (std::fgets(answer, sizeof answer, stdin) == nullptr || answer[0] == 'd' || answer[0] == 'D') {
    return Choice::detach;
  }
  return answer[0] == 'c' || answer[0] == 'C' ? Choice::cancel : Choice::stay;
}

wire::RequestUnion tail_of(const std::string& job, std::uint32_t attempt, std::uint64_t offset) {
  wire::TailT tail;
  tail.job = job;
  tail.attempt = attempt;
  tail.offset = offset;
  tail.live = true;
  return request_of(std::move(tail));
}

wire::RequestUnion wait_of(const std::string& job, std::vector<schema::JobState> until) {
  wire::WaitT wait;
  wait.jobs = {job};
  wait.until = std::move(until);
  return request_of(std::move(wait));
}

wire::RequestUnion cancel_of(const std::string& job, const std::string& command_id) {
  wire::ActOnJobsT act;
  act.action = wire::JobAction::cancel;
  act.jobs = {job};
  act.note = "interrupted in the foreground";
  act.command_id = command_id;
  return request_of(std::move(act));
}

/// Stays with one job: waits for an attempt to run, streams its output, and repeats this until the job has
/// ended or waits for an answer. If the job has a terminal, the person joins that instead.
class Foreground {
 public:
  Foreground(Invocation& invocation, Client& client, std::string job, OutputStream output, Seat seat,
             std::uint32_t after_attempt)
      : invocation_(invocation),
        client_(client),
        job_(std::move(job)),
        output_(std::move(output)),
        prompts_(invocation, job_),
        shown_attempt_(after_attempt),
        seat_(seat) {}

  /// Returns the job's row at the end; nothing if the person has detached.
  Result<std::optional<Page>> stay() {
    follow_prompts();
    Status status = ask();
    while (status && !last_page_ && !left_) {
      const Woken woken = signals_.wait(client_, std::chrono::milliseconds(-1));
      if (woken == Woken::interrupted && !interrupted()) left_ = true;
      if (woken == Woken::readable) status = take_frames();
    }
    if (!status) return tl::unexpected(status.error());
    if (last_page_ && last_page_->as<view::Job>().front()->state() == schema::JobState::waiting)
      prompts_.show_open(client_);
    return left_ ? std::nullopt : std::move(last_page_);
  }

 private:
  enum class Stage { starting, output, after_output };

  /// A person in the agent's terminal sees there what it asks.
  void follow_prompts() {
    if (seat_ == Seat::output) prompts_.open(client_);
  }

  Status ask() {
    using schema::JobState;
    const auto sent =
        stage_ == Stage::starting ? client_.send(wait_of(job_, {JobState::running, JobState::waiting}))
        : stage_ == Stage::output ? client_.send(tail_of(job_, shown_attempt_, reached_))
                                  : client_.send(wait_of(job_, {JobState::queued, JobState::starting,
                                                                JobState::parked, JobState::waiting}));
    request_ = sent ? *sent : 0;
    if (!sent && sent.error().code == "connection_lost") {
      return reconnect();  // the daemon went away while the person used the terminal
    }
    return sent ? Status() : tl::unexpected(sent.error());
  }

  Status enter(Stage stage) {
    stage_ = stage;
    return ask();
  }

  Status take_rows(Page page) {
    const auto rows = page.as<view::Job>();
    if (rows.empty()) {
      return fail(ErrorKind::trouble, "unexpected_reply", "asking about " + job_ + ": the daemon sent no row",
                  "luzia job " + job_);
    }
    const view::Job& job = *rows.front();
    const bool is_next = job.attempt() > shown_attempt_;
    const bool has_begun =
        job.state() != schema::JobState::queued && job.state() != schema::JobState::starting;
    if (stage_ == Stage::starting && is_next && has_begun) {
      shown_attempt_ = job.attempt();
      reached_ = 0;
      return seat_ != Seat::output ? join(job.dir() == nullptr ? "" : job.dir()->str())
                                   : enter(Stage::output);
    }
    if (is_terminal(job.state()) || job.state() == schema::JobState::waiting) {
      last_page_ = std::move(page);
      return {};
    }
    // An attempt that is not to be shown is still being stopped: its end comes first.
    return enter(stage_ == Stage::starting && !is_next ? Stage::after_output : Stage::starting);
  }

  Result<Attachment> sit_down(const std::string& job_dir) const {
    return seat_ == Seat::session ? join_session(job_dir, false) : attach_terminal(job_dir, Role::person);
  }

  /// Joins the attempt's terminal, which appears shortly after the attempt starts. If the attempt has ended
  /// by then, its output is shown.
  Status join(const std::string& job_dir) {
    constexpr std::chrono::milliseconds kTryAgain{10};
    LUZIA_TRY(enter(Stage::after_output));
    auto joined = sit_down(job_dir);
    while (!joined && is_absent(joined.error())) {
      const Woken woken = signals_.wait(client_, kTryAgain);
      if (woken == Woken::readable || (woken == Woken::interrupted && !interrupted())) break;
      joined = sit_down(job_dir);
    }
    if (!joined && !is_absent(joined.error())) return tl::unexpected(joined.error());
    if (!joined || joined->shown == 0) return left_by(joined) ? Status() : enter(Stage::output);
    return left_by(joined) ? Status() : enter(Stage::after_output);
  }

  /// Whether the person has left. A signal to this program cancels the job, as without a terminal, except
  /// SIGHUP from a closed window, which detaches.
  bool left_by(const Result<Attachment>& joined) {
    using Left = Attachment::Left;
    if (joined && joined->left == Left::interrupted && joined->signal != SIGHUP) {
      cancel();
    } else {
      left_ = joined && (joined->left == Left::detached || joined->left == Left::interrupted);
    }
    return left_;
  }

  void cancel() {
    invocation_.say("cancelling " + job_);
    if (!cancel_id_.empty()) {
      return;  // sent already
    }
    cancel_id_ = fresh_command_id();
    send_cancel();
  }

  /// Sends the cancellation without waiting for the answer: the output ends when the job does. After a
  /// reconnect it is sent to the next daemon.
  void send_cancel() {
    const auto sent = client_.send(cancel_of(job_, cancel_id_));
    cancel_request_ = sent ? *sent : 0;
  }

  Status take_answer_to_cancel(const wire::ServerFrame& frame) {
    const auto* refused = frame.reply_as_Refused();
    const Error error = refused == nullptr ? Error{} : error_from(*refused);
    if (refused != nullptr && is_repeatable(error)) {
      return {};  // this daemon is restarting; the next one gets it
    }
    cancel_id_.clear();
    cancel_request_ = 0;
    // A refusal means that the job ended before: no error.
    return refused == nullptr || error.kind == ErrorKind::refused ? Status() : tl::unexpected(error);
  }

  bool interrupted() {
    Choice choice = Choice::cancel;
    if (invocation_.terminal().in_is_terminal && !asked_ && signals_.last_signal() == SIGINT) {
      asked_ = true;
      choice = ask_choice(job_);
    }
    if (choice == Choice::detach) return false;
    if (choice == Choice::cancel) {
      cancel();
    } else {
      asked_ = false;
    }
    return true;
  }

  Status take_frames() {
    while (!last_page_ && !left_) {
      const auto frame = client_.receive(std::chrono::milliseconds(0));
      if (!frame && frame.error().code == "connection_lost") return reconnect();
      if (!frame) return tl::unexpected(frame.error());
      if (*frame == nullptr) break;
      LUZIA_TRY(take(**frame));
    }
    std::fflush(stdout);
    return {};
  }

  Status take(const wire::ServerFrame& frame) {
    if (prompts_.take(client_, frame)) return {};
    if (cancel_request_ != 0 && frame.id() == cancel_request_) return take_answer_to_cancel(frame);
    if (const auto* refused = frame.reply_as_Refused()) return tl::unexpected(error_from(*refused));
    if (frame.id() != request_) {
      return {};  // answers an earlier request
    }
    if (frame.reply_type() == wire::Reply::Rows) {
      return take_rows(Page(std::unique_ptr<wire::ServerFrameT>(frame.UnPack())));
    }
    const auto* output = frame.reply_as_Output();
    if (output == nullptr) return {};
    if (const std::string_view note = text(output->note()); !note.empty()) {
      output_.begin_anew();
      std::fflush(stdout);
      invocation_.say(note);
    }
    if (output->data() != nullptr && output->data()->size() > 0) {
      output_.add(output->offset(), as_text({output->data()->data(), output->data()->size()}));
      reached_ = output->offset() + output->data()->size();
    }
    if (output->last()) {
      output_.finish();
      return enter(Stage::after_output);
    }
    return {};
  }

  /// Continues with the next daemon. A restart does not affect the job, so it should not affect its viewer.
  Status reconnect() {
    auto again = LUZIA_TRY(invocation_.connect());
    client_ = std::move(again);
    cancel_request_ = 0;
    if (!cancel_id_.empty()) send_cancel();
    follow_prompts();
    return ask();
  }

  Invocation& invocation_;
  Client& client_;
  std::string job_;
  OutputStream output_;
  AskedPrompts prompts_;
  Signals signals_;
  Stage stage_ = Stage::starting;
  std::optional<Page> last_page_;
  std::uint64_t reached_ = 0;
  std::uint32_t shown_attempt_;
  std::uint64_t request_ = 0;         // id of the last request on the current connection
  std::string cancel_id_;             // command id of an unanswered cancellation; empty: none
  std::uint64_t cancel_request_ = 0;  // its request id on the current connection; 0: not sent on it
  Seat seat_;
  bool left_ = false;
  bool asked_ = false;
};

/// Prints the object of a job that continues after detaching.
Result<int> print_as_it_is(Invocation& invocation, Client& client, const std::string& job) {
  const auto page = LUZIA_TRY(ask_job(invocation, client, job));
  print_line(job_json(*page.as<view::Job>().front(), invocation.now()));
  return 0;
}

}  // namespace

Result<int> run_in_foreground(Invocation& invocation, Client& client, const std::string& job, Seat seat,
                              std::uint32_t after_attempt) {
  OutputOptions options;
  options.unicode = invocation.terminal().unicode;
  // With --json standard output contains only the job's object.
  std::FILE* stream = invocation.json() ? stderr : stdout;
  auto output = LUZIA_TRY(OutputStream::make(
      options, [stream](std::string_view text) { std::fwrite(text.data(), 1, text.size(), stream); }));
  const std::string leave = seat == Seat::terminal  ? std::string("; ") + kHowToLeave
                            : seat == Seat::session ? std::string("; ") + kHowToLeaveSession
                                                    : "";
  invocation.say("running " + job + leave);
  auto stayed = LUZIA_TRY(Foreground(invocation, client, job, std::move(output), seat, after_attempt).stay());
  if (!stayed) {
    invocation.say("detached; the job continues: luzia " +
                   std::string(seat != Seat::output ? "attach " : "watch ") + job);
    return invocation.json() ? print_as_it_is(invocation, client, job) : Result<int>(0);
  }
  const view::Job& row = *stayed->as<view::Job>().front();
  std::fflush(stdout);
  if (invocation.json()) {
    print_line(job_json(row, invocation.now()));
    return exit_code_of(row, true);
  }
  const std::string why = end_text(row);
  invocation.say(job + " " + std::string(state_name(row.state())) + (why.empty() ? "" : " (" + why + ")"));
  return exit_code_of(row, true);
}

}  // namespace luzia
