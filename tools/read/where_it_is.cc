#include "tools/read/where_it_is.h"

#include <algorithm>
#include <cstdlib>
#include <iterator>
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
  const bool placed = invocation.args().has("machines") || !invocation.elsewhere().empty() ||
                      invocation.args().has("store") ||
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

bool names_word(const Error& error, const std::string& word) {
  return error.message.find("'" + word + "'") != std::string::npos;
}

/// What names jobs in the command: its arguments, and --job.
std::vector<std::string> naming_words(const Invocation& invocation) {
  std::vector<std::string> words = invocation.args().positionals();
  std::ranges::copy(invocation.args().list("job"), std::back_inserter(words));
  return words;
}

/// The word that the error says is not here; empty: none, or not one that may be elsewhere.
std::string missing_word(const Invocation& invocation, const Error& error) {
  std::string first;
  for (const std::string& word : naming_words(invocation)) {
    if (!may_be_elsewhere(error, word) || !comes_into_question(invocation, word)) continue;
    if (names_word(error, word)) return word;
    if (first.empty()) first = word;
  }
  return first;
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
      // Sooner than the list ends, so that it can say why.
      SilenceLimit silence{most - most / 10, {}};
      silence.counts_connecting = true;
      return open_machine(machine, silence);
    };
    machines.push_back({machine.name, place_text(machine), open});
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
  const std::string about = is_job_id_prefix(word) ? word : jobs.size() == 1 ? *jobs.begin() : std::string();
  const std::string claims = about.empty() ? std::string() : source.claims_text(about);
  if (!claims.empty()) {
    return fail(ErrorKind::usage, "ambiguous_job", claims, "luzia --on MACHINE says which one is meant");
  }
  if (jobs.empty()) return tl::unexpected(not_elsewhere_either(error, source));
  if (jobs.size() > 1) {
    return fail(ErrorKind::usage, "which_question", "'" + word + "' is the beginning of several ids",
                "luzia inbox --machines lists them");
  }
  const RowMachine* found = source.machines().find(*jobs.begin());
  // What a machine said earlier may be old; only what it says now is acted upon.
  if (found == nullptr || !found->answered()) return tl::unexpected(not_elsewhere_either(error, source));
  return machine_named(**config, found->name);
}

Result<int> run_where_it_is(Invocation& invocation, const std::function<Result<int>()>& run) {
  auto done = run();
  if (invocation.args().has("fleet")) return done;
  const std::string word = done ? std::string() : missing_word(invocation, done.error());
  if (word.empty()) return done;
  const Error here = done.error();
  for (const bool from_memory : {true, false}) {
    auto machine = machine_that_has(invocation, word, here, from_memory);
    if (!machine) return tl::unexpected(machine.error());
    invocation.console().say_to_person("on " + make_harmless(machine->name) + ":");
    invocation.use_machine(std::move(*machine));
    done = run();
    if (done || !may_be_elsewhere(done.error(), word)) break;
    if (!names_word(done.error(), word) && naming_words(invocation).size() > 1) {
      done.error().hint = "the jobs are on several machines: name those of one at a time";
      break;
    }
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
