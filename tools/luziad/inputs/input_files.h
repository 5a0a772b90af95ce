// Questions and gates that agents put by a file of their job directory: read when a hint tells, put to the
// engine, taken back when the file goes. The answer to what stood there before goes first. Loop thread; files
// on workers, one look at a time for a job.
//
// The bytes of a file are one request while they stand: written again, touched, or seen again by the next
// daemon, they are not asked twice. Other bytes take the place of what is open. Bytes that come back after
// others stood there, or nothing, are asked again, unless their answer is still to be had: then that is
// delivered once more. Written anew after their answer came and the agent took it away, the same bytes are a
// request of their own.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "adapters/inputs/request_file.h"
#include "engine/base/ids.h"
#include "tools/luziad/base/follower.h"
#include "tools/luziad/base/parts.h"
#include "tools/luziad/inputs/answer_files.h"

namespace luzia {

class InputFiles final : public Follower {
 public:
  InputFiles(Parts& parts, IdSource& ids, AnswerFiles& answers)
      : parts_(parts), ids_(ids), answers_(answers), timer_(std::make_unique<Timer>(parts.loop)) {}

  /// The watcher's hook (OutputWatcher::Hooks::requests).
  void hinted(const std::string& job, const std::optional<RequestMarks>& marks);
  /// The attempt is over, and its end about to be reported: `then` runs once what its files ask is decided.
  /// At once when there are none.
  void look_last(const std::string& job, std::function<void()> then);
  /// The job's state changed durably: an attempt that is over is forgotten.
  void job_changed(const JobState& job) override;
  void close() override;

 private:
  /// One of the two files of an attempt.
  struct File {
    std::string asked;            // hash of what was put to the engine last
    std::string written;          // how it was seen last (RequestFile)
    std::string asked_as;         // how it stood when it was asked
    bool written_anew = false;    // since: it was missing, or something else stood there
    std::string refused;          // what was wrong last: told once
    std::string unfinished;       // hash of what is no JSON yet
    TimeUs unfinished_since = 0;  // monotonic
  };
  struct Asker {
    std::uint32_t attempt = 0;
    File question, gate;
    bool looking = false;
    bool again = false;    // a hint came meanwhile
    TimeUs looked_at = 0;  // monotonic
    TimeUs gap = 0;
    std::vector<std::function<void()>> thens;  // not empty: the look to come or under way is the last one
    std::size_t unanswered = 0;                // commands that the engine has not answered
  };
  struct Look {
    RequestFile question, gate;
    bool answer_stands = false, decision_stands = false;
  };
  /// What one look at one file is about.
  struct Case {
    const std::string& job;
    Asker& asker;
    File& file;
    view::InputKind kind;
    const RequestFile& found;
    bool answer_stands;
    bool last;
  };

  /// What is put to the engine.
  struct Request {
    std::string job;
    std::uint32_t attempt = 0;
    view::InputKind kind = view::InputKind::question;
    RequestFile found;
    bool written_anew = false;  // that it was asked before is no reason not to ask it again
  };

  Asker* find(const std::string& job, std::uint32_t attempt);
  Asker* asker_of(const std::string& job);
  void look(const std::string& job, Asker& asker);
  void looked(const std::string& job, std::uint32_t attempt, const Look& found, bool last);
  void look_soon(const std::string& job, TimeUs wait);
  void look_at_due();
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
  JobOrder order_of(const Request& request, TimeUs time);
  JobOrder gate_order_of(const Request& request, const std::string& project, TimeUs time);
  void submit(Asker& asker, CommandMeta meta, JobOrder order,
              std::function<void(const Result<Outcome>&)> then);

  Parts& parts_;
  IdSource& ids_;
  AnswerFiles& answers_;
  std::map<std::string, Asker> askers_;  // attempts that run
  std::map<std::string, TimeUs> due_;    // looks to come, monotonic
  std::unique_ptr<Timer> timer_;         // null once closed
  /// Shared with the work under way, which may end after this object.
  std::shared_ptr<bool> closed_ = std::make_shared<bool>(false);
};

}  // namespace luzia
