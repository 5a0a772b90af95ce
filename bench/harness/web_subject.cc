#include "bench/harness/web_subject.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <charconv>
#include <nlohmann/json.hpp>

#include "bench/harness/driving.h"
#include "bench/harness/http_connection.h"

namespace luzia::bench {
namespace {

/// The port in "listening at http://127.0.0.1:40427"; 0: the line says something else.
std::uint16_t port_in(const std::string& line) {
  std::uint16_t port = 0;
  const std::size_t at = line.rfind(':') + 1;
  std::from_chars(line.data() + at, line.data() + line.size(), port);
  return port;
}

}  // namespace

WebSubject::WebSubject(const Subject& subject) : subject_(subject) {
  const std::string web = subject.program("luzia-web"), store = subject.store(), config = subject.config();
  int ends[2] = {-1, -1};
  if (pipe2(ends, O_CLOEXEC) != 0) give_up("no pipe for luzia-web");
  const Descriptor from(ends[0]);
  Descriptor to(ends[1]);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, to.get(), 1);
  const char* arguments[] = {web.c_str(),    "--store",  store.c_str(), "--config",
                             config.c_str(), "--listen", "127.0.0.1:0", nullptr};
  const int failed =
      posix_spawn(&pid_, web.c_str(), &actions, nullptr, const_cast<char* const*>(arguments), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (failed != 0) give_up("cannot start " + web);
  to.reset();
  std::string line;
  for (char byte = 0; read(from.get(), &byte, 1) == 1 && byte != '\n';) line += byte;
  port_ = port_in(line);
  if (port_ == 0) give_up(web + " does not listen: " + line);
}

WebSubject::~WebSubject() {
  kill(pid_, SIGTERM);
  waitpid(pid_, nullptr, 0);
}

std::string WebSubject::code() const {
  wire::OfferPairingT offer;
  offer.role = schema::DeviceRole::admin;
  Client client = subject_.connect();
  const auto reply = client.ask(request_of(std::move(offer)));
  if (!reply) give_up(reply.error().message);
  const auto* offered = (*reply)->reply.AsPairingOffered();
  if (offered == nullptr) give_up("the daemon offers no pairing");
  return offered->code;
}

std::string WebSubject::pair() const {
  HttpConnection connection(port_);
  const auto answer = nlohmann::json::parse(
      connection.ask("/v1/pair", "", R"({"code":")" + code() + R"("})", 201), nullptr, false);
  const auto token = answer.is_object() ? answer.value("token", "") : "";
  if (token.empty()) give_up("luzia-web pairs no device");
  return token;
}

}  // namespace luzia::bench
