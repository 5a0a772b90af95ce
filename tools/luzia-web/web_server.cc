#include "tools/luzia-web/web_server.h"

#include <unistd.h>

#include <algorithm>

#include "engine/base/whole_number.h"
#include "projections/rows/json_object.h"
#include "tools/luzia-web/actions.h"
#include "tools/luzia-web/changes.h"
#include "tools/luzia-web/clock.h"
#include "tools/luzia-web/machine.h"
#include "tools/luzia-web/output.h"
#include "tools/luzia-web/page.h"
#include "tools/luzia-web/projects.h"
#include "tools/luzia-web/readings.h"
#include "tools/luzia-web/search.h"

namespace luzia::web {
namespace {

// The daemon does two searches at once.
constexpr std::size_t kThreads = 6, kSearchThreads = 2, kFarThreads = 4, kMostWaiting = 256,
                      kMostStrangeBody = 4 << 10;
constexpr std::int64_t kStopPatienceUs = 2'000'000, kPagesAgainUs = 20'000'000;
constexpr int kCookieSeconds = 365 * 24 * 3600;

Answer text_answer(const Route& route, std::string body) {
  Answer answer;
  answer.type = route.type;
  answer.body = std::move(body);
  return answer;
}

Answer busy() {
  return problem({ErrorKind::trouble, "busy", "the server is busy", "try again"});
}

Answer too_many(const Error& error) {
  return problem(error, 429);
}

/// Whose mistakes count together: an address and, of a program of this machine, its user. One account cannot
/// lock out another, not even with a forged X-Forwarded-For.
std::string asker_of(const Request& request) {
  const std::string client = client_of(request.address);
  return request.user ? client + " user " + std::to_string(*request.user) : client;
}

/// What an answer depends on beside the position: the address, and who asks.
std::string tag_of(Position position, const Device& device, const Request& request) {
  std::string key = device.id + "\n" + request.path;
  for (const auto& [name, value] : request.query) key += "\n" + name + "=" + value;
  return '"' + std::to_string(position) + "-" + to_hex(blake2b({as_bytes(key)})).substr(0, 16) + '"';
}

/// Why jobs wait changes with the machine, without an event.
bool depends_on_log_alone(const Route& route) {
  return route.handler == Handler::read && route.pattern != "/v1/queue" && route.pattern != "/v1/overview";
}

/// As words_of() takes it.
bool is_set(const Request& request, std::string_view flag) {
  const std::string* value = request.parameter(flag);
  return value != nullptr && (*value == "1" || *value == "true" || value->empty());
}

bool wants_stream(const Route& route, const Request& request) {
  return route.pattern == "/v1/events" &&
         request.header("accept").find("text/event-stream") != std::string_view::npos;
}

Error role_too_low(const Device& device, Role needed) {
  return {ErrorKind::refused, "device_not_allowed",
          "device " + device.name + " is " + std::string(name_of(device.role)) + "; this needs " +
              std::string(name_of(needed)),
          "pair it again with another role: luzia web pair --role"};
}

}  // namespace

WebServer::WebServer(std::string socket, DaemonFiles files, const WebListening& listening)
    : door_(std::move(socket)),
      files_(std::move(files)),
      devices_(door_),
      http_(handlers()),
      lines_(door_,
             [this](int descriptor, std::function<void()> readable) {
               return http_.watch_descriptor(descriptor, std::move(readable));
             }),
      workers_(kThreads, kMostWaiting),
      searchers_(kSearchThreads, kMostWaiting),
      far_(files_.config_file),
      fleet_(files_.config_file),
      far_askers_(kFarThreads, kMostWaiting),
      streams_(http_, workers_, door_, [this](const std::string&) { devices_.forget(); }),
      push_key_(files_.store) {
  const auto listen = parse_listen(listening.listen);
  place_.address = listen->address;
  place_.port = listen->port;
  place_.tls_cert = listening.tls_cert;
  place_.tls_key = listening.tls_key;
  place_.behind_proxy = listening.behind_proxy;
  for (const std::string& host : listening.hosts) gate_.hosts.push_back(lower_case_of(host));
  gate_.tls = !listening.tls_cert.empty();
  gate_.behind_proxy = listening.behind_proxy;
  streams_.closed = [this](const std::string& device) { budget_.close_stream(device); };
}

HttpServer::Handlers WebServer::handlers() {
  HttpServer::Handlers handlers;
  handlers.room_for = [this](const std::string& address) { return budget_.room_for(address); };
  handlers.connected = [this](const std::string& address) { budget_.connected(address); };
  handlers.disconnected = [this](const std::string& address) { budget_.disconnected(address); };
  handlers.refused = [this](const Request& request) { return refused(request); };
  handlers.asked = [this](Id id, Request request) { asked(id, std::move(request)); };
  handlers.gone = [this](Id id) { gone(id); };
  handlers.more = [this](Id id) { return streams_.more(id); };
  handlers.tick = [this] { on_tick(); };
  return handlers;
}

Result<std::string> WebServer::start() {
  const auto port = http_.listen(place_);
  if (!port) return tl::unexpected(port.error());
  // Cookies belong to a host, not to a port: servers of several stores keep theirs apart.
  cookie_ = (is_secure() ? "__Host-luzia-" : "luzia-") + std::to_string(*port);
  streams_.begin();
  const bool six = place_.address.find(':') != std::string::npos;
  return (gate_.tls ? "https://" : "http://") + (six ? "[" + place_.address + "]" : place_.address) + ":" +
         std::to_string(*port);
}

void WebServer::run(std::function<void()> stopped) {
  stopped_ = std::move(stopped);
  http_.run();
}

void WebServer::stop() {
  http_.post([this] {
    stop_by_us_ = steady_us() + kStopPatienceUs;
    streams_.end_all({});
  });
}

/// Tells the daemon who looks at the page; again now and then, for one that was restarted. One at a time, so
/// that none overtakes another.
void WebServer::note_pages() {
  std::set<std::string> devices = streams_.seen_devices();
  const std::int64_t now = steady_us();
  const bool known = devices == pages_ && (devices.empty() || now - pages_us_ < kPagesAgainUs);
  if (noting_pages_ || known) return;
  noting_pages_ = workers_.add({}, [this, devices] {
    wire::NotePagesT note;
    note.devices.assign(devices.begin(), devices.end());
    const bool noted = door_.ask_as({}, request_of(std::move(note))).has_value();
    http_.post([this, devices, noted] {
      noting_pages_ = false;
      pages_us_ = steady_us();
      if (noted) pages_ = devices;
    });
  });
}

void WebServer::on_tick() {
  streams_.tick();
  note_pages();
  door_.close_idle();
  lines_.tick();
  if (stop_by_us_ != 0 && stopped_ && (http_.busy() == 0 || steady_us() >= stop_by_us_)) stopped_();
}

void WebServer::answer(Id id, Answer answer) {
  ++answered_[answer.status];
  http_.answer(id, std::move(answer));
}

std::optional<Answer> WebServer::refused(const Request& request) {
  std::optional<Answer> answer;
  if (const auto refusal = refused_at_gate(gate_, request)) answer = problem(refusal->error, refusal->status);
  const auto length = body_length(request);
  const bool long_body = length && *length > kMostStrangeBody;
  if (!answer && long_body && token_in(request, cookie_).empty())
    answer =
        problem({ErrorKind::refused, "body_too_long", "a request without a token has no body of this size",
                 "send Authorization: Bearer TOKEN"},
                413);
  if (answer) ++answered_[answer->status];
  return answer;
}

void WebServer::asked(Id id, Request request) {
  if (request.method != "POST") {
    if (auto file = page_answer(request)) return answer(id, std::move(*file));
  }
  auto match = find_route(request.method, request.path);
  if (!match) return answer(id, problem(match.error(), match.error().code == "bad_method" ? 405 : 404));
  if (const Status fit = checked_parameters(*match->route, request); !fit)
    return answer(id, problem(fit.error()));
  if (match->route->role == Role::anyone) return serve_anyone(id, *match, request);
  admit(id, std::move(*match), std::move(request));
}

void WebServer::serve_anyone(Id id, const Match& match, const Request& request) {
  if (match.route->handler == Handler::pair) return pair(id, match, request);
  static const std::string kDocument = openapi_document();
  answer(id, text_answer(*match.route, match.route->handler == Handler::openapi ? kDocument : "ok\n"));
}

void WebServer::pair(Id id, const Match& match, const Request& request) {
  const std::int64_t now = steady_us();
  const std::string asker = asker_of(request);
  Status may = may_show(Secret::code, request, now);
  if (may) may = budget_.stranger_asks(asker, now);
  if (!may) return answer(id, too_many(may.error()));
  const auto body = checked_body(*match.route, request.body);
  if (!body) return answer(id, problem(body.error()));
  const bool added =
      workers_.add(asker, [this, id, asker, address = request.address, status = match.route->success,
                           code = (*body)["code"], name = body->value("name", "")] {
        auto admitted = devices_.pair(code.get<std::string>(), name, address);
        http_.post([this, id, asker, status, admitted = std::move(admitted)] {
          if (admitted) return answer(id, paired_answer(*admitted, status));
          if (admitted.error().kind != ErrorKind::trouble) budget_.wrong(Secret::code, asker, steady_us());
          answer(id, problem(admitted.error(), admitted.error().kind == ErrorKind::refused ? 403 : 0));
        });
      });
  if (!added) answer(id, busy());
}

/// The owner may always: jobs run as the same user, and whatever they try, locks out nobody. A proxy of the
/// owner's speaks for strangers.
Status WebServer::may_show(Secret secret, const Request& request, std::int64_t now_us) const {
  const bool by_owner =
      !gate_.behind_proxy && request.user && (*request.user == 0 || *request.user == ::geteuid());
  return by_owner ? Status() : budget_.may_show(secret, asker_of(request), now_us);
}

Answer WebServer::paired_answer(const Admission& admission, int status) const {
  const Halves halves = halves_of(admission.token, random_bytes(kHalfBytes));
  Answer paired;
  paired.status = status;
  JsonObject object(paired.body);
  object.text("token", admission.token);
  object.text("page", halves.page);
  object.text("device", admission.device.id);
  object.text("name", admission.device.name);
  object.end();
  paired.body += '\n';
  paired.headers = {{"Set-Cookie", cookie_ + "=" + halves.cookie +
                                       "; Path=/; Max-Age=" + std::to_string(kCookieSeconds) +
                                       "; HttpOnly; SameSite=Strict" + (is_secure() ? "; Secure" : "")}};
  return paired;
}

void WebServer::admit(Id id, Match match, Request request) {
  const std::int64_t now = steady_us();
  const std::string token = token_in(request, cookie_), asker = asker_of(request);
  if (token.empty()) {
    const Status may = budget_.stranger_asks(asker, now);
    if (!may) return answer(id, too_many(may.error()));
    Answer none = problem({ErrorKind::refused, "no_token", "the request shows no token of a paired device",
                           "pair this device: luzia web pair; then send Authorization: Bearer TOKEN"},
                          401);
    none.headers.emplace_back("WWW-Authenticate", "Bearer");
    return answer(id, std::move(none));
  }
  if (const auto device = devices_.known(token, request.address, now))
    return serve(id, *device, match, request);
  const bool good = devices_.was_good(token);
  const Status may = good ? Status() : may_show(Secret::token, request, now);
  if (!may) return answer(id, too_many(may.error()));
  const bool added = workers_.add(asker, [this, id, token, asker, good, now, match, request] {
    const std::uint64_t forgotten = devices_.forgotten();
    const auto device = devices_.check(token, request.address, now);
    http_.post([this, id, device, asker, good, match, request, forgotten] {
      // A device was revoked meanwhile, perhaps this one.
      if (device && forgotten != devices_.forgotten()) return admit(id, match, request);
      if (device) return serve(id, *device, match, request);
      if (!good && device.error().code == "device_unknown") budget_.wrong(Secret::token, asker, steady_us());
      answer(id, problem(device.error()));
    });
  });
  if (!added) answer(id, busy());
}

void WebServer::serve(Id id, const Device& device, const Match& match, const Request& request) {
  const Route& route = *match.route;
  if (const Status may = budget_.device_asks(device.id, steady_us()); !may)
    return answer(id, too_many(may.error()));
  if (device.role < route.role) return answer(id, problem(role_too_low(device, route.role)));
  switch (route.handler) {
    case Handler::me:
      return answer(id, text_answer(route, me_json(device)));
    case Handler::metrics:
      return answer(id, text_answer(route, metrics()));
    case Handler::events:
      if (wants_stream(route, request)) return stream(id, device, request);
      return work(id, device.id,
                  [this, device, match, request] { return events_page(door_, device.id, match, request); });
    case Handler::read:
      return serve_reading(id, device, match, request);
    case Handler::output:
      return work(id, device.id,
                  [this, device, match, request] { return output(door_, device.id, match, request); });
    case Handler::prompt:
      return work(id, device.id, [this, device, match] { return prompt(door_, device.id, match); });
    case Handler::find:
    case Handler::search:
      return search(id, device, match, request);
    case Handler::changes:
      return work(id, device.id, [this, device, match, request] {
        return changes(door_, files_.store, device.id, match, request);
      });
    case Handler::projects:
      return work(id, device.id,
                  [this, device] { return projects_answer(files_.config_file, device.projects); });
    case Handler::agents:
      return work(id, device.id,
                  [this, device] { return agents_answer(door_, files_.config_file, device.id); });
    case Handler::machine:
      return work(id, device.id, [this, device] { return machine_answer(door_, files_.store, device); });
    case Handler::machines:
      return work(id, device.id, [this, device] { return far_.list(device); });
    case Handler::fleet:
      return work_on(far_askers_, id, device.id, [this, device] { return fleet_.list(device); });
    case Handler::offer_pairing:
      return work(id, device.id,
                  [this, device, match, request] { return offer_pairing(door_, device.id, match, request); });
    case Handler::push_state:
      return work(id, device.id, [this, device] { return push_state(door_, device.id, push_key_); });
    case Handler::push_test:
      return work(id, device.id, [this, device] { return push_test(door_, device.id); });
    case Handler::push_change:
      return work(id, device.id,
                  [this, device, match, request] { return change_push(device, match, request); });
    case Handler::revoke:
    case Handler::dispatch:
    case Handler::batch:
    case Handler::create_flow:
    case Handler::act_on_job:
    case Handler::tell:
    case Handler::act_on_queue:
    case Handler::act_on_flow:
    case Handler::act_on_schedule:
    case Handler::answer:
    case Handler::decide:
      return serve_command(id, device, match, request);
    case Handler::health:
    case Handler::openapi:
    case Handler::pair:
      return serve_anyone(id, match, request);
  }
}

void WebServer::serve_command(Id id, const Device& device, const Match& match, const Request& request) {
  if (is_for_far(*match.route, request)) {
    return work_on(far_askers_, id, device.id,
                   [this, device, match, request] { return act_far(far_, door_, device, match, request); });
  }
  work(id, device.id, [this, device, match, request] { return act(door_, device.id, match, request); });
}

/// Without a key, nothing could be sent to the device.
Answer WebServer::change_push(const Device& device, const Match& match, const Request& request) {
  const auto key = match.route->pattern.ends_with("/subscribe") ? push_key_.get() : std::string();
  return key ? act(door_, device.id, match, request) : problem(key.error());
}

void WebServer::search(Id id, const Device& device, const Match& match, const Request& request) {
  if (!http_.watch(id)) return;  // the client left while its token was checked
  const auto unwanted = std::make_shared<std::atomic<bool>>(false);
  searches_.emplace(id, unwanted);
  work_on(searchers_, id, device.id, [this, device, match, request, unwanted] {
    const auto answered = match.route->handler == Handler::find ? find : search_outputs;
    return answered(door_, device.id, match, request, unwanted);
  });
}

void WebServer::gone(Id id) {
  streams_.gone(id);
  readings_.erase(id);
  const auto search = searches_.find(id);
  if (search == searches_.end()) return;
  *search->second = true;
  searches_.erase(search);
}

void WebServer::serve_list_of_all(Id id, const Device& device, const Match& match, const Request& request) {
  work_on(far_askers_, id, device.id, [this, device, match, request] {
    if (const Status may = may_ask_far(door_, device); !may) return problem(may.error());
    const auto machines = far_.to_ask();
    if (!machines) return problem(machines.error());
    ReadPlace place = place_at(door_, device.id);
    place.machines = [&machines] { return *machines; };
    const auto command = ReadCommand::parse(match, request);
    if (!command) return problem(command.error());
    return answer_of(command->run(place), request);
  });
}

void WebServer::serve_list_of_fleet(Id id, const Device& device, const Match& match, const Request& request) {
  work_on(far_askers_, id, device.id, [this, device, match, request] {
    Status may = may_ask_fleet(device);
    if (may) may = may_ask_far(door_, device);
    if (!may) return problem(may.error());
    const auto command = ReadCommand::parse(match, request);
    if (!command) return problem(command.error());
    auto answer = fleet_.with_sites([&](const std::vector<MachineToAsk>& sites) {
      ReadPlace place = place_at(door_, device.id);
      place.machines = [&sites] { return sites; };
      return answer_of(command->run(place), request);
    });
    return answer ? std::move(*answer) : problem(answer.error());
  });
}

void WebServer::serve_reading(Id id, const Device& device, const Match& match, const Request& request) {
  if (is_set(request, "fleet")) return serve_list_of_fleet(id, device, match, request);
  if (is_set(request, "machines")) return serve_list_of_all(id, device, match, request);
  // What is read is at least as new.
  const Position position = streams_.position();
  const std::string tag = tag_of(position, device, request);
  const bool tagged = position != 0 && depends_on_log_alone(*match.route);
  Headers headers{{"Luzia-Position", std::to_string(position)}};
  if (tagged) headers.emplace_back("ETag", tag);
  if (tagged && request.header("if-none-match").find(tag) != std::string_view::npos)
    return answer(id, Answer{304, {}, {}, headers});
  readings_[id] = {device.id, std::move(headers),
                   std::make_shared<SteppedReading>(door_.socket(), match, request)};
  go_on_reading(id);
}

void WebServer::go_on_reading(Id id) {
  const auto found = readings_.find(id);
  if (found == readings_.end()) return;  // the client has gone
  const Reading& reading = found->second;
  if (!reading.steps->is_light() || !lines_.can_ask(reading.device)) return read_on_worker(id);
  auto step = reading.steps->step();
  if (auto* done = std::get_if<Answer>(&step)) {
    if (done->status == 200)
      done->headers.insert(done->headers.end(), reading.headers.begin(), reading.headers.end());
    readings_.erase(found);  // if the client had gone before it was there, nothing else would
    return answer(id, std::move(*done));
  }
  lines_.ask(reading.device, std::move(std::get<wire::QueryT>(step)),
             [this, id](std::optional<Result<RowPage>> page) {
               const auto waiting = readings_.find(id);
               if (waiting == readings_.end()) return;
               if (!page) return read_on_worker(id);
               waiting->second.steps->take(std::move(*page));
               go_on_reading(id);
             });
}

void WebServer::read_on_worker(Id id) {
  const Reading reading = std::move(readings_.extract(id).mapped());
  work(id, reading.device, [this, reading] {
    Answer answer = reading.steps->finish(place_at(door_, reading.device));
    if (answer.status == 200)
      answer.headers.insert(answer.headers.end(), reading.headers.begin(), reading.headers.end());
    return answer;
  });
}

void WebServer::stream(Id id, const Device& device, const Request& request) {
  if (const Status may = budget_.open_stream(device.id); !may) return answer(id, too_many(may.error()));
  const std::string* since = request.parameter("since");
  const std::string_view last = request.header("last-event-id");
  const auto from = parse_whole_number(!last.empty()      ? last
                                       : since != nullptr ? std::string_view(*since)
                                                          : "");
  const std::string* live = request.parameter("live");
  ++answered_[200];
  const std::string* seen = request.parameter("seen");
  streams_.open(id, device, {from, live == nullptr || *live != "0", seen != nullptr && *seen == "1"});
}

void WebServer::work(Id id, const std::string& device, std::function<Answer()> work) {
  work_on(workers_, id, device, std::move(work));
}

void WebServer::work_on(Workers& workers, Id id, const std::string& device, std::function<Answer()> work) {
  const bool added = workers.add(device, [this, id, work = std::move(work)] {
    Answer done = work();
    http_.post([this, id, done = std::move(done)]() mutable {
      // A later read with the tag of before must see what this one has changed.
      for (const auto& [name, value] : done.headers) {
        if (name == "Luzia-Position") streams_.note(parse_whole_number(value).value_or(0));
      }
      answer(id, std::move(done));
    });
  });
  if (!added) answer(id, busy());
}

std::string WebServer::metrics() const {
  std::string out =
      "# HELP luzia_web_answers_total Answers by status.\n# TYPE luzia_web_answers_total counter\n";
  for (const auto& [status, count] : answered_)
    out +=
        "luzia_web_answers_total{status=\"" + std::to_string(status) + "\"} " + std::to_string(count) + "\n";
  const auto gauge = [&](std::string_view name, std::string_view help, std::uint64_t value) {
    out.append("# HELP ").append(name).append(" ").append(help).append("\n# TYPE ").append(name);
    out.append(" gauge\n").append(name).append(" ").append(std::to_string(value)).append("\n");
  };
  gauge("luzia_web_connections", "Open connections.", budget_.connections());
  gauge("luzia_web_streams", "Readers of events.", streams_.readers());
  gauge("luzia_web_position", "The newest position of the log that is known.", streams_.position());
  return out;
}

}  // namespace luzia::web
