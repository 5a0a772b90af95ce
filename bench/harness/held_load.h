// The load of the soak scenario, in three parts that share one daemon. Jobs continuously start, print and end
// behind a long queue. Connected clients query in turn. A prober times one answer after another and separates
// the daemon's own delay from a busy machine's.
#pragma once

#include <mutex>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

#include "bench/harness/measure.h"
#include "bench/harness/scenarios.h"
#include "bench/harness/subject.h"
#include "event.fb.h"

namespace luzia::bench {

/// Ids that clients may query. Any thread.
class KnownJobs {
 public:
  void add_running(const std::string& id);
  void remove_running(const std::string& id);
  void set_last_queued(const std::string& id);
  /// One of the running jobs, varying with `turn`; empty: none runs.
  std::string running(std::size_t turn) const;
  std::string last_queued() const;

 private:
  mutable std::mutex mutex_;
  std::vector<std::string> running_;
  std::string last_queued_;
};

/// Keeps the queue at its length and follows every job to its end. The thread that owns it calls step().
class HeldJobs {
 public:
  /// Each job prints 20 to 40 lines at a rate of 30 per `lifetime_s` seconds, and ends.
  HeldJobs(const Subject& subject, const Setting& setting, double lifetime_s, KnownJobs& known);
  /// Blocks until the wanted numbers of jobs run and wait.
  void fill();
  /// Handles the events of the next 50 ms and refills the queue.
  void step();
  /// Stops starting jobs; cancels the running ones and waits for them.
  void end();

  int running() const { return running_; }
  int queued() const { return queued_; }
  std::uint64_t ended() const { return ended_; }
  /// Of ended jobs: the lines that they wrote, and those that no event reported.
  std::uint64_t lines_written() const { return lines_written_; }
  std::uint64_t lines_missed() const { return lines_missed_; }

 private:
  struct Job {
    std::uint64_t lines = 0, seen = 0;
    bool started = false;
  };
  void dispatch(int count);
  void take_events(std::chrono::milliseconds patience);
  void take(const schema::Event& event);
  void take_end(const std::string& id);

  const Subject& subject_;
  HeldLoad wanted_;
  std::string agent_;  // program
  double lines_per_second_;
  KnownJobs& known_;
  Client dispatcher_, follower_;
  std::unordered_map<std::string, Job> jobs_;  // queued and running
  int running_ = 0, queued_ = 0;
  std::uint64_t dispatched_ = 0, ended_ = 0, lines_written_ = 0, lines_missed_ = 0;
};

/// Connected clients, each of which sends a query once a second: a job's row, the status page, a queue
/// position, why a job waits. One client in ten also follows all events, and one in ten the output of a
/// running job.
class AskingClients {
 public:
  /// Connects, then queries on a thread of its own.
  AskingClients(const Subject& subject, int count, const KnownJobs& known);
  /// Stops querying; returns how long each answer took.
  Latencies stop();

 private:
  void ask_in_turn(const std::stop_token& stopped);
  const KnownJobs& known_;
  std::vector<Client> clients_;
  Latencies answers_;
  std::jthread thread_;
};

/// Pings every 20 ms on a thread of its own.
class Prober {
 public:
  explicit Prober(const Subject& subject);
  struct Result {
    Latencies answers;  // to pings
    Latencies own;      // the same without the time that loop or prober waited for a processor
    Latencies timer;    // how late this thread woke: the machine's delay for any process
    std::uint64_t answers_over = 0, own_over = 0;  // over 100 ms
    double slowest_us = 0, slowest_own_us = 0, slowest_timer_us = 0;
  };
  Result stop();

 private:
  void probe(const std::stop_token& stopped);
  void note(double at, double answer_s, double waited_s);
  Client client_;
  pid_t daemon_;
  Result result_;
  std::jthread thread_;
};

}  // namespace luzia::bench
