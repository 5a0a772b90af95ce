// Paired devices: what a program that speaks for one may do, whom the log names, and what kill -9 leaves.
#include "adapters/socket/client.h"
#include "projections/rows/device_rows.h"
#include "projections/rows/row_bytes.h"
#include "tests/e2e/daemon_fixture.h"

namespace luzia {
namespace {

using Answer = Result<std::unique_ptr<wire::ServerFrameT>>;

std::string code_of(const Answer& answer) {
  return answer ? "" : answer.error().code;
}

class DevicesTest : public DaemonTest {
 protected:
  Client connect() const {
    auto client = Client::connect(store() + "/socket");
    EXPECT_TRUE(client) << (client ? "" : client.error().message);
    return std::move(*client);
  }
  Client at_device(const std::string& device) const {
    Client client = connect();
    client.act_at(device);
    return client;
  }

  static std::string offer(Client& client, schema::DeviceRole role, const std::string& name,
                           std::vector<std::string> projects = {}) {
    wire::OfferPairingT request;
    request.role = role;
    request.name = name;
    request.person = "anna";
    request.projects = std::move(projects);
    const Answer answer = client.ask(request_of(std::move(request)));
    EXPECT_TRUE(answer) << (answer ? "" : answer.error().message);
    return answer ? (*answer)->reply.AsPairingOffered()->code : std::string();
  }
  static Answer redeem(Client& client, const std::string& code) {
    wire::PairDeviceT request;
    request.code = code;
    request.name = "a browser";
    request.address = "192.0.2.7";
    return client.ask(request_of(std::move(request)));
  }
  wire::DeviceAdmittedT pair(schema::DeviceRole role, const std::string& name,
                             std::vector<std::string> projects = {}) const {
    Client client = connect();
    const Answer answer = redeem(client, offer(client, role, name, std::move(projects)));
    EXPECT_TRUE(answer) << (answer ? "" : answer.error().message);
    return answer ? *(*answer)->reply.AsDeviceAdmitted() : wire::DeviceAdmittedT();
  }
  /// The code of the refusal, or the name of the device.
  std::string check(const std::string& token) const {
    Client client = connect();
    wire::CheckDeviceT request;
    request.token = token;
    request.address = "192.0.2.8";
    const Answer answer = client.ask(request_of(std::move(request)));
    if (!answer) return answer.error().code;
    const auto& row = (*answer)->reply.AsRows()->rows.front()->data;
    const auto* device = verified_row<view::Device>({row.data(), row.size()});
    EXPECT_TRUE(device->secret_hash() == nullptr || device->secret_hash()->size() == 0);
    return device->name()->str();
  }

