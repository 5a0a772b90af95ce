// Work trees that several running jobs share: looks now and then which files have changed there, and tells
// which job did it where one alone can have done it (engine/job/work_times.h). While a job has a tree to
// itself, or its folder is in no repository, nothing is looked at. A job whose folder or tree has another
// tree below it is a guest there, if it is root's or of a user whose jobs work in that tree: it can have
// changed what changes in that one, but is told of none of it. Loop thread; looks run on a worker, one at a
// time, and git in a process of the job's user.
//
// A look costs a `git status`, so it comes when a job joins or leaves, soon after, then ever more rarely, and
// never so often that it takes more than a fortieth of the time. A tree of too many files is given up, and so
// is one where look after look fails.
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
        client_program;            // luzia-run; luzia, empty: there is none, and nothing is looked at
    std::uint64_t open_files = 0;  // soft limit of a look
    /// The luzia-run of a job's attempt; pid 0: not known (yet).
    std::function<ProcessId(const std::string& job)> runner_of;
  };
  struct Tell {
    /// These files, below `top`, were changed by the job, which may have ended by now. A file may come again.
    std::function<void(const std::string& job, std::uint32_t attempt, const std::string& top,
                       const std::vector<ChangedFile>& files)>
        changed;
    /// Of an attempt that has ended: all that will be told of it was told.
    std::function<void(const std::string& job, std::uint32_t attempt)> settled;
    /// The folder of a job, as it was named, is reached by a link, and is really that one. Comes again.
    std::function<void(const std::string& folder, const std::string& real)> linked = {};
  };

  /// A look that is under way ends when `stopping` is asked for.
  TreeWatch(uv_loop_t* loop, Workers& workers, std::stop_token stopping, Setting setting, Tell tell);

  /// An attempt may do something from that time (wall clock) on.
  void begin(const JobState& job, TimeUs at);
  /// It did its last by then. True: `settled` follows.
  bool end(const std::string& job, TimeUs at);
  /// Before the loop is. Nothing is told any more.
  void close();

 private:
  /// Whose job it is.
  struct Account {
    std::uint32_t uid = 0, gid = 0;
    std::string home = {};
  };
  struct AtWork {
    std::uint32_t attempt = 0;
    Account account = {};
    RestMark mark = {};
    TimeUs marked_at = 0;  // since when the mark is as it is
  };
  struct Ended {
    std::string job;
    std::uint32_t attempt = 0;
    TimeUs at = 0;
  };
  struct Tree {
    std::uint64_t number = 0;  // of all trees that there were
    WorkTimes times = {};
    std::map<std::string, AtWork> jobs = {};
    std::map<std::string, AtWork> guests = {};  // from folders above
    std::vector<Ended> ended = {};              // not settled
    TimeUs looked_at = 0;                       // wall clock; what changed before was told, or is nobody's
    TimeUs due = 0, not_before = 0;             // the next look; monotonic, due 0: none
    TimeUs pause = 0;                           // between the next and the one after
    TimeUs clock_offset = 0;                    // wall minus monotonic time
    std::uint32_t failures = 0;                 // looks without a result, in a row
    TimeUs given_up_at = 0;                     // monotonic; 0: it is not
  };
  /// Of a tree that nobody works in, for whoever comes next. Monotonic.
  struct Left {
    TimeUs not_before = 0, given_up_at = 0;
  };
  /// A job whose folder is being found out about.
  struct Arrival {
    std::string job;
    AtWork work;
    TimeUs from = 0, to = 0;  // to 0: it goes on
  };
  struct Folder {
    std::string real;     // without links; empty: it is not there
    std::string top;      // empty: in no tree that is looked at
    TimeUs known_at = 0;  // monotonic; 0: not yet
    std::size_t jobs = 0;
    std::vector<Arrival> arrivals = {};
  };
  /// Where a job works: what it may change lies below.
  struct Place {
    std::string reach;  // the top of its tree, or its folder if that is in none
    AtWork work;
    TimeUs from = 0;
  };
  /// A job that left while somebody's tree was still to be found, which may lie below.
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
  TimeUs began_at_;               // of earlier times nobody knows who worked
  std::map<std::string, Folder> folders_;
  std::map<std::string, std::string> folder_of_;  // by job
  std::map<std::string, Place> places_;           // by job, of those whose folder is known
  std::vector<Departed> departed_;                // in order of their ends
  std::map<std::string, Tree> trees_;             // by top
  std::map<std::string, Left> left_;              // by top
  std::uint64_t trees_so_far_ = 0;
  bool looking_ = false;
};

}  // namespace luzia
