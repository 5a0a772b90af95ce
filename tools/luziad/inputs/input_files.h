// Questions and gates that agents ask by writing a file into their job directory. A hint triggers reading the
// file; the request goes to the engine, and is withdrawn when the file goes. The answer to the previous
// request is removed first. Loop thread; file access on workers, one look at a time per job.
//
// A file's bytes are one request as long as they stay. If they are rewritten, touched, or seen by the next
// daemon, they are not asked again. Different bytes replace an open request. If bytes return after other
// bytes, or after no file, they are asked again, unless their answer is still available; then it is delivered
// once more. If the same bytes are written again after the agent received and removed their answer, they are
// a new request.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "adapters/config/config.h"
#include "adapters/inputs/request_file.h"
#include "adapters/output_log/output_watcher.h"
#include "engine/base/ids.h"
#include "engine/core/engine.h"
#include "tools/luziad/base/follower.h"
#include "tools/luziad/base/loop.h"
#include "tools/luziad/inputs/answer_files.h"
#include "tools/luziad/inputs/due_looks.h"
#include "tools/luziad/inputs/look_gap.h"
#include "tools/luziad/secrets/secret_book.h"

namespace luzia {

struct AskingJob;

class InputFiles final : public Follower {
 public:
  InputFiles(const Threads& threads, const Config& config, Engine& engine, OutputWatcher& watcher,
             IdSource& ids, AnswerFiles& answers, const SecretBook& secrets)
      : workers_(threads.workers),
        config_(config),
        engine_(engine),
        watcher_(watcher),
        ids_(ids),
        answers_(answers),
        secrets_(secrets),
        due_(threads.loop, [this](const std::string& job) { look_if_free(job); }) {}

  /// The watcher's hook (OutputWatcher::Hooks::requests).
  void hinted(const std::string& job, const std::optional<RequestMarks>& marks);
  /// The attempt is over and its end about to be reported: calls `then` once the requests in its files are
  /// decided. Calls it at once if there are none.
  void look_last(const std::string& job, std::function<void()> then);
  /// The job's state changed durably: drops an attempt that is over.
  void job_changed(const JobState& job) override;
  void close() override;

 private:
  /// One of the two files of an attempt.
  struct File {
    std::string asked;            // hash of the request last sent to the engine
    std::string written;          // its RequestFile::written when last seen
    std::string asked_as;         // its RequestFile::written when it was sent
    bool written_anew = false;    // since then it was missing or had other content
    std::string refused;          // the last problem, which is reported once
    std::string unfinished;       // hash of content that is not JSON yet
    TimeUs unfinished_since = 0;  // monotonic
  };
  struct Asker {
    std::uint32_t attempt = 0;
    File question, gate;
    bool looking = false;
    bool again = false;  // a hint came meanwhile
    LookGap gap;
    std::vector<std::function<void()>> thens;  // not empty: the next or current look is the last one
    std::size_t unanswered = 0;                // commands that the engine has not answered
  };
  struct Look {
    RequestFile question, gate;
    bool answer_stands = false, decision_stands = false;
  };
  /// One look at one file.
  struct Case {
    const std::string& job;
    Asker& asker;
    File& file;
    view::InputKind kind;
    const RequestFile& found;
    bool answer_stands;
    bool last;
  };

  /// A request for the engine.
  struct Request {
    std::string job;
    std::uint32_t attempt = 0;
    view::InputKind kind = view::InputKind::question;
    RequestFile found;
    bool written_anew = false;  // ask again even if it was asked before
  };

  Asker* find(const std::string& job, std::uint32_t attempt);
  Asker* asker_of(const std::string& job);
  void look(const std::string& job, Asker& asker);
  void looked(const std::string& job, std::uint32_t attempt, const Look& found, bool last);
  void look_if_free(const std::string& job);
  void end_last_look(Asker& asker);

  void take(const Case& now);
  void take_back(const Case& now, const std::string& reason, const std::string& except = {});
  void await_rest(const Case& now);
  void refuse(const Case& now, const Error& why);
  void ask(const Case& now);
  static bool is_asked_anew(const Case& now, const JobState& state, const view::InputRequestT& known);
  void take_known(const Case& now, const JobState& state, const view::InputRequestT& known,
                  bool written_again);
  void clear_and_put(Asker& asker, const std::shared_ptr<const Request>& request, CommandMeta meta);
  void cleared(const std::shared_ptr<const Request>& request, CommandMeta meta,
               const AnswerFiles::Cleared& outcome);
  bool may_put(Asker& asker, const Request& request, const AnswerFiles::Cleared& outcome);
  void put(Asker& asker, const std::shared_ptr<const Request>& request, CommandMeta meta);
  void heard(const std::shared_ptr<const Request>& request, const Result<Outcome>& outcome);
  ToJob question_from(const Request& request, const AskingJob& asking, TimeUs time);
  ToJob approval_from(const Request& request, const AskingJob& asking, TimeUs time);
  void submit(Asker& asker, CommandMeta meta, ToJob item, std::function<void(const Result<Outcome>&)> then);

  Workers& workers_;
  const Config& config_;
  Engine& engine_;
  OutputWatcher& watcher_;
  IdSource& ids_;
  AnswerFiles& answers_;
  const SecretBook& secrets_;
  std::map<std::string, Asker> askers_;  // running attempts
  DueLooks due_;
  /// Shared with work in progress, which may outlive this object.
  std::shared_ptr<bool> closed_ = std::make_shared<bool>(false);
};

}  // namespace luzia
