#include "tools/luzia-web/daemon_door.h"

#include <thread>

#include "tools/read/daemon_source.h"

namespace luzia::web {
namespace {

constexpr std::chrono::milliseconds kDaemonPatience{10'000}, kAskAgainAfter{50}, kUntilRestarted{5'000};

}  // namespace

Result<Client> DaemonDoor::connect() const {
  return Client::connect(socket, {kDaemonPatience, {}});
}

Result<Client> DaemonDoor::connect_as(const std::string& device) const {
  auto client = connect();
  if (!client || device.empty()) return client;
  wire::HelloT hello;
  hello.protocol = kProtocolVersion;
  hello.version = LUZIA_VERSION;
  hello.program = "luzia-web";
  hello.device = device;
  client->forgo_hello();
  if (const auto posted = client->post(request_of(std::move(hello))); !posted)
    return tl::unexpected(posted.error());
  return client;
}

Result<std::unique_ptr<wire::ServerFrameT>> DaemonDoor::ask_as(const std::string& device,
                                                               const wire::RequestUnion& request) const {
  const auto deadline = std::chrono::steady_clock::now() + kUntilRestarted;
  while (true) {
    auto client = connect_as(device);
    auto answer = client ? client->ask(request) : tl::unexpected(client.error());
    if (answer || !is_passing(answer.error()) || std::chrono::steady_clock::now() >= deadline) return answer;
    std::this_thread::sleep_for(kAskAgainAfter);
  }
}

bool is_passing(const Error& error) {
  return error.code == "no_daemon" || error.code == "connection_lost" || starts_over(error);
}

}  // namespace luzia::web
