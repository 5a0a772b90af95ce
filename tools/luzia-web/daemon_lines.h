// Questions to the daemon that no thread waits for: many at a time over one kept connection for each device,
// with the rights of the device, which the daemon enforces. Loop thread.
//
// Connections come from the door, where the first read of a device, on a worker, leaves one: connecting may
// wait. Whatever goes wrong with one ends it, and its questions go unanswered; their askers have a worker ask
// again, which waits for the next daemon and hears why a device is refused.
// Rejected: one connection for all devices. The daemon ties rights to connections.
#pragma once

#include <chrono>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "projections/rows/row_page.h"
#include "tools/luzia-web/daemon_door.h"
#include "tools/luzia-web/descriptor_watch.h"

namespace luzia::web {

class DaemonLines {
 public:
  using Clock = std::chrono::steady_clock;
  /// Connections, of all devices together; questions of one that are sent at a time (few enough to fit the
  /// kernel's buffer, so that sending never waits), and that wait to be sent.
  static constexpr std::size_t kMostLines = 16, kMostSent = 32, kMostWaiting = 1'024;
  /// Of the words of a question.
  static constexpr std::size_t kMostQueryBytes = 2 << 10;
  /// How long a connection goes unused, and how long the daemon may stay silent while it is asked.
  static constexpr std::chrono::seconds kMostIdle{30}, kPatience{5};

  /// The daemon's answer, which may be a refusal; nullopt: none comes over this connection.
  using Answered = std::function<void(std::optional<Result<RowPage>>)>;
  /// Calls `readable` while the descriptor can be read, until the result is destroyed.
  using Watch =
      std::function<std::unique_ptr<DescriptorWatch>(int descriptor, std::function<void()> readable)>;

  DaemonLines(const DaemonDoor& door, Watch watch) : door_(door), watch_(std::move(watch)) {}

  /// Whether the device may be asked for: there is a connection for it, and room.
  bool can_ask(const std::string& device, Clock::time_point now = Clock::now());
  /// Asks with the rights of the device, where can_ask() is true. Calls `answered` once, later, or at once if
  /// the connection is lost.
  void ask(const std::string& device, wire::QueryT query, Answered answered,
           Clock::time_point now = Clock::now());
  /// Gives up connections on which the daemon is silent, and closes those that nobody uses. Now and then.
  void tick(Clock::time_point now = Clock::now());
  std::size_t lines() const { return lines_.size(); }

 private:
  struct Question {
    wire::QueryT query;
    Answered answered;
    RowPage rows = {};  // so far
  };
  struct Line {
    explicit Line(Client connected) : client(std::move(connected)) {}
    Client client;
    std::unique_ptr<DescriptorWatch> watch;  // ends before the client
    std::map<std::uint64_t, Question> sent;  // by the id of the request
    std::deque<Question> waiting;
    Clock::time_point heard, used;
  };
  using Done = std::vector<std::pair<Answered, std::optional<Result<RowPage>>>>;

  bool make_room();
  bool send_waiting(Line& line);
  bool take(Line& line, const wire::ServerFrame& frame, Done& done);
  bool receive(Line& line, Done& done);
  void readable(const std::string& device);
  void end(const std::string& device, Done& done);

  const DaemonDoor& door_;
  Watch watch_;
  std::map<std::string, std::unique_ptr<Line>> lines_;  // by device
};

}  // namespace luzia::web
