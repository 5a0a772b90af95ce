#include "tools/read/where_it_is.h"

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <set>

#include "engine/base/ids.h"
#include "engine/base/try.h"
#include "projections/rows/harmless.h"
#include "tools/read/machine_source.h"

namespace luzia {
namespace {

using std::chrono::milliseconds;

bool is_question(std::string_view word) {
  return word.starts_with("q-");
}
bool is_approval(std::string_view word) {
  return word.starts_with("a-");
}

/// Why other machines are not asked about this word is no concern of the user: the error stands.
bool comes_into_question(const Invocation& invocation, const std::string& word) {
  const bool is_id = is_question(word) || is_approval(word) || is_job_id_prefix(word);
  const bool placed = !invocation.elsewhere().empty() || invocation.args().has("store") ||
                      !variable(invocation.surroundings(), "LUZIA_SOCKET").empty();
  return is_id && !placed && invocation.program().open_store == nullptr && !invocation.surroundings().source;
}

/// The jobs whose open request has this id, or an id that begins so.
template <class Row>
Result<std::set<std::string>> jobs_that_ask(MachinesSource& source, wire::View view, const std::string& id) {
  wire::QueryT query = view_query(view);
  query.filter->ended = false;
  const auto page = LUZIA_TRY(source.collect(query, 0));
  const auto rows = LUZIA_TRY(rows_of<Row>(page));
  std::set<std::string> jobs;
  for (const Row* row : rows) {
    if (text(row->id()).starts_with(id)) jobs.emplace(text(row->job()));
  }
  return jobs;
}

Result<std::set<std::string>> jobs_named(MachinesSource& source, const std::string& word) {
  if (is_question(word)) return jobs_that_ask<view::Question>(source, wire::View::questions, word);
  if (is_approval(word)) return jobs_that_ask<view::Approval>(source, wire::View::approvals, word);
  wire::QueryT query = view_query(wire::View::jobs);
  query.filter->jobs = {word};
  const auto page = source.collect(query, 0);
  if (!page && may_be_elsewhere(page.error(), word)) return std::set<std::string>();
  if (!page) return tl::unexpected(page.error());
  const auto rows = LUZIA_TRY(rows_of<view::Job>(*page));
  std::set<std::string> jobs;
  for (const view::Job* row : rows) jobs.emplace(text(row->id()));
  return jobs;
}

Error not_elsewhere_either(Error error, const MachinesSource& source) {
  std::string without;
  for (const RowMachine& machine : source.machines().machines) {
    if (machine.answered()) without += (without.empty() ? ", nor on " : ", ") + machine.name;
  }
  error.message += without;
  if (const std::string missing = source.missing_text(); !missing.empty()) error.message += "; " + missing;
  return error;
}

}  // namespace

std::vector<MachineToAsk> other_machines(const Config& config, milliseconds most) {
  std::vector<MachineToAsk> machines;
  for (const Machine& machine : configured_machines(config)) {
    const auto open = [machine, most] {
      // In a process of its own. Another machine does not know the job that this may be.
      const SshEndsOnSigterm ends;
      for (const char* name : {"LUZIA_JOB_ID", "LUZIA_ATTEMPT", "LUZIA_CREDENTIAL"}) ::unsetenv(name);
      return open_machine(machine, {most, {}});
    };
    const std::string address = machine.destination + ":" + std::to_string(machine.port) + machine.store;
    machines.push_back({machine.name, address, open});
  }
  return machines;
}

Result<milliseconds> time_for_machines(const Invocation& invocation) {
  if (!invocation.args().has("patience")) return kMachinesTakeAtMost;
  const auto silence = LUZIA_TRY(invocation.silence());
  return silence.limit.count() == 0 ? milliseconds(std::chrono::hours(1)) : silence.limit;
}

bool may_be_elsewhere(const Error& error, std::string_view word) {
  if (is_question(word)) return error.code == "no_such_question";
  return error.code == (is_approval(word) ? "no_such_approval" : "no_such_job");
}

Result<Machine> machine_that_has(Invocation& invocation, const std::string& word, const Error& error,
                                 bool from_memory) {
  if (!may_be_elsewhere(error, word) || !comes_into_question(invocation, word)) return tl::unexpected(error);
  const auto config = invocation.config();
  if (!config || (*config)->machines.empty()) return tl::unexpected(error);
  const KnownMachines known = KnownMachines::of_user();
  if (from_memory && is_job_id(word)) {
    if (auto machine = machine_named(**config, known.machine_of(word))) return std::move(*machine);
  }
  const auto most = LUZIA_TRY(time_for_machines(invocation));
  MachinesSource source(other_machines(**config, most), known, {}, invocation.now(), most);
  const auto jobs = LUZIA_TRY(jobs_named(source, word));
  if (jobs.empty()) return tl::unexpected(not_elsewhere_either(error, source));
  if (jobs.size() > 1) {
    return fail(ErrorKind::usage, "which_question", "'" + word + "' is the beginning of several ids",
                "luzia questions and luzia approvals --machines list them");
  }
  const RowMachine* found = source.machines().find(*jobs.begin());
  // What a machine said earlier may be old; only what it says now is acted upon.
  if (found == nullptr || !found->answered()) return tl::unexpected(not_elsewhere_either(error, source));
  const auto also = source.machines().also_of_id.find(*jobs.begin());
  if (also != source.machines().also_of_id.end()) {
    return fail(ErrorKind::usage, "ambiguous_job",
                "both " + found->name + " and " + source.machines().machines[also->second].name +
                    " say that they have " + *jobs.begin(),
                "luzia --on MACHINE says which one is meant");
  }
  return machine_named(**config, found->name);
}

Result<int> run_where_it_is(Invocation& invocation, const std::function<Result<int>()>& run) {
  auto done = run();
  const auto& words = invocation.args().positionals();
  if (done || words.empty() || !may_be_elsewhere(done.error(), words.front())) return done;
  const Error here = done.error();
  for (const bool from_memory : {true, false}) {
    auto machine = machine_that_has(invocation, words.front(), here, from_memory);
    if (!machine) return tl::unexpected(machine.error());
    invocation.console().say_to_person("on " + make_harmless(machine->name) + ":");
    invocation.use_machine(std::move(*machine));
    done = run();
    if (done || !may_be_elsewhere(done.error(), words.front())) break;
  }
  return done;
}

Result<wire::AcceptedT> act_where_it_is(Invocation& invocation, const std::string& job, const Error& error,
                                        const std::function<Result<wire::AcceptedT>(Invocation&)>& act) {
  Result<wire::AcceptedT> done = tl::unexpected(error);
  for (const bool from_memory : {true, false}) {
    auto machine = LUZIA_TRY(machine_that_has(invocation, job, error, from_memory));
    Invocation there(invocation.program(), invocation.command(), invocation.args(),
                     invocation.surroundings());
    there.use_machine(std::move(machine));
    done = act(there);
    if (done || !may_be_elsewhere(done.error(), job)) break;
  }
  return done;
}

}  // namespace luzia
