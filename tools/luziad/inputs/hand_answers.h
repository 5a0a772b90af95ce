// Answers that people write by hand into response.json or approved.json of a job directory, instead of luzia
// answer or luzia approve. Only a request that came by file is answered so. The answer is decided like any
// other, in the name of the file's owner: the job's user or root, who may answer (who-may.md). A file that
// names another request, as an earlier answer of Luzia does, is none.
//
// The agent runs as the job's user too, so a file of that user does not show that a person wrote it. It never
// approves what the configuration or the dispatch put behind a gate. A file of root was written by root, but
// the agent may have kept it from an earlier question: it must be newer than the question.
//
// A watch on the job directory exists while such a request is open, also when its agent has ended to wait.
// Loop thread; files are read on workers.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "adapters/config/config.h"
#include "adapters/inputs/hand_answer.h"
#include "adapters/output_log/file_hint.h"
#include "engine/core/engine.h"
#include "tools/luziad/base/follower.h"
#include "tools/luziad/base/loop.h"
#include "tools/luziad/inputs/look_gap.h"

namespace luzia {

class HandAnswers final : public Follower {
 public:
  HandAnswers(const Threads& threads, const Config& config, Engine& engine);

  /// Begins or ends the watch, and looks.
  void job_changed(const JobState& job) override;
  /// The attempt is over and its end about to be reported: calls `then` once answers that are there already
  /// are decided. Calls it at once if no request of the job is open.
  void look_last(const std::string& job, std::function<void()> then);
  void close() override;

 private:
  /// A file that is not JSON: when it was last written, and since when that has been known.
  struct Rest {
    TimeUs written = 0, since = 0;
  };
  struct Asked {
    std::unique_ptr<FileHint> hint;
    std::unique_ptr<Timer> later;  // a look that was put off
    LookGap gap;
    bool unhinted = false, looking = false, again = false;
    std::map<view::InputKind, Rest> rest;      // of the file that answers such a request
    std::set<std::string> refused;             // what was warned about
    std::vector<std::function<void()>> thens;  // called after a look that begins from now on
  };
  struct Found;

  void hinted(const std::string& job);
  void look_later(const std::string& job, TimeUs wait);
  void look(const std::string& job);
  void looked(const std::string& job, const Found& found);
  void take(const JobState& job, view::InputKind kind, const Result<std::optional<HandAnswer>>& found);
  /// Why this answer does not count, although its owner may answer.
  Status check_author(const JobState& job, const view::InputRequestT& request,
                      const HandAnswer& answer) const;
  /// Looks again while the file may still be being written; then it is refused.
  void await_rest(const JobState& job, view::InputKind kind, TimeUs written);
  void refuse(const JobState& job, const Error& why);
  void forget(const std::string& job);

  uv_loop_t* loop_;
  Workers& workers_;
  const Config& config_;
  Engine& engine_;
  FileHint::Hint hint_;
  std::map<std::string, Asked> asked_;
  std::map<std::uint64_t, std::string> watches_;  // job by watch
  std::uint64_t next_watch_ = 1;
  /// Shared with work in progress, which may outlive this object.
  std::shared_ptr<bool> closed_ = std::make_shared<bool>(false);
};

}  // namespace luzia
