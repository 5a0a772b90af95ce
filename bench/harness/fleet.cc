// The mirror of a fleet: a backlog beside psql's COPY of the same groups, the time from a durable event to
// the fleet's database, from an order to the start of its job, and what the mirror costs dispatches.
// PostgreSQL runs on the same processors and disk.
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <optional>

#include "bench/harness/driving.h"
#include "bench/harness/event_load.h"
#include "bench/harness/progress.h"
#include "bench/harness/scenarios.h"
#include "bench/harness/scratch_database.h"
#include "engine/base/time.h"
#include "view.fb.h"

namespace luzia::bench {
namespace {

constexpr const char* kForComparison = "(for comparison)";
constexpr double kMirrorPatience = 1'800, kLoadPerSecond = 200;
constexpr useconds_t kLookAgainUs = 5'000;

/// Waits until all of the subject is in the database. `seen` gets each position on the way, and its moment.
template <class Seen>
double wait_for_mirror(Postgres& database, std::uint64_t tip, Seen seen) {
  const double begin = now_seconds();
  for (double now = begin; now - begin < kMirrorPatience; now = now_seconds()) {
    const Mirrored at = mirrored_to(database);
    seen(at.position, now_seconds() - begin);
    if (at.position >= tip && at.rows_position >= tip) return now_seconds() - begin;
    usleep(kLookAgainUs);
  }
  give_up("luzia-fleet did not mirror " + std::to_string(tip) + " events; see its fleet.log");
}

void await_mirror(const Subject& subject, Postgres& database) {
  Client client = subject.connect();
  wait_for_mirror(database, tip_of(client), [](std::uint64_t, double) {});
}

/// The bytes of the groups up to this position, in MiB.
double mib_up_to(Postgres& database, std::uint64_t position) {
  return number_of(database,
                   "SELECT sum(octet_length(frames)) / 1048576.0 FROM luzia.site_groups WHERE site = 'bench' "
                   "AND last_position <= " +
                       std::to_string(position));
}

/// The same groups by psql, into a table of the same columns and key. MiB/s: median and spread.
std::pair<double, double> psql_copy(const Setting& setting, const ScratchDatabase& server, double mib) {
  const std::string file = "'" + setting.scratch + "/groups.copy'";
  server.psql(
      {"CREATE TABLE copied (LIKE luzia.site_groups INCLUDING ALL)",
       "\\copy (SELECT * FROM luzia.site_groups WHERE site = 'bench') TO " + file + " (FORMAT binary)"});
  const auto rate = repeated(setting.repetitions, [&] {
    server.psql({"TRUNCATE copied"});
    const double begin = now_seconds();
    server.psql({"\\copy copied FROM " + file + " (FORMAT binary)"});
    return mib / (now_seconds() - begin);
  });
  server.psql({"DROP TABLE copied"});
  return rate;
}

/// The last transaction also writes all rows, so the speed of the groups is that of those before it.
std::vector<Figure> mirror_backlog(const Setting& setting, const Subject& subject,
                                   const ScratchDatabase& server) {
  Postgres database = server.connect();
  Client client = subject.connect();
  const std::uint64_t tip = tip_of(client);
  std::uint64_t groups_to = 0;
  double groups_seconds = 0;
  show_progress("fleet: mirroring " + std::to_string(tip) + " events");
  const RunningMirror mirror(subject, server);
  const double whole = wait_for_mirror(database, tip, [&](std::uint64_t position, double seconds) {
    if (position == groups_to || (position >= tip && groups_to != 0)) return;
    groups_to = position;
    groups_seconds = seconds;
  });
  show_progress("fleet: psql");
  const auto copied = psql_copy(setting, server, mib_up_to(database, tip));
  const std::string what = "mirror of " + std::to_string(tip) + " events";
  Figure groups =
      plain_figure(what + ", its groups", mib_up_to(database, groups_to) / groups_seconds, "MiB/s");
  groups.yardstick = "psql's COPY of the same groups, MiB/s";
  groups.yardstick_value = copied.first;
  Figure rows = plain_figure(what + ", with its rows", whole, "s");
  rows.yardstick = "psql's COPY of the groups alone, s";
  rows.yardstick_value = mib_up_to(database, tip) / copied.first;
  for (Figure* figure : {&groups, &rows}) {
    figure->goal = kForComparison;
    figure->met = true;
  }
  return {groups, rows};
}

/// When the job has started, in seconds since 1970.
double start_of(Client& client, const std::string& job) {
  for (const double begin = now_seconds(); now_seconds() - begin < kMirrorPatience; usleep(kLookAgainUs)) {
    const auto reply = client.ask(job_query(job));
    if (!reply) give_up(reply.error().message);
    const auto* rows = (*reply)->reply.AsRows();
    if (rows == nullptr || rows->rows.size() != 1) give_up("no row of job " + job);
    const auto* row = flatbuffers::GetRoot<view::Job>(rows->rows.front()->data.data());
    if (row->started_us() != 0) return static_cast<double>(row->started_us()) / kSecondUs;
  }
  give_up("job " + job + " does not start");
}

/// From the start of luzia, with these options, to the moment when its job has started.
Latencies until_started(const Setting& setting, const Subject& subject, const std::string& options) {
  const std::string command = "'" + subject.program("luzia") + "' --config '" +
                              RunningMirror::config(subject) + "' " + options +
                              " dispatch bench true 2> /dev/null";
  Client client = subject.connect();
  Latencies late;
  for (const double begin = now_seconds(); now_seconds() - begin < setting.seconds; usleep(kLookAgainUs)) {
    const std::chrono::duration<double> before = std::chrono::system_clock::now().time_since_epoch();
    late.add(start_of(client, first_line_of(command)) - before.count());
  }
  return late;
}

/// No other machine takes orders.
Figure measure_orders(const Setting& setting, const Subject& subject, const ScratchDatabase& server) {
  Postgres database = server.connect();
  const RunningMirror mirror(subject, server);
  await_mirror(subject, database);
  while (number_of(database, "SELECT count(*) FROM luzia.order_takers") != 1) usleep(kLookAgainUs);
  show_progress("fleet: orders");
  const Latencies ordered = until_started(setting, subject, "--on fleet:any");
  const Latencies here = until_started(setting, subject, "");
  Figure figure = plain_figure("luzia --on fleet:any dispatch -> started", ordered.percentile_us(0.5), "us");
  figure.p50_us = figure.value;
  figure.p99_us = ordered.percentile_us(0.99);
  figure.yardstick = "p50 of luzia dispatch -> started, us";
  figure.yardstick_value = here.percentile_us(0.5);
  figure.goal = "p50 <= 50 ms";
  figure.met = figure.value <= 50'000;
  return figure;
}

/// From the acknowledgement of a dispatch to the moment when a reader of the database sees its event.
Latencies until_visible(const Setting& setting, const Subject& subject, Postgres& database) {
  Client client = subject.connect();
  Latencies late;
  const wire::RequestUnion request = dispatch_request("true");
  for (const double begin = now_seconds(); now_seconds() - begin < setting.seconds;) {
    const auto answer = client.ask(request);
    if (!answer) give_up(answer.error().message);
    const auto* accepted = (*answer)->reply.AsAccepted();
    if (accepted == nullptr) give_up("a dispatch was refused");
    const double durable = now_seconds();
    while (mirrored_to(database).position < accepted->position) {
      if (now_seconds() - durable > kMirrorPatience) give_up("luzia-fleet has stopped; see its fleet.log");
    }
    late.add(now_seconds() - durable);
    usleep(kLookAgainUs);
  }
  return late;
}

/// One row, committed at a time.
Latencies commits(const Setting& setting, const ScratchDatabase& server) {
  server.psql({"CREATE TABLE small (number bigint)"});
  Postgres database = server.connect();
  Latencies each;
  for (const double begin = now_seconds(); now_seconds() - begin < setting.seconds;) {
    const double before = now_seconds();
    if (const auto done = database.run("INSERT INTO small VALUES (1)"); !done) give_up(done.error().message);
    each.add(now_seconds() - before);
  }
  return each;
}

Figure visible_figure(const std::string& name, const Latencies& late, const Latencies& commit) {
  Figure figure =
      plain_figure("event durable at a site -> visible in the fleet" + name, late.percentile_us(0.5), "us");
  figure.p50_us = figure.value;
  figure.p99_us = late.percentile_us(0.99);
  figure.yardstick = "p50 of a commit of one row, us";
  figure.yardstick_value = commit.percentile_us(0.5);
  figure.goal = "p50 <= 20 ms, p99 <= 100 ms";
  figure.met = figure.value <= 20'000 && *figure.p99_us <= 100'000;
  return figure;
}

/// The queue is paused at the end, so what is dispatched stays in it.
std::vector<Figure> measure_visible(const Setting& setting, const Subject& subject,
                                    const ScratchDatabase& server) {
  Postgres database = server.connect();
  const Latencies commit = commits(setting, server);
  const RunningMirror mirror(subject, server);
  std::vector<Figure> figures;
  {
    EventLoad load(subject, kLoadPerSecond);
    pause(subject);
    await_mirror(subject, database);
    show_progress("fleet: events under load");
    figures.push_back(visible_figure(", at 200 events/s", until_visible(setting, subject, database), commit));
  }
  await_mirror(subject, database);
  show_progress("fleet: single events");
  figures.insert(figures.begin(), visible_figure("", until_visible(setting, subject, database), commit));
  return figures;
}

Figure measure_dispatch(const Setting& setting, const Subject& subject, const ScratchDatabase& server) {
  Postgres database = server.connect();
  std::vector<double> alone;
  Latencies latencies;
  const auto rate = repeated(setting.repetitions, [&] {
    show_progress("fleet: dispatching without the mirror");
    alone.push_back(dispatch_from_many(subject, 1, 128, setting.seconds).per_second);
    const RunningMirror mirror(subject, server);
    show_progress("fleet: the mirror catches up");
    await_mirror(subject, database);
    show_progress("fleet: dispatching beside the mirror");
    const Rate beside = dispatch_from_many(subject, 1, 128, setting.seconds);
    latencies.add_all(beside.latencies);
    return beside.per_second;
  });
  Figure figure = rate_figure("dispatch beside the mirror, 1 client with 128 outstanding", rate,
                              "dispatches/s", latencies);
  figure.yardstick = "the same without luzia-fleet, dispatches/s";
  figure.yardstick_value = median(alone);
  figure.goal = kForComparison;
  figure.met = true;
  return figure;
}

/// A daemon of root takes orders for jobs of others only.
void have_jobs_run_as_nobody(const Setting& setting, const Subject& subject) {
  if (geteuid() != 0) return;
  std::ofstream(subject.config(), std::ios::app) << "user = \"nobody\"\n";
  for (const std::string& folder : {setting.scratch, subject.home()})
    std::filesystem::permissions(folder, std::filesystem::perms::others_exec,
                                 std::filesystem::perm_options::add);
}

}  // namespace

std::vector<Figure> run_fleet(const Setting& setting) {
  Subject subject(setting.bin, setting.scratch + "/fleet", kLoadedJobs);
  HistoryShape shape;
  shape.events = setting.events;
  fill_store(subject, shape);
  show_progress("fleet: starting PostgreSQL");
  const ScratchDatabase server(setting.scratch + "/postgres");
  run_program({subject.program("luzia-fleet"), "init", "--url", server.url()}, 0);
  have_jobs_run_as_nobody(setting, subject);
  subject.start();
  std::vector<Figure> figures = mirror_backlog(setting, subject, server);
  figures.push_back(measure_orders(setting, subject, server));
  for (Figure& figure : measure_visible(setting, subject, server)) figures.push_back(std::move(figure));
  figures.push_back(measure_dispatch(setting, subject, server));
  return figures;
}

}  // namespace luzia::bench
