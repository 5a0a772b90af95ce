// Alternatives that people would use instead, measured by small scripts (bench/peers) if installed.
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>

#include "bench/harness/driving.h"
#include "bench/harness/scenarios.h"

namespace luzia::bench {
namespace {

constexpr int kNotInstalled = 77;  // the scripts' exit code; they give the reason on standard error

struct Peer {
  double dispatched = 0, finished = 0;  // per second
};

/// The script prints both rates; nullopt if the peer is not installed.
std::optional<Peer> run_peer(const std::string& script, int jobs, const std::string& scratch) {
  std::filesystem::create_directories(scratch);
  const std::string command = "'" + script + "' " + std::to_string(jobs) + " '" + scratch + "'";
  FILE* output = popen(command.c_str(), "r");
  if (output == nullptr) give_up("cannot run " + script);
  Peer peer;
  const int read = fscanf(output, "%lf %lf", &peer.dispatched, &peer.finished);
  const int status = pclose(output);
  if (WIFEXITED(status) && WEXITSTATUS(status) == kNotInstalled) return std::nullopt;
  if (status != 0 || read != 2) give_up(script + " failed");
  return peer;
}

std::vector<Figure> beside_peer(const std::string& name, const Peer& peer, const Peer& ours) {
  Figure dispatch =
      plain_figure("dispatched by a program each, beside " + name, ours.dispatched, "dispatches/s");
  dispatch.yardstick =
      name + (name == "rq" ? " (all by one program, nothing on disk)" : "") + ", dispatches/s";
  dispatch.yardstick_value = peer.dispatched;
  dispatch.goal = "(for comparison)";
  dispatch.met = true;
  Figure finish = plain_figure("true jobs finished, beside " + name, ours.finished, "finished/s");
  finish.yardstick = name + ", finished/s";
  finish.yardstick_value = peer.finished;
  finish.goal = name == "task-spooler" ? ">= 1.2 x the yardstick" : "(for comparison)";
  finish.met = name != "task-spooler" || finish.ratio() >= 1.2;
  return {dispatch, finish};
}

}  // namespace

std::vector<Figure> run_peers(const Setting& setting) {
  Subject subject(setting.bin, setting.scratch + "/luzia", 2);
  subject.start();
  std::vector<Figure> figures;
  for (const char* name : {"task-spooler", "nq", "rq"}) {
    const std::string script = setting.peers + "/" + name + ".sh";
    if (access(script.c_str(), X_OK) != 0) give_up("no script " + script + " (give its folder with --peers)");
    const auto peer = run_peer(script, setting.jobs, setting.scratch + '/' + name);
    if (!peer) continue;
    Client client = subject.connect();
    Peer ours;
    const double begin = now_seconds();
    const Latencies each =
        run_program({subject.program("luzia"), "--config", subject.config(), "dispatch", "bench", "true"},
                    setting.seconds);
    ours.dispatched = static_cast<double>(each.count()) / (now_seconds() - begin);
    const double start = now_seconds();
    wait_for_all(client, dispatch_all(client, "true", setting.jobs));
    ours.finished = setting.jobs / (now_seconds() - start);
    for (Figure& figure : beside_peer(name, *peer, ours)) figures.push_back(std::move(figure));
  }
  return figures;
}

}  // namespace luzia::bench
