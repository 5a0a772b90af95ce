#include "tools/luziad/intake/sessions.h"

#include "adapters/socket/client.h"
#include "engine/job/job_rerouting.h"

namespace luzia {
namespace {

/// Requests that every protocol version understands alike, so that one version can stop another's daemon.
bool understood_by_all(const wire::ClientFrame& frame) {
  if (frame.request_type() == wire::Request::Hello) return true;
  const wire::Control* control = frame.request_as_Control();
  if (control == nullptr) return false;
  const wire::ControlAction action = control->action();
  return action == wire::ControlAction::ping || action == wire::ControlAction::stop ||
         action == wire::ControlAction::info;
}

Error unknown_secrets() {
  return {ErrorKind::refused, kSecretUnavailable,
          "the daemon has restarted and cannot read the job's secrets any more, to black them out in what is "
          "said",
          "luzia retry starts the job anew once they can be read"};
}

/// The job for which an agent would say this; empty: other requests, which people make.
std::string job_told_of(const wire::ClientFrame& frame) {
  if (const auto* report = frame.request_as_Publish()) return std::string(text(report->job()));
  if (const auto* question = frame.request_as_AskQuestion()) return std::string(text(question->job()));
  if (const auto* gate = frame.request_as_RequestApproval()) return std::string(text(gate->job()));
  if (const auto* note = frame.request_as_NoteWorkspace()) return std::string(text(note->job()));
  return {};
}

}  // namespace

Sessions::Sessions(const Threads& threads, const Store& store, const Desk& desk, const OutputWatcher& watcher,
                   Intake& intake, IdSource& ids, Upkeep& upkeep, Hooks& hooks, PublishedAlerts& alerts,
                   TrackedJobs& tracked, Schedules& schedules, const AttemptCredentials& credentials,
                   SecretBook& secrets, std::size_t open_files)
    : loop_(threads.loop),
      desk_(desk),
      credentials_(credentials),
      secrets_(secrets),
      doorkeeper_(Doorkeeper::limits_for(open_files)),
      rights_(desk.engine, store.views, intake.run_as()),
      queries_(threads, store, desk, watcher),
      waits_(threads.loop, desk, queries_),
      inputs_(threads, store, desk, rights_, queries_, ids),
      flows_(threads, store, desk, intake, rights_, queries_, ids),
      learning_(threads, store, desk, rights_, queries_, ids),
      prompts_(threads, store, desk, learning_.index()),
      imports_(store.views, desk, queries_),
      removals_(threads.workers, store, desk, queries_),
      follows_(threads.workers, store, desk, queries_),
      tails_(threads.workers, store, desk, watcher, queries_, secrets),
      jobs_(store, desk, intake, rights_, queries_, flows_, prompts_, tracked, credentials.environment_key()),
      queue_(store.views, desk, rights_, queries_),
      tracking_(threads.workers, desk, intake),
      devices_(store, desk, queries_, ids, [this](const std::string& device) { close_of_device(device); }),
      groups_(threads, store.log, desk),
      families_{&jobs_,     &queue_,   &flows_,    &inputs_,  &learning_, &imports_,
                &removals_, &queries_, &waits_,    &follows_, &tails_,    &hooks,
                &upkeep,    &alerts,   &tracking_, &devices_, &schedules, &groups_} {}

void Sessions::drained(ConnectionId connection) {
  follows_.drained(connection);
  tails_.drained(connection);
}

void Sessions::opened(ConnectionId connection, const Peer& peer) {
  Session& session = sessions_[connection];
  session.caller = identify(peer);
  if (!may_use_any(desk_.config, session.caller)) desk_.server.keep_frames_small(connection);
  if (peer.admitted) return;
  constexpr std::uint64_t kUntilKnownMs = 5'000;
  if (!doorkeeper_.let_in(connection, peer.uid)) return desk_.server.close(connection);
  session.until_known = std::make_unique<Timer>(loop_);
  session.until_known->start(kUntilKnownMs, [this, connection] { desk_.server.close(connection); });
}

void Sessions::closed(ConnectionId connection) {
  sessions_.erase(connection);
  doorkeeper_.gone(connection);
  waits_.connection_closed(connection);
  inputs_.connection_closed(connection);
  follows_.connection_closed(connection);
  tails_.connection_closed(connection);
  groups_.connection_closed(connection);
}

bool Sessions::watched(const std::string& job, bool waiting_counts) const {
  return tails_.watches(job) || follows_.watches(job) || (waiting_counts && waits_.waits_for(job));
}

void Sessions::clear() {
  waits_.clear();
  inputs_.clear();
  flows_.clear();
  follows_.clear();
  tails_.clear();
  groups_.clear();
}

std::shared_ptr<const Redactor> Sessions::known_secrets(ConnectionId connection,
                                                        const wire::ClientFrame& frame) const {
  const auto session = sessions_.find(connection);
  if (session == sessions_.end() || frame.request_type() == wire::Request::Hello) return nullptr;
  const std::string& speaker = session->second.caller.job;
  return secrets_.known(speaker.empty() ? job_told_of(frame) : speaker);
}

bool Sessions::has_secrets(const std::string& job) const {
  const JobState* state = job.empty() ? nullptr : desk_.engine.find_live(job);
  return state != nullptr && state->spec && luzia::has_secrets(*state);
}

std::shared_ptr<const Redactor> Sessions::redactor_of(ConnectionId connection,
                                                      const wire::ClientFrame& frame) const {
  auto redactor = known_secrets(connection, frame);
  return redactor && redactor->is_blind() ? nullptr : redactor;
}

void Sessions::received(ConnectionId connection, const wire::ClientFrame& frame) {
  const RequestId to{connection, frame.id()};
  Session& session = sessions_[connection];
  if (const auto* hello = frame.request_as_Hello()) {
    recognize(session, *hello);
    const Status may = speak_for(session.caller, *hello);
    session.no_device = may ? std::nullopt : std::optional(may.error());
  }
  if (session.until_known && !introduce(to, session)) return;
  if (session.version_gap && !understood_by_all(frame)) return refuse(desk_, to, *session.version_gap);
  if (session.no_device) return refuse(desk_, to, *session.no_device);
  if (const auto* hello = frame.request_as_Hello()) return greet(to, session, *hello);
  const auto secrets = known_secrets(connection, frame);
  if (secrets ? secrets->is_blind() : has_secrets(session.caller.job))
    return refuse(desk_, to, unknown_secrets());
  if (session.caller.admitted && session.caller.job.empty())
    return refuse_unless(desk_, to, answer(to, session.caller, frame));
  Caller caller = session.caller;
  const auto may_attempt = [&frame](const AttemptScope& own) { return is_of_attempt(frame, own); };
  const Status may = rights_.admit(caller, may_attempt);
  refuse_unless(desk_, to, may ? answer(to, caller, frame) : may);
}

/// Also for an attempt that is over: each request checks what it may do.
void Sessions::recognize(Session& session, const wire::Hello& hello) const {
  const std::string job(text(hello.job()));
  if (job.empty() || !credentials_.proves(text(hello.credential()), job, hello.attempt())) return;
  session.caller.job = job;
  session.caller.attempt = hello.attempt();
}

Status Sessions::speak_for(Caller& caller, const wire::Hello& hello) const {
  const std::string_view person = text(hello.person()), device = text(hello.device());
  const bool changes = caller.device && caller.device->id != device;
  if (person.empty() && device.empty() && !changes) return {};
  const bool may = (caller.trusted || caller.device) && caller.job.empty() && !changes;
  if (!may) {
    return fail(ErrorKind::refused, "not_allowed",
                changes ? "this connection speaks for device " + caller.device->id + " already"
                        : caller.name + " may not speak for another person or device",
                changes ? "connect anew" : "only root and the daemon's user may, outside of jobs");
  }
  if (device.empty()) {
    if (person.size() > kMaxDeviceName)
      return fail(ErrorKind::usage, "bad_person", "the name of the person is too long", "shorten it");
    caller.person = person;
    return {};
  }
  const Device* known = desk_.engine.devices().known().find(device);
  if (known == nullptr) return tl::unexpected(device_unknown());
  caller.person = known->person;
  caller.device = CallerDevice{known->device, known->name, known->role, known->projects};
  caller.trusted = known->projects.empty();
  return {};
}

Status Sessions::check_device(const Caller& caller, const RequestRow& row) const {
  if (!caller.device) return {};
  if (desk_.engine.devices().known().find(caller.device->id) == nullptr)
    return tl::unexpected(device_unknown());
  if (is_of_device(row, caller.device->role)) return {};
  return fail(ErrorKind::refused, "device_not_allowed",
              "device " + caller.device->name + ", a " + std::string(role_name(caller.device->role)) +
                  ", may not do that",
              "pair it with another role: luzia web pair --role ROLE; some things no device may do");
}

void Sessions::close_of_device(const std::string& device) {
  std::vector<ConnectionId> its;
  for (const auto& [connection, session] : sessions_) {
    if (session.caller.device && session.caller.device->id == device) its.push_back(connection);
  }
  for (const ConnectionId connection : its) desk_.server.close(connection);
}

bool Sessions::introduce(const RequestId& to, Session& session) {
  const Caller& caller = session.caller;
  const std::string attempt = caller.job + "." + std::to_string(caller.attempt);
  if (!caller.job.empty() && doorkeeper_.introduce(to.connection, attempt)) {
    session.until_known.reset();
    return true;
  }
  refuse(desk_, to,
         {ErrorKind::refused, "stranger",
          caller.job.empty()
              ? "only agents of jobs may speak here, and " + caller.name + " has shown no credential of one"
              : "job " + caller.job + " has too many connections",
          caller.job.empty() ? "run it inside a job (LUZIA_CREDENTIAL), or ask the daemon's owner for access"
                             : "close some"});
  desk_.server.close(to.connection);
  return false;
}

Status Sessions::answer(const RequestId& to, const Caller& caller, const wire::ClientFrame& frame) {
  const RequestRow* row = find_request(frame.request_type());
  if (row == nullptr) {
    return fail(ErrorKind::trouble, "daemon_too_old",
                "this daemon (" LUZIA_VERSION ") does not know that command",
                "luzia daemon restart starts the installed version; running jobs are not touched");
  }
  LUZIA_TRY(check_device(caller, *row));
  LUZIA_TRY(row->check(caller, frame));
  return row->answer(families_, to, caller, frame);
}

void Sessions::greet(const RequestId& to, Session& session, const wire::Hello& hello) {
  session.version_gap = version_gap(hello.protocol(), text(hello.version()), kProtocolVersion, LUZIA_VERSION);
  wire::ServerFrameT frame;
  frame.id = to.request;
  frame.reply.Set(welcome(desk_));
  // A Hello sent ahead of a request costs neither side a system call.
  const bool waited_for = to.request != 0 || std::exchange(session.greeted, true);
  if (waited_for) return desk_.server.send(to.connection, frame);
  desk_.server.send_along(to.connection, frame);
}

}  // namespace luzia
