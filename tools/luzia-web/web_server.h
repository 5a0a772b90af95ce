// What becomes of a request: the gate, the budgets, the device, the route, and who answers. Loop thread.
// Short reads ask the daemon from there; what waits for it, or takes long, runs on workers.
#pragma once

#include <map>
#include <set>

#include "engine/device/listening.h"
#include "tools/luzia-web/budget.h"
#include "tools/luzia-web/daemon_lines.h"
#include "tools/luzia-web/far_machines.h"
#include "tools/luzia-web/find.h"
#include "tools/luzia-web/fleet_rows.h"
#include "tools/luzia-web/gate.h"
#include "tools/luzia-web/push.h"
#include "tools/luzia-web/stepped_reading.h"
#include "tools/luzia-web/streams.h"

namespace luzia::web {

/// Of the daemon. `store`: its path; empty: unknown. `config_file`: empty: the default places.
struct DaemonFiles {
  std::string store, config_file;
};

class WebServer {
 public:
  /// `socket`: of the daemon. `listening` has passed check_listening().
  WebServer(std::string socket, DaemonFiles files, const WebListening& listening);

  /// Listens and begins to follow the daemon. Returns the address of the page: http://127.0.0.1:8737.
  Result<std::string> start();
  /// Serves; `stopped` is called when a stop() is complete.
  void run(std::function<void()> stopped);
  /// Ends the streams and what is being answered, soon. Any thread.
  void stop();

 private:
  using Id = HttpServer::Id;

  HttpServer::Handlers handlers();
  std::optional<Answer> refused(const Request& request);
  void asked(Id id, Request request);
  void serve_anyone(Id id, const Match& match, const Request& request);
  void pair(Id id, const Match& match, const Request& request);
  Status may_show(Secret secret, const Request& request, std::int64_t now_us) const;
  Answer paired_answer(const Admission& admission, int status) const;
  void admit(Id id, Match match, Request request);
  void serve(Id id, const Device& device, const Match& match, const Request& request);
  void serve_reading(Id id, const Device& device, const Match& match, const Request& request);
  void serve_command(Id id, const Device& device, const Match& match, const Request& request);
  /// A list over the machines of the fleet.
  void serve_list_of_fleet(Id id, const Device& device, const Match& match, const Request& request);
  /// A list over this machine and the others.
  void serve_list_of_all(Id id, const Device& device, const Match& match, const Request& request);
  /// Goes on with a read on the loop for as long as that is light, else on a worker.
  void go_on_reading(Id id);
  void read_on_worker(Id id);
  void stream(Id id, const Device& device, const Request& request);
  Answer change_push(const Device& device, const Match& match, const Request& request);
  /// Searches on a worker, no longer than the client waits.
  void search(Id id, const Device& device, const Match& match, const Request& request);
  void gone(Id id);
  /// Answers on a worker.
  void work(Id id, const std::string& device, std::function<Answer()> work);
  void work_on(Workers& workers, Id id, const std::string& device, std::function<Answer()> work);
  void answer(Id id, Answer answer);
  void note_pages();
  std::string metrics() const;
  /// Whether browsers reach it by https.
  bool is_secure() const { return gate_.tls || gate_.behind_proxy; }
  void on_tick();

  using Headers = std::vector<std::pair<std::string, std::string>>;
  struct Reading {
    std::string device;
    Headers headers;  // of an answer that is no error
    std::shared_ptr<SteppedReading> steps;
  };

  DaemonDoor door_;
  DaemonFiles files_;
  GatePolicy gate_;
  ListenPlace place_;
  std::string cookie_;
  Budget budget_;
  Devices devices_;
  HttpServer http_;
  DaemonLines lines_;
  std::map<Id, Reading> readings_;  // on the loop
  Workers workers_;
  Workers searchers_;  // of their own: searches take long, and what else is asked does not wait for them
  FarMachines far_;
  FleetRows fleet_;
  Workers far_askers_;  // likewise for other machines
  Streams streams_;
  std::map<Id, Unwanted> searches_;
  PushKey push_key_;
  std::set<std::string> pages_;  // the devices that the daemon was told of last
  std::int64_t pages_us_ = 0;    // when
  bool noting_pages_ = false;
  std::function<void()> stopped_;
  std::int64_t stop_by_us_ = 0;            // 0: it goes on
  std::map<int, std::uint64_t> answered_;  // by status
};

}  // namespace luzia::web
