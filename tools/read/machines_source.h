// A Source over this machine and others: every query goes to all of them at once, and their rows come back as
// one list. A machine that does not answer in time, or not with rows, is left out: its last known rows stand
// in, and nothing fails because of it. One thread; no other thread may run while it makes a process.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "adapters/config/config.h"
#include "projections/rows/overview.h"
#include "tools/read/asked_machine.h"
#include "tools/read/known_machines.h"
#include "tools/read/merged_rows.h"

namespace luzia {

/// How long a list over machines takes at most. One that did not answer within kSilentFor is waited for a
/// tenth longer than the others took, so that it does not cost this time again and again.
inline constexpr std::chrono::milliseconds kMachinesTakeAtMost{2'000};
inline constexpr TimeUs kSilentFor = 60 * kSecondUs;

struct MachineToAsk {
  std::string name;
  std::string address;  // what it is known by beside its name, so that another one of that name is another
  MachineProcess::Open open;
  /// Makes who is asked; empty: a process that opens it.
  std::function<std::unique_ptr<AskedMachine>()> asked = {};
};

class MachinesSource : public Source {
 public:
  using Clock = std::chrono::steady_clock;

  /// `asked`: what the user asked, the same text for the same again; it names the rows that are kept. Empty:
  /// none are. `most`: how long all queries take together.
  MachinesSource(std::vector<MachineToAsk> machines, KnownMachines known, std::string asked, TimeUs now,
                 std::chrono::milliseconds most = kMachinesTakeAtMost);

  bool is_daemon() const override { return true; }
  Result<Position> end() override { return Position{0}; }
  Result<RowPage> query(const wire::QueryT& query) override;
  /// `ambiguous_job` (usage): the beginning of an id in the filter names several jobs, also of different
  /// machines. `no_such_job` (not_found): no machine has it.
  Result<RowPage> collect(const wire::QueryT& query, std::size_t limit) override;
  Result<std::string> output_from(const std::string& job, std::uint64_t offset) override;
  Result<std::string> verify(const ProgressSink& progress) override;
  Result<std::string> rebuild(const ProgressSink& progress) override;
  Result<std::string> backup(const std::string& target, const ProgressSink& progress) override;

  /// Of all rows so far.
  const RowMachines& machines() const { return rows_; }
  /// Whether rows were left out because of a limit.
  bool is_cut() const { return is_cut_; }
  /// Adds the machines of an overview's pauses and alerts to machines().
  void name_rows(const StatusNotes& notes);
  /// What is missing, in one line; empty: all machines have answered.
  std::string missing_text() const;
  /// Which ids with this beginning another machine claims than the one that has them, in one line; empty:
  /// none.
  std::string claims_text(std::string_view beginning = {}) const;

 private:
  struct Asked {
    MachineToAsk machine;
    std::unique_ptr<AskedMachine> asked;
    bool was_silent = false;  // lately
    bool pending = false;
    bool failed = false;  // it is asked no more
    std::optional<Result<RowPage>> answer = {};
  };

  void ask_each(const wire::QueryT& query, std::size_t limit);
  void wait_for_answers();
  Clock::time_point deadline() const;
  std::string question_of(const wire::QueryT& query) const;
  void take_failure(std::size_t i, const Error& error);
  Result<std::vector<MachineAnswer>> take_answers(const wire::QueryT& query);
  void remember_jobs();
  void learn_jobs();
  Status check_beginnings(const wire::QueryT& query) const;

  std::vector<Asked> asked_;
  KnownMachines known_;
  std::string question_;
  RowMachines rows_;
  std::vector<std::size_t> of_pauses_, of_alerts_;
  bool is_cut_ = false;
  Clock::time_point begun_, slowest_;  // slowest_: when the last answer came
  std::chrono::milliseconds most_;
};

}  // namespace luzia
