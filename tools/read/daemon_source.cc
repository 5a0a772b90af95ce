#include "tools/read/daemon_source.h"

#include <signal.h>

#include <cerrno>
#include <thread>

#include "engine/base/hash.h"
#include "engine/base/try.h"
#include "tools/read/pages.h"

namespace luzia {
namespace {

constexpr std::chrono::milliseconds kAskAgainAfter{50}, kUntilItEnds{5'000};

tl::unexpected<Error> unexpected_reply() {
  return fail(ErrorKind::trouble, "protocol", "the daemon sent an unexpected answer",
              "use the same version of luzia-query and luziad, or add --offline");
}

}  // namespace

DaemonSource::~DaemonSource() {
  if (whole_ && give_back_) give_back_(std::move(client_));
}

/// The next frame for `request`. Frames for other requests, which only a broken daemon sends, are skipped.
Result<const wire::ServerFrame*> DaemonSource::reply_to(std::uint64_t request) {
  while (true) {
    auto frame = client_.receive();
    if (!frame) return frame;
    if (*frame == nullptr || ((*frame)->id() != request && (*frame)->id() != 0)) continue;
    if (const auto* refused = (*frame)->reply_as_Refused()) return tl::unexpected(client_.error_of(*refused));
    return frame;
  }
}

Result<RowPage> DaemonSource::query(const wire::QueryT& query) {
  constexpr int kMostRepeats = 8;
  whole_ = false;
  auto page = query_once(query);
  for (int again = 0; !page && again < kMostRepeats; ++again) {
    if (starts_over(page.error())) {
      wait_for_hang_up(kUntilItEnds);
    } else if (page.error().code != "connection_lost") {
      break;
    }
    client_ = LUZIA_TRY(reconnect_());
    page = query_once(query);
  }
  whole_ = page.has_value();
  return page;
}

Result<RowPage> DaemonSource::query_once(const wire::QueryT& query) {
  const auto id = LUZIA_TRY(client_.send(request_of(wire::QueryT(query))));
  RowPage page;
  while (true) {
    const auto frame = LUZIA_TRY(reply_to(id));
    const auto* rows = frame->reply_as_Rows();
    if (rows == nullptr) return unexpected_reply();
    append_rows(page, *rows);
    if (rows->last()) return page;
  }
}

Result<std::string> DaemonSource::output_from(const std::string& job, std::uint64_t offset) {
  wire::TailT tail;
  tail.job = job;
  tail.offset = offset;
  whole_ = false;
  const auto id = LUZIA_TRY(client_.send(request_of(std::move(tail))));
  std::string bytes;
  while (true) {
    const auto frame = LUZIA_TRY(reply_to(id));
    const auto* piece = frame->reply_as_Output();
    if (piece == nullptr) return unexpected_reply();
    if (piece->data() != nullptr) bytes += as_text({piece->data()->data(), piece->data()->size()});
    if (bytes.size() > kMostCarriedBytes) return unexpected_reply();
    whole_ = piece->last();
    if (whole_) return bytes;
  }
}

Result<std::string> DaemonSource::control(wire::ControlAction action, const std::string& argument,
                                          const ProgressSink& progress) {
  wire::ControlT control;
  control.action = action;
  control.argument = argument;
  whole_ = false;
  const auto id = LUZIA_TRY(client_.send(request_of(std::move(control))));
  while (true) {
    const auto frame = LUZIA_TRY(reply_to(id));
    const auto* reply = frame->reply_as_Progressed();
    if (reply == nullptr) return unexpected_reply();
    const std::string message(text(reply->message()));
    if (reply->last() && reply->failed()) return fail(ErrorKind::trouble, "control_failed", message);
    if (reply->last()) return message;
    progress(message, reply->done(), reply->total());
  }
}

Result<std::string> DaemonSource::verify(const ProgressSink& progress) {
  return control(wire::ControlAction::verify, {}, progress);
}

Result<std::string> DaemonSource::backup(const std::string& target, const ProgressSink& progress) {
  return control(wire::ControlAction::backup, target, progress);
}

Result<std::uint32_t> DaemonSource::daemon_pid() {
  const auto reply = LUZIA_TRY(client_.ask(request_of(wire::ControlT{})));
  const auto* welcome = reply->reply.AsWelcome();
  if (welcome == nullptr) return unexpected_reply();
  return welcome->pid;
}

/// Waits until the daemon has closed this connection. After that only a new connection is answered.
void DaemonSource::wait_for_hang_up(std::chrono::milliseconds most) {
  const auto begun = std::chrono::steady_clock::now();
  while ((most.count() < 0 || std::chrono::steady_clock::now() - begun < most) && client_.receive(most)) {
  }
}

Result<std::string> DaemonSource::rebuild(const ProgressSink& progress) {
  const auto pid = LUZIA_TRY(daemon_pid());
  LUZIA_TRY(control(wire::ControlAction::rebuild, {}, progress));
  wait_for_hang_up();
  while (true) {
    progress("the daemon is restarting", 0, 0);
    auto client = reconnect_();
    if (client) {
      client_ = std::move(*client);
      if (daemon_pid()) return std::string("the rows were replayed from the log; the daemon answers again");
    } else if (client.error().code != "no_daemon") {
      return tl::unexpected(client.error());
    }
    // A restarting daemon keeps its pid.
    if (kill(static_cast<pid_t>(pid), 0) != 0 && errno == ESRCH) {
      return fail(ErrorKind::trouble, "daemon_gone", "the daemon exited instead of restarting",
                  "see luziad.log in the store, then run luzia-query replay --rebuild again");
    }
    std::this_thread::sleep_for(kAskAgainAfter);
  }
}

}  // namespace luzia
