#include "tools/luzia-web/streams.h"

#include "tools/luzia-web/clock.h"

namespace luzia::web {
namespace {

constexpr std::size_t kMostPiece = 64 << 10;
constexpr std::int64_t kHeartbeatUs = 15'000'000, kSeenUs = 60'000'000;
constexpr std::string_view kGreeting = "retry: 1000\n\n";

}  // namespace

Streams::Streams(HttpServer& http, Workers& workers, const DaemonDoor& door,
                 std::function<void(const std::string& device)> revoked)
    : http_(http), workers_(workers), door_(door), revoked_(std::move(revoked)) {}

void Streams::begin() {
  scope_of({}).readers = 1;  // it stays
}

void Streams::note(Position position) {
  Position known = position_;
  while (known < position && !position_.compare_exchange_weak(known, position)) {
  }
}

Streams::Scope& Streams::scope_of(const std::string& key) {
  Scope& scope = scopes_[key];
  if (!scope.feed) {
    scope.number = ++last_number_;
    scope.feed = std::make_unique<Feed>(door_, key, [this, key, number = scope.number](Batch batch) {
      http_.post([this, key, number, batch = std::move(batch)] { take(key, number, batch); });
    });
  }
  return scope;
}

void Streams::take(const std::string& key, std::uint64_t number, const Batch& batch) {
  const auto scope = scopes_.find(key);
  if (scope == scopes_.end() || scope->second.number != number) return;
  scope->second.ring.add(batch);
  if (key.empty()) note(batch.position);
  for (const std::string& device : batch.revoked) {
    revoked_(device);
    end_all(device);
  }
  for (const auto& [id, reader] : readers_) {
    if (reader.scope == key) http_.wake(id);
  }
}

std::set<std::string> Streams::seen_devices() const {
  std::set<std::string> devices;
  for (const auto& [id, reader] : readers_) {
    if (steady_us() < reader.seen_until_us) devices.insert(reader.device);
  }
  return devices;
}

void Streams::open(HttpServer::Id id, const Device& device, const Wanted& wanted) {
  Reader reader;
  reader.scope = device.projects.empty() ? std::string() : device.id;
  reader.device = device.id;
  reader.position = wanted.since;
  reader.live = wanted.live;
  reader.ready = kGreeting;
  reader.sent_us = steady_us();
  if (wanted.seen) reader.seen_until_us = reader.sent_us + kSeenUs;
  ++scope_of(reader.scope).readers;
  readers_.emplace(id, std::move(reader));
  Answer head;
  head.type = "text/event-stream";
  head.headers.emplace_back("X-Accel-Buffering", "no");
  if (!http_.begin_stream(id, head)) gone(id);
}

HttpServer::Piece Streams::more(HttpServer::Id id) {
  const auto found = readers_.find(id);
  if (found == readers_.end()) return {{}, true};
  Reader& reader = found->second;
  if (reader.ended) return {std::move(reader.ready), true};
  if (!reader.ready.empty()) {
    reader.sent_us = steady_us();
    return {std::exchange(reader.ready, {}), false};
  }
  const Ring& ring = scopes_[reader.scope].ring;
  if (reader.looking_up || !ring.has_begun()) return {};
  if (!reader.position) reader.position = ring.position();
  if (!ring.covers(*reader.position)) {
    look_up(id, reader);
    return {};
  }
  HttpServer::Piece piece;
  reader.position = ring.read(*reader.position, kMostPiece, piece.bytes);
  if (!piece.bytes.empty()) reader.sent_us = steady_us();
  piece.last = !reader.live && piece.bytes.empty();
  return piece;
}

void Streams::look_up(HttpServer::Id id, Reader& reader) {
  const bool added = workers_.add(reader.device, [this, id, scope = reader.scope, since = *reader.position] {
    http_.post([this, id, caught = catch_up(door_, scope, since)] { found(id, caught); });
  });
  reader.looking_up = added;
  reader.again = !added;
}

void Streams::found(HttpServer::Id id, const Result<Catchup>& caught) {
  const auto entry = readers_.find(id);
  if (entry == readers_.end()) return;
  Reader& reader = entry->second;
  reader.looking_up = false;
  if (caught) {
    reader.position = caught->position;
    reader.ready += caught->text;
    http_.wake(id);
  } else if (is_passing(caught.error())) {
    reader.again = true;
  } else {
    reader.ready += ": " + caught.error().code + "; resume with Last-Event-ID\n\n";
    reader.ended = true;
    http_.wake(id);
  }
}

void Streams::gone(HttpServer::Id id) {
  const auto found = readers_.find(id);
  if (found == readers_.end()) return;
  const std::string key = found->second.scope, device = found->second.device;
  readers_.erase(found);
  Scope& scope = scopes_[key];
  if (--scope.readers == 0) {
    // Its thread may wait for the daemon.
    const std::shared_ptr<Feed> feed = std::move(scope.feed);
    scopes_.erase(key);
    workers_.add({}, [feed] {});
  }
  if (closed) closed(device);
}

void Streams::tick() {
  const std::int64_t now = steady_us();
  for (auto& [id, reader] : readers_) {
    const bool rests = now - reader.sent_us >= kHeartbeatUs;
    if (rests && reader.ready.empty())
      reader.ready = reader.position ? ":\nid: " + std::to_string(*reader.position) + "\n\n" : ":\n\n";
    if (rests || reader.again) http_.wake(id);
  }
}

void Streams::end_all(const std::string& device) {
  for (auto& [id, reader] : readers_) {
    if (!device.empty() && reader.device != device) continue;
    reader.ended = true;
    reader.ready += ": the stream ends; resume with Last-Event-ID\n\n";
    http_.wake(id);
  }
}

}  // namespace luzia::web
