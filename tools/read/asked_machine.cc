#include "tools/read/asked_machine.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <utility>

#include "adapters/socket/client.h"
#include "tools/read/overview.h"
#include "tools/read/pages.h"

namespace luzia {
namespace {

Result<RowPage> answer_to(Result<std::unique_ptr<Source>>& source, wire::QueryT query) {
  if (!source) return tl::unexpected(source.error());
  const std::size_t limit = query.limit;
  return answer_of(**source, std::move(query), limit);
}

std::string frame_of(const Result<RowPage>& answer) {
  wire::ServerFrameT frame;
  if (answer) {
    frame.reply.Set(rows_reply(*answer));
  } else {
    wire::RefusedT refused;
    refused.code = answer.error().code;
    refused.message = answer.error().message;
    refused.hint = answer.error().hint;
    refused.exit_code = static_cast<std::uint8_t>(answer.error().kind);
    frame.reply.Set(std::move(refused));
  }
  return encode(frame);
}

/// The life of the process: answers what its parent asks until that closes the connection.
void answer_all(int parent, const MachineProcess::Open& open) {
  auto source = open();
  FrameReader reader;
  std::array<std::uint8_t, 16 << 10> bytes;
  while (true) {
    const ssize_t got = ::read(parent, bytes.data(), bytes.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return;
    bool goes_on = true;
    const auto answer = [&](Bytes frame) {
      const auto asked = parse_client_frame(frame);
      const auto* query = asked ? (*asked)->request_as_Query() : nullptr;
      if (query == nullptr) return;
      std::string reply = frame_of(answer_to(source, *std::unique_ptr<wire::QueryT>(query->UnPack())));
      if (reply.size() > kMaxFrameBytes) {
        reply = frame_of(fail(ErrorKind::trouble, "too_much", "it has more rows than fit into one answer",
                              "a filter or --limit N takes fewer"));
      }
      goes_on = write_fully(parent, reply);
    };
    const Status fed = reader.feed({bytes.data(), static_cast<std::size_t>(got)}, answer);
    if (!fed || !goes_on) return;
  }
}

/// Also where the parent ignores the signal.
void take_sigterm() {
  sigset_t ends;
  ::sigemptyset(&ends);
  ::sigaddset(&ends, SIGTERM);
  ::signal(SIGTERM, SIG_DFL);
  ::sigprocmask(SIG_UNBLOCK, &ends, nullptr);
}

tl::unexpected<Error> machine_gone() {
  return fail(ErrorKind::trouble, "machine_gone", "the process that asked it has ended");
}

}  // namespace

Result<RowPage> answer_of(Source& source, wire::QueryT query, std::size_t limit) {
  if (query.view == wire::View::overview) return ask_overview_rows(source, query);
  return collect_pages(source, query, limit);
}

void OpenMachine::ask(wire::QueryT query, std::size_t limit) {
  if (source_) {
    answer_ = answer_of(**source_, std::move(query), limit);
  } else {
    answer_ = tl::unexpected(source_.error());
  }
}

MachineProcess::MachineProcess(const Open& open) {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) return;
  socket_.reset(ends[0]);
  Descriptor far(ends[1]);
  const pid_t parent = ::getpid();
  pid_ = ::fork();
  if (pid_ < 0) socket_.reset();
  if (pid_ != 0) return;
  take_sigterm();
  if (::prctl(PR_SET_PDEATHSIG, SIGTERM) != 0 || ::getppid() != parent) ::_exit(0);
  socket_.reset();
  answer_all(far.get(), open);
  ::_exit(0);
}

MachineProcess::~MachineProcess() {
  if (pid_ <= 0) return;
  ::kill(pid_, SIGTERM);
  socket_.reset();
  while (::waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
  }
}

void MachineProcess::ask(wire::QueryT query, std::size_t limit) {
  if (query.view != wire::View::overview) query.limit = static_cast<std::uint32_t>(limit);
  wire::ClientFrameT frame;
  frame.request = request_of(std::move(query));
  const std::string bytes = encode(frame);
  // If the process is gone, take() finds the end of the connection.
  std::string_view rest = bytes;
  while (socket_ && !rest.empty()) {
    const ssize_t sent = ::send(socket_.get(), rest.data(), rest.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return;
    rest.remove_prefix(static_cast<std::size_t>(sent));
  }
}

std::optional<Result<RowPage>> MachineProcess::take() {
  if (!socket_) return machine_gone();
  std::optional<Result<RowPage>> answer;
  const auto take_frame = [&](Bytes frame) {
    const auto reply = parse_server_frame(frame);
    const auto* refused = reply ? (*reply)->reply_as_Refused() : nullptr;
    const auto* rows = reply ? (*reply)->reply_as_Rows() : nullptr;
    if (refused != nullptr) answer = tl::unexpected(error_from(*refused));
    if (rows == nullptr) return;
    RowPage page;
    append_rows(page, *rows);
    answer = std::move(page);
  };
  std::array<std::uint8_t, 64 << 10> bytes;
  while (!answer) {
    const ssize_t got = ::recv(socket_.get(), bytes.data(), bytes.size(), MSG_DONTWAIT);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0 && errno == EAGAIN) return answer;
    const bool whole = got > 0 && reader_.feed({bytes.data(), static_cast<std::size_t>(got)}, take_frame);
    if (!whole) return machine_gone();
  }
  return answer;
}

}  // namespace luzia
