// Watches work trees that several running jobs share. It occasionally checks which files have changed there,
// and reports which job changed a file if only one job can have done so (engine/job/work_times.h). A tree
// with one job, or a folder outside of any repository, is not checked. Loop thread; checks run on a worker,
// one at a time, and git in a process of the job's user.
//
// If another tree lies below a job's folder or tree, the job is a guest there: it may have changed files in
// it, but is not notified of any change. It is a guest only if it is root's or of a user whose jobs work in
// that tree.
//
// A check costs a `git status`. So checks happen when a job joins or leaves, soon after, then more and more
// rarely, and take at most a fortieth of the time. A tree with too many files is given up, and so is one
// where check after check fails.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "adapters/git/changed_files.h"
#include "adapters/launcher/process_rest.h"
#include "adapters/notify/delivery.h"
#include "engine/job/work_times.h"
#include "tools/luziad/base/loop.h"

namespace luzia {

class TreeWatch {
 public:
  struct Setting {
    std::string runner_program,
        client_program;            // luzia-run; luzia (empty: not found, and nothing is checked)
    std::uint64_t open_files = 0;  // soft limit of a check
    /// The luzia-run of a job's attempt; pid 0: not known (yet).
    std::function<ProcessId(const std::string& job)> runner_of;
  };
  struct Tell {
    /// The job, which may have ended by now, changed these files below `top`. A file may be reported again.
    std::function<void(const std::string& job, std::uint32_t attempt, const std::string& top,
                       const std::vector<ChangedFile>& files)>
        changed;
    /// For an ended attempt: everything about it has been reported.
    std::function<void(const std::string& job, std::uint32_t attempt)> settled;
    /// The job's folder, as it was named, leads through a link to `real`. May be reported again.
    std::function<void(const std::string& folder, const std::string& real)> linked = {};
  };

  /// Ends a check in progress when `stopping` is requested.
  TreeWatch(uv_loop_t* loop, Workers& workers, std::stop_token stopping, Setting setting, Tell tell);

  /// The attempt may change files from this time (wall clock) on.
  void begin(const JobState& job, TimeUs at);
  /// The attempt changed nothing after this time. True: `settled` will follow.
  bool end(const std::string& job, TimeUs at);
  /// Call it before the loop closes. Reports nothing from then on.
  void close();

 private:
  /// The job's account.
  struct Account {
    std::uint32_t uid = 0, gid = 0;
    std::string home = {};
  };
  struct AtWork {
    std::uint32_t attempt = 0;
    Account account = {};
    RestMark mark = {};
    TimeUs marked_at = 0;  // since when the mark has had this value
  };
  struct Ended {
    std::string job;
    std::uint32_t attempt = 0;
    TimeUs at = 0;
  };
  struct Tree {
    std::uint64_t number = 0;  // counts all trees so far
    WorkTimes times = {};
    std::map<std::string, AtWork> jobs = {};
    std::map<std::string, AtWork> guests = {};  // jobs from folders above
    std::vector<Ended> ended = {};              // not settled yet
    TimeUs looked_at = 0;                       // wall clock; earlier changes are settled
    TimeUs due = 0, not_before = 0;             // the next check; monotonic, due 0: none
    TimeUs pause = 0;                           // between the next check and the one after
    TimeUs clock_offset = 0;                    // wall minus monotonic time
    std::uint32_t failures = 0;                 // consecutive checks without a result
    TimeUs given_up_at = 0;                     // monotonic; 0: not given up
  };
  /// Kept for a tree without jobs, for the next job there. Monotonic.
  struct Left {
    TimeUs not_before = 0, given_up_at = 0;
  };
  /// A job whose folder is being looked up.
  struct Arrival {
    std::string job;
    AtWork work;
    TimeUs from = 0, to = 0;  // to 0: still running
  };
  struct Folder {
    std::string real;     // links resolved; empty: it does not exist
    std::string top;      // empty: in no tree that is watched
    TimeUs known_at = 0;  // monotonic; 0: not known yet
    std::size_t jobs = 0;
    std::vector<Arrival> arrivals = {};
  };
  /// Where a job works: it may change what lies below.
  struct Place {
    std::string reach;  // the top of its tree, or its folder if that is in no tree
    AtWork work;
    TimeUs from = 0;
  };
  /// A job that left while another job's tree was still being looked up, which may lie below its folder.
  struct Departed {
    std::string job;
    std::uint32_t uid = 0;
    std::string reach;
    TimeUs from = 0, to = 0;
  };
  struct Look;

  void find_top(const std::string& directory);
  void arrive(const std::string& directory, const Folder& folder, const Arrival& arrival);
  void enter(const std::string& top, const Arrival& arrival);
  bool all_are_placed() const;
  static bool may_change(std::uint32_t uid, const Tree& tree);
  void invite_guests(Tree& tree, const std::string& top);
  void remember_guests(Tree& tree, const std::string& top, std::optional<std::uint32_t> uid);
  bool depart(const std::string& top, const std::string& job, TimeUs at);
  bool leave(const std::string& top, const std::string& job, TimeUs at);
  void keep(const std::string& top, const Tree& tree);
  void hurry(Tree& tree);
  void arm();
  void look_where_due();
  void look(const std::string& top, Tree& tree);
  void looked(const Look& look);
  void learn_rests(Tree& tree, const Look& look);
  void tell_changes(const std::string& top, const Tree& tree, std::span<const ChangedFile> changed);
  static std::uint32_t attempt_at(const Tree& tree, std::string_view job, TimeUs at);
  TimeUs all_are_in_trees_until() const;
  void tell_in_order(Tree& tree, const Look& look, TimeUs until);
  void settle(Tree& tree, TimeUs until);

  Workers& workers_;
  std::stop_token stopping_;
  Setting setting_;
  Tell tell_;
  std::unique_ptr<Timer> timer_;  // null once closed
  TimeUs began_at_;               // who worked earlier is unknown
  std::map<std::string, Folder> folders_;
  std::map<std::string, std::string> folder_of_;  // by job
  std::map<std::string, Place> places_;           // by job, for jobs whose folder is known
  std::vector<Departed> departed_;                // in order of their ends
  std::map<std::string, Tree> trees_;             // by top
  std::map<std::string, Left> left_;              // by top
  std::uint64_t trees_so_far_ = 0;
  bool looking_ = false;
};

}  // namespace luzia
