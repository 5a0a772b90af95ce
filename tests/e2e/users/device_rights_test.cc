// Who may pair and revoke devices of root's daemon, and as whom a device acts there.
#include <grp.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "adapters/socket/client.h"
#include "tests/e2e/users/several_users.h"

namespace luzia {
namespace {

class DeviceRightsTest : public SeveralUsersTest {
 protected:
  Client connect() const {
    auto client = Client::connect(store() + "/socket");
    EXPECT_TRUE(client) << (client ? "" : client.error().message);
    return std::move(*client);
  }
  /// Pairs a device of root; the result is its id.
  std::string pair(std::vector<std::string> projects) const {
    Client client = connect();
    wire::OfferPairingT offer;
    offer.role = schema::DeviceRole::operator_;
    offer.name = "phone";
    offer.projects = std::move(projects);
    const auto offered = client.ask(request_of(std::move(offer)));
    EXPECT_TRUE(offered) << (offered ? "" : offered.error().message);
    wire::PairDeviceT redeem;
    redeem.code = (*offered)->reply.AsPairingOffered()->code;
    const auto admitted = client.ask(request_of(std::move(redeem)));
    EXPECT_TRUE(admitted) << (admitted ? "" : admitted.error().message);
    return (*admitted)->reply.AsDeviceAdmitted()->device;
  }
  /// The ids of what was accepted, or the code of the refusal.
  template <class Body>
  std::string ask_at(const std::string& device, Body body) const {
    Client client = connect();
    client.act_at(device);
    const auto answer = client.ask(request_of(std::move(body)));
    return answer ? (*answer)->reply.AsAccepted()->ids.front() : answer.error().code;
  }
  std::string create_flow_at(const std::string& device, const std::string& project) const {
    wire::CreateFlowT flow;
    flow.project = project;
    flow.runs = true;
    flow.steps.push_back(std::make_unique<wire::NewFlowStepT>());
    flow.steps[0]->name = "one";
    flow.steps[0]->prompt = "id -un";
    return ask_at(device, std::move(flow));
  }
  /// The job's id, or the code of the refusal.
  std::string dispatch_at(const std::string& device, const std::string& project) const {
    wire::DispatchT request;
    request.jobs.push_back(std::make_unique<wire::DispatchJobT>());
    request.jobs[0]->project = project;
    request.jobs[0]->task = "id -un";
    return ask_at(device, std::move(request));
  }
};

TEST_F(DeviceRightsTest, OnlyRootPairsAndRevokesDevicesOfItsDaemon) {
  if (!make()) return;
  pair({});
  const std::uint64_t before = position();
  for (const char* user : {"alice", "eve"}) {
    for (const Words& words : {Words{"web", "revoke", "phone"}, {"web", "pair"}, {"web", "open"}}) {
      const Finished refused = as(user, words);
      EXPECT_EQ(refused.code, kRefused) << user << refused.out;
      EXPECT_THAT(refused.out, HasSubstr("may not"));
      EXPECT_EQ(error_lines(refused.out), 1U) << refused.out;
    }
    EXPECT_EQ(as(user, {"web", "devices", "-q"}).out, "") << "they are none of theirs";
  }
  EXPECT_EQ(position(), before);
}

TEST_F(DeviceRightsTest, DeviceOfProjectsIsNeverRoot) {
  if (!make()) return;
  const std::string device = pair({"team", "served"});
  EXPECT_EQ(dispatch_at(device, "team"), "user_not_allowed") << "it would run as root";
  const std::string id = dispatch_at(device, "served");
  ended(id);
  EXPECT_EQ(output(id), "svc\n");
  EXPECT_EQ(create_flow_at(device, "team"), "user_not_allowed");
  EXPECT_TRUE(create_flow_at(device, "served").starts_with("f-"));
  const std::string of_root = dispatch_as("root", {"team", "exit 3"});
  ended(of_root);
  wire::ActOnJobsT retry;
  retry.action = wire::JobAction::retry;
  retry.jobs = {of_root};
  EXPECT_EQ(ask_at(device, std::move(retry)), "user_not_allowed");
  wire::TellJobT tell;
  tell.job = of_root;
  tell.text = "go on";
  tell.channel = "web";
  EXPECT_EQ(ask_at(device, std::move(tell)), "user_not_allowed");
}

TEST_F(DeviceRightsTest, OthersMayNotSpeakForADevice) {
  if (!make()) return;
  const std::string device = pair({});
  struct stat door {};
  ASSERT_EQ(::stat((store() + "/socket").c_str(), &door), 0);
  // The kernel says who connects, so this takes a process of another user.
  const pid_t pid = ::fork();
  if (pid == 0) {
    const unsigned alice = uid_of("alice");
    if (::setgroups(1, &door.st_gid) != 0 || ::setgid(alice) != 0 || ::setuid(alice) != 0) ::_exit(90);
    auto client = Client::connect(store() + "/socket");
    if (!client) ::_exit(91);
    client->act_at(device);
    wire::QueryT query;
    query.view = wire::View::jobs;
    const auto answer = client->ask(request_of(std::move(query)));
    ::_exit(!answer && answer.error().code == "not_allowed" ? 0 : 92);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(pid, &status, 0), pid);
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

}  // namespace
}  // namespace luzia