  static Answer dispatch_at(Client& client, const std::string& project, const std::string& task) {
    wire::DispatchT request;
    request.jobs.push_back(std::make_unique<wire::DispatchJobT>());
    request.jobs[0]->project = project;
    request.jobs[0]->task = task;
    return client.ask(request_of(std::move(request)));
  }
  static Answer query_at(Client& client, wire::View view) {
    wire::QueryT request;
    request.view = view;
    return client.ask(request_of(std::move(request)));
  }
  std::vector<std::string> listed(const Words& more = {}) const {
    Words words = {"web", "devices"};
    words.insert(words.end(), more.begin(), more.end());
    std::vector<std::string> names;
    const Json shown = luzia_json(words);
    for (const Json& device : shown["devices"]) names.push_back(device["name"]);
    return names;
  }
};

TEST_F(DevicesTest, CodePairsOneDeviceAndTheTokenIsKept) {
  start_daemon();
  Client client = connect();
  const std::string code = offer(client, schema::DeviceRole::viewer, "");
  const Answer first = redeem(client, code);
  ASSERT_TRUE(first) << first.error().message;
  const auto& admitted = *(*first)->reply.AsDeviceAdmitted();
  EXPECT_EQ(admitted.name, "a browser");
  EXPECT_EQ(admitted.token.size(), 43U);
  EXPECT_EQ(code_of(redeem(client, code)), "wrong_code");
  EXPECT_EQ(check(admitted.token), "a browser");
  EXPECT_EQ(check(admitted.token + "x"), "device_unknown");
  EXPECT_EQ(check(""), "device_unknown");
  kill_and_start_daemon();
  EXPECT_EQ(check(admitted.token), "a browser") << "an acknowledged device is in the log";
  EXPECT_THAT(listed(), ElementsAre("a browser"));
  EXPECT_THAT(query({"events", "--json"}).out, Not(HasSubstr("secret_hash")));
  expect_verified();
}

TEST_F(DevicesTest, KilledBeforeTheAnswerACodePairsNoSecondDevice) {
  for (const char* point : {"pair.recorded@1", "commit.tell@2"}) {
    SCOPED_TRACE(point);
    const std::size_t before = listed().size();
    stop_daemon();
    start_daemon_that_ends_at(point);
    std::string code;
    {
      auto client = Client::connect(store() + "/socket");
      if (client) {
        wire::OfferPairingT request;
        const Answer offered = client->ask(request_of(std::move(request)));
        if (offered) code = (*offered)->reply.AsPairingOffered()->code;
        const Answer lost = redeem(*client, code);
        EXPECT_EQ(code_of(lost), "connection_lost");
      }
    }
    start_daemon();
    Client client = connect();
    EXPECT_EQ(code_of(redeem(client, code)), "wrong_code");
    EXPECT_LE(listed().size(), before + 1);
  }
  expect_verified();
}

TEST_F(DevicesTest, OperatorActsInThePersonsName) {
  start_daemon();
  const auto device = pair(schema::DeviceRole::operator_, "phone");
  Client client = at_device(device.device);
  const Answer sent = dispatch_at(client, "demo", "true");
  ASSERT_TRUE(sent) << sent.error().message;
  const std::string id = (*sent)->reply.AsAccepted()->ids.front();
  ended(id);
  const auto queued = events_of(id, "JobQueued");
  ASSERT_EQ(queued.size(), 1U);
  EXPECT_EQ(queued[0]["actor"]["name"], "anna");
  EXPECT_EQ(queued[0]["actor"]["device"], "phone");
  EXPECT_THAT(luzia({"why", id}).out, HasSubstr("asserted by anna at phone"));
}

TEST_F(DevicesTest, AuditNamesPersonAndDevice) {
  start_daemon();
  const auto device = pair(schema::DeviceRole::operator_, "phone");
  const std::string id = dispatch(
      "echo '{\"type\":\"confirm\",\"question\":\"Go on?\"}' > "
      "\"$LUZIA_JOB_DIR/clarification.json\"; while [ ! -e "
      "\"$LUZIA_JOB_DIR/response.json\" ]; do sleep 0.05; done");
  ASSERT_TRUE(becomes(id, "waiting"));
  Client client = at_device(device.device);
  wire::AnswerQuestionT answer;
  answer.job = id;
  answer.answer = "yes";
  answer.person = "eve";
  EXPECT_EQ(code_of(client.ask(request_of(wire::AnswerQuestionT(answer)))), "not_allowed")
      << "the device's person cannot be another";
  answer.person.clear();
  const Answer given = client.ask(request_of(std::move(answer)));
  ASSERT_TRUE(given) << given.error().message;
  ended(id);
  const Json audit = luzia_json({"audit"})["audit"];
  ASSERT_EQ(audit.size(), 1U);
  EXPECT_EQ(audit[0]["by"], "anna at phone");
}

TEST_F(DevicesTest, ViewerReadsAndChangesNothing) {
  start_daemon();
  const auto device = pair(schema::DeviceRole::viewer, "tablet");
  Client client = at_device(device.device);
  EXPECT_TRUE(query_at(client, wire::View::jobs));
  const std::uint64_t before = position();
  EXPECT_EQ(code_of(dispatch_at(client, "demo", "true")), "device_not_allowed");
  EXPECT_EQ(code_of(client.ask(request_of(wire::OfferPairingT()))), "device_not_allowed");
  wire::ControlT stop;
  stop.action = wire::ControlAction::stop;
  EXPECT_EQ(code_of(client.ask(request_of(std::move(stop)))), "not_allowed");
  EXPECT_EQ(position(), before);
}

TEST_F(DevicesTest, DeviceOfAProjectSeesAndChangesThatAlone) {
  start_daemon();
  const std::string other = dispatch("true", {"--tag", "x"});
  const std::string hidden = lines_of(luzia({"dispatch", "other", "true"}).out).at(0);
  ended(other);
  ended(hidden);
  const auto device = pair(schema::DeviceRole::admin, "phone", {"demo"});
  Client client = at_device(device.device);
  const Answer jobs = query_at(client, wire::View::jobs);
  ASSERT_TRUE(jobs);
  EXPECT_EQ((*jobs)->reply.AsRows()->rows.size(), 1U);
  // A device with projects is never root.
  EXPECT_EQ(code_of(dispatch_at(client, "demo", "true")), ::geteuid() == 0 ? "user_not_allowed" : "");
  EXPECT_EQ(code_of(dispatch_at(client, "other", "true")), "unknown_project");
  wire::ActOnJobsT retry;
  retry.action = wire::JobAction::retry;
  retry.jobs = {hidden};
  EXPECT_EQ(code_of(client.ask(request_of(std::move(retry)))), "no_such_job") << "also by its full id";
  const Answer devices = query_at(client, wire::View::devices);
  ASSERT_TRUE(devices);
  EXPECT_THAT((*devices)->reply.AsRows()->rows, IsEmpty()) << "they belong to no project";
  wire::OfferPairingT wider;
  EXPECT_EQ(code_of(client.ask(request_of(std::move(wider)))), "device_not_allowed");
  EXPECT_FALSE(offer(client, schema::DeviceRole::admin, "second", {"demo"}).empty());
}

TEST_F(DevicesTest, RevokedDeviceIsCutOffAtOnce) {
  start_daemon();
  const auto device = pair(schema::DeviceRole::operator_, "phone");
  Client open = at_device(device.device);
  ASSERT_TRUE(query_at(open, wire::View::jobs));
  const Finished revoked = luzia({"web", "revoke", "phone", "--note", "lost"});
  EXPECT_EQ(revoked.code, 0) << revoked.err;
  EXPECT_EQ(revoked.out, device.device + "\n");
  EXPECT_FALSE(query_at(open, wire::View::jobs)) << "its connection is closed";
  EXPECT_EQ(check(device.token), "device_unknown");
  Client again = at_device(device.device);
  EXPECT_EQ(code_of(query_at(again, wire::View::jobs)), "device_unknown");
  EXPECT_THAT(listed(), IsEmpty());
  EXPECT_THAT(listed({"--all"}), ElementsAre("phone"));
  const Finished twice = luzia({"web", "revoke", device.device});
  EXPECT_EQ(twice.code, 0);
  EXPECT_THAT(twice.err, HasSubstr("already"));
  EXPECT_EQ(luzia({"web", "revoke", "nothing"}).code, 3);
}

TEST_F(DevicesTest, DeviceMayRevokeItselfAndNoOther) {
  start_daemon();
  const auto phone = pair(schema::DeviceRole::viewer, "phone"),
             tablet = pair(schema::DeviceRole::viewer, "tablet");
  Client client = at_device(phone.device);
  wire::RevokeDeviceT request;
  request.device = "tablet";
  EXPECT_EQ(code_of(client.ask(request_of(wire::RevokeDeviceT(request)))), "device_not_allowed");
  request.device = "phone";
  EXPECT_TRUE(client.ask(request_of(std::move(request))));
  EXPECT_THAT(listed(), ElementsAre("tablet"));
}

TEST_F(DevicesTest, JobMayNotPairOrSpeakForADevice) {
  start_daemon();
  const auto device = pair(schema::DeviceRole::admin, "phone");
  const std::string id = dispatch(kLuzia + " web revoke phone; " + kLuzia + " web pair; true");
  ended(id);
  EXPECT_THAT(luzia({"logs", id}).out, HasSubstr("may not pair or revoke devices"));
  EXPECT_THAT(listed(), ElementsAre("phone"));
}

TEST_F(DevicesTest, PersonLearnsOfANewDevice) {
  const std::string told = project() + "/told";
  configure("[[hooks]]\nname = \"told\"\ncommand = [\"sh\", \"-c\", \"cat >> " + told +
            "\"]\non = [\"alert_raised\"]\n");
  start_daemon();
  const auto device = pair(schema::DeviceRole::admin, "phone");
  EXPECT_TRUE(wait_until([&] { return read_text(told).find(device.device) != std::string::npos; }));
}

TEST_F(DevicesTest, UnsafeAddressIsRefusedEverywhere) {
  const Finished refused = luzia({"web", "start", "--listen", "0.0.0.0:8737"});
  EXPECT_EQ(refused.code, 2);
  EXPECT_THAT(refused.err, HasSubstr("without TLS"));
  EXPECT_EQ(error_lines(refused.err), 1U);
  EXPECT_EQ(luzia({"web", "status"}).code, 1);
  configure("[web]\nlisten = \"0.0.0.0:8737\"\n");
  const Finished start = luzia({"daemon", "start"});
  EXPECT_NE(start.code, 0);
  EXPECT_THAT(start.err, HasSubstr("without TLS"));
}

TEST_F(DevicesTest, ProjectCalledWebStillTakesTasks) {
  configure("[projects.web]\npath = \"" + project() + "\"\n");
  const Finished sent = luzia({"web", "echo done"});
  ASSERT_EQ(sent.code, 0) << sent.err;
  EXPECT_EQ(ended(lines_of(sent.out).at(0))["project"], "web");
}

}  // namespace
}  // namespace luzia
