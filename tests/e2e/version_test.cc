// Programs of different versions on one machine, as in the middle of an upgrade.
#include <sys/socket.h>

#include "adapters/socket/client.h"
#include "tests/e2e/daemon_fixture.h"

namespace luzia {
namespace {

wire::RequestUnion dispatch_of(const std::string& task) {
  wire::DispatchT dispatch;
  dispatch.jobs.push_back(std::make_unique<wire::DispatchJobT>());
  dispatch.jobs.front()->project = "demo";
  dispatch.jobs.front()->task = task;
  return request_of(std::move(dispatch));
}

class VersionTest : public DaemonTest {
 protected:
  VersionTest() { start_daemon(); }
  /// A client that claims to speak `protocol`. Like every client it does not wait for the reply.
  Client client_of(std::uint32_t protocol) const {
    auto client = Client::connect(store() + "/socket");
    EXPECT_TRUE(client.has_value());
    client->forgo_hello();
    wire::ClientFrameT frame;
    wire::HelloT hello;
    hello.protocol = protocol;
    hello.version = "9.9.9";
    frame.request.Set(std::move(hello));
    send_raw(*client, encode(frame));
    return std::move(*client);
  }
  static void send_raw(const Client& client, const std::string& bytes) {
    EXPECT_EQ(::send(client.fd(), bytes.data(), bytes.size(), MSG_NOSIGNAL),
              static_cast<ssize_t>(bytes.size()));
  }
  /// The code with which a frame that no client of this version sends is refused.
  std::string refusal_of(const flatbuffers::FlatBufferBuilder& frame) const {
    auto client = Client::connect(store() + "/socket");
    if (!client) return client.error().code;
    std::string bytes;
    append_frame(bytes, frame);
    send_raw(*client, bytes);
    const auto reply = client->receive(std::chrono::seconds(30));
    const auto* refused = reply && *reply != nullptr ? (*reply)->reply_as_Refused() : nullptr;
    return refused == nullptr ? std::string() : refused->code()->str();
  }
};

TEST_F(VersionTest, NewerClientIsRefusedBeforeItChangesAnything) {
  Client client = client_of(kProtocolVersion + 1);
  const auto answer = client.ask(dispatch_of("echo no"));
  ASSERT_FALSE(answer.has_value());
  EXPECT_EQ(answer.error().code, "daemon_too_old") << answer.error().message;
  EXPECT_EQ(luzia_json({"jobs", "--all"})["jobs"].size(), 0u);
}

TEST_F(VersionTest, DaemonOfAnyVersionCanBeStopped) {
  const pid_t pid = daemon_pid();
  Client client = client_of(kProtocolVersion + 1);
  wire::ControlT stop;
  stop.action = wire::ControlAction::stop;
  ASSERT_TRUE(client.send(request_of(std::move(stop))).has_value());
  EXPECT_TRUE(wait_until([pid] { return !is_running(pid); }));
}

TEST_F(VersionTest, ClientWithoutAVersionIsServed) {
  auto client = Client::connect(store() + "/socket");
  ASSERT_TRUE(client.has_value());
  client->forgo_hello();
  const auto answer = client->ask(dispatch_of("echo yes"));
  ASSERT_TRUE(answer.has_value()) << answer.error().message;
  EXPECT_EQ((*answer)->reply.type, wire::Reply::Accepted);
}

TEST_F(VersionTest, CommandOfANewerClientIsNamedAsUnknown) {
  flatbuffers::FlatBufferBuilder builder;
  const auto body = wire::CreateForget(builder, 1);
  constexpr auto kOfTheFuture = static_cast<wire::Request>(200);
  builder.Finish(wire::CreateClientFrame(builder, 1, kOfTheFuture, body.Union()));
  EXPECT_EQ(refusal_of(builder), "daemon_too_old");
}

TEST_F(VersionTest, FactOfANewerClientIsNotRecorded) {
  flatbuffers::FlatBufferBuilder builder;
  const auto job = builder.CreateString("0kx8aaaaaaaaa");
  const auto fact = wire::CreateForget(builder, 1);
  constexpr auto kOfTheFuture = static_cast<schema::WorkspaceFact>(200);
  const auto note = wire::CreateNoteWorkspace(builder, job, kOfTheFuture, fact.Union());
  builder.Finish(wire::CreateClientFrame(builder, 1, wire::Request::NoteWorkspace, note.Union()));
  EXPECT_EQ(refusal_of(builder), "no_fact");
}

TEST_F(VersionTest, AwaitedHelloIsAnsweredAtOnce) {
  auto client = Client::connect(store() + "/socket");
  ASSERT_TRUE(client.has_value());
  wire::HelloT hello;
  hello.protocol = kProtocolVersion;
  const auto answer = client->ask(request_of(std::move(hello)));
  ASSERT_TRUE(answer.has_value()) << answer.error().message;
  const auto* welcome = (*answer)->reply.AsWelcome();
  ASSERT_NE(welcome, nullptr);
  EXPECT_EQ(welcome->protocol, kProtocolVersion);
  EXPECT_EQ(welcome->version, LUZIA_VERSION);
}

}  // namespace
}  // namespace luzia
