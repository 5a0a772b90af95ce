// luzia-proxy: the network of one attempt in a sandbox with a list of hosts. luzia-run starts it outside of
// the sandbox, as the job's user, and it ends with luzia-run.
//
// Descriptors: kProxyListener is the socket inside of the sandbox, kProxyTalk leads to luzia-run,
// kProxyRecord is the file of hosts (adapters/launcher/host_record.h, run_record.h). Reading order: head
// (what a client asks), connection (what is done for it), host_book (what is counted), own_files.
//
// Rejected: tinyproxy and squid. They resolve a listed name to whatever it says, so that its owner decides
// which machines of the private network are reached, and report nothing that can be relied on.
#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>
#include <uv.h>

#include <cstdio>
#include <string>

#include "adapters/launcher/run_record.h"
#include "tools/luzia-proxy/connection.h"
#include "tools/luzia-proxy/own_files.h"

namespace luzia {
namespace {

constexpr char kProxyUsage[] =
    "luzia-proxy: passes the connections of a sandbox to listed hosts. Started by luzia-run, not meant to be "
    "typed.\n"
    "\n"
    "  luzia-proxy HOST...    example.org, *.example.org, example.org:8443, 10.0.0.5\n"
    "\n"
    "Descriptors: 3 listens, 4 leads to luzia-run, 5 is the file of hosts. Ends with luzia-run.\n"
    "Exit status: 0 luzia-run has ended, 2 bad usage, 5 it cannot serve.\n";

/// Nobody else of its user is to look into it or change it.
bool shut_oneself_off() {
  return ::prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) == 0 && ::signal(SIGPIPE, SIG_IGN) != SIG_ERR;
}

/// The connection to luzia-run, which says nothing, but ends.
struct Talk {
  uv_pipe_t pipe = {};
  HostBook* book = nullptr;
  char byte = 0;
};

void watch_runner(Talk& talk) {
  const auto give = [](uv_handle_t* handle, std::size_t, uv_buf_t* buffer) {
    *buffer = uv_buf_init(&static_cast<Talk*>(handle->data)->byte, 1);
  };
  const auto over = [](uv_stream_t* stream, ssize_t size, const uv_buf_t*) {
    if (size == 0) return;
    static_cast<Talk*>(stream->data)->book->flush();
    ::_exit(0);
  };
  talk.pipe.data = &talk;
  uv_read_start(reinterpret_cast<uv_stream_t*>(&talk.pipe), give, over);
}

int serve_hosts(std::vector<HostRule> rules) {
  uv_loop_t loop;
  uv_tcp_t listener;
  ProxyPolicy policy{std::move(rules), HostBook(run_record::kProxyRecord)};
  Talk talk{.book = &policy.book};
  const auto come = [](uv_stream_t* stream, int status) {
    if (status == 0) Connection::accept(stream, *static_cast<ProxyPolicy*>(stream->data));
  };
  constexpr int kWaiting = 64;
  if (!shut_oneself_off() || uv_loop_init(&loop) != 0 || uv_tcp_init(&loop, &listener) != 0 ||
      uv_pipe_init(&loop, &talk.pipe, 0) != 0 || uv_tcp_open(&listener, run_record::kProxyListener) != 0 ||
      uv_pipe_open(&talk.pipe, run_record::kProxyTalk) != 0)
    return 5;
  listener.data = &policy;
  if (uv_listen(reinterpret_cast<uv_stream_t*>(&listener), kWaiting, come) != 0) return 5;
  (void)give_up_files();  // more than the documentation promises for older kernels
  watch_runner(talk);
  const char ready = run_record::kProxyReady;
  if (::write(run_record::kProxyTalk, &ready, 1) != 1) return 5;
  return uv_run(&loop, UV_RUN_DEFAULT);
}

int run_proxy(int argc, char** argv) {
  const std::string word = argc == 2 ? argv[1] : "";
  if (word == "--help") return std::fputs(kProxyUsage, stdout) < 0;
  if (word == "--version") return std::puts("luzia-proxy " LUZIA_VERSION) < 0;
  auto rules = parse_host_rules({argv + 1, argv + argc});
  if (rules) return serve_hosts(std::move(*rules));
  std::fprintf(stderr, "luzia-proxy: %s; it is started by luzia-run, see luzia-proxy --help\n",
               rules.error().message.c_str());
  return 2;
}

}  // namespace
}  // namespace luzia

int main(int argc, char** argv) {
  return luzia::run_proxy(argc, argv);
}
