// Readers of GET /v1/events as server-sent events. All devices that may see everything share one feed; a
// device with projects of its own has one. Readers take from the ring of their feed when their connection has
// room; one that begins before the ring, or falls behind it, reads the log in pages until it has caught up.
// So a slow reader costs no memory, and misses and repeats nothing. Loop thread, but for position() and
// note().
#pragma once

#include <atomic>
#include <map>
#include <optional>
#include <set>

#include "tools/luzia-web/devices.h"
#include "tools/luzia-web/events.h"
#include "tools/luzia-web/http_server.h"
#include "tools/luzia-web/workers.h"

namespace luzia::web {

class Streams {
 public:
  /// `revoked` gets the ids of devices that were revoked.
  Streams(HttpServer& http, Workers& workers, const DaemonDoor& door,
          std::function<void(const std::string& device)> revoked);

  /// Begins to follow the daemon; the server must listen already.
  void begin();
  /// The newest position that is known. 0: none yet. Any thread.
  Position position() const { return position_; }
  /// A position that the daemon has named. Any thread.
  void note(Position position);

  /// Begins a stream after `since`; nullopt: after now.
  struct Wanted {
    std::optional<Position> since;
    bool live = true;  // false: it ends where the log ends
    bool seen =
        false;  // a person looks at what shows it; counts for a minute, so that a lost network ends it
  };
  void open(HttpServer::Id id, const Device& device, const Wanted& wanted);
  /// The devices with a stream that a person looks at.
  std::set<std::string> seen_devices() const;
  HttpServer::Piece more(HttpServer::Id id);
  /// The id may be of another kind of answer.
  void gone(HttpServer::Id id);
  void tick();
  /// Ends every stream of the device; empty: of all.
  void end_all(const std::string& device);
  std::size_t readers() const { return readers_.size(); }
  /// Called with the device of each stream that has ended.
  std::function<void(const std::string& device)> closed;

 private:
  struct Scope {
    std::uint64_t number = 0;
    std::unique_ptr<Feed> feed;
    Ring ring;
    std::size_t readers = 0;
  };
  struct Reader {
    std::string scope, device;
    std::optional<Position> position;
    bool live = true, looking_up = false, again = false, ended = false;
    std::string ready;  // to be sent first
    std::int64_t sent_us = 0, seen_until_us = 0;
  };
  Scope& scope_of(const std::string& key);
  void take(const std::string& key, std::uint64_t number, const Batch& batch);
  void look_up(HttpServer::Id id, Reader& reader);
  void found(HttpServer::Id id, const Result<Catchup>& caught);

  HttpServer& http_;
  Workers& workers_;
  const DaemonDoor& door_;
  std::function<void(const std::string&)> revoked_;
  std::atomic<Position> position_ = 0;
  std::uint64_t last_number_ = 0;
  std::map<std::string, Scope> scopes_;  // key: empty, or the id of a device
  std::map<HttpServer::Id, Reader> readers_;
};

}  // namespace luzia::web
