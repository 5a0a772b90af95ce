// To which addresses pushes may be sent, whatever a device names.
#include "engine/device/push.h"

#include <gtest/gtest.h>

namespace luzia {
namespace {

bool may_send(const std::string& endpoint, const std::vector<std::string>& services = {}) {
  const Status may = check_push_endpoint(endpoint, services);
  if (!may) {
    EXPECT_EQ(may.error().code, "bad_push_endpoint");
  }
  return may.has_value();
}

TEST(PushEndpoint, PublicServicesAreAllowed) {
  for (const char* endpoint :
       {"https://fcm.googleapis.com/fcm/send/abc:def", "https://FCM.googleapis.com/x",
        "https://updates.push.services.mozilla.com/wpush/v2/gAAAA", "https://web.push.apple.com/Q",
        "https://wns2-par02p.notify.windows.com/w/?token=BQY", "https://push.example:443/x",
        "https://xn--bcher-kva.example/x"})
    EXPECT_TRUE(may_send(endpoint)) << endpoint;
}

TEST(PushEndpoint, NothingInsideIs) {
  for (const char* endpoint : {"http://push.example/x",
                               "https://127.0.0.1/x",
                               "https://10.0.0.1/x",
                               "https://169.254.169.254/latest",
                               "https://[::1]/x",
                               "https://[fd00::1]/x",
                               "https://localhost/x",
                               "https://localhost./x",
                               "https://a.localhost/x",
                               "https://printer.local/x",
                               "https://vault.internal/x",
                               "https://nas.lan/x",
                               "https://router.home.arpa/x",
                               "https://intranet/x",
                               "https://push.example:8443/x",
                               "https://push.example:80/x",
                               "https://2130706433/x",
                               "https://127.1/x",
                               "https://0x7f.1/x",
                               "https://push.example./x",
                               "https://.example/x",
                               "https:///x",
                               "https://ann@push.example/x",
                               "https://push.example\\@127.0.0.1/x",
                               "https://push.example%2f@x.example/",
                               "ftp://push.example/x",
                               "push.example",
                               "",
                               "https://",
                               "https://push_.example/x",
                               "HTTPS://push.example/x"})
    EXPECT_FALSE(may_send(endpoint)) << endpoint;
}

TEST(PushEndpoint, TheConfigurationMayNameOthers) {
  const std::vector<std::string> services = {"http://127.0.0.1:9000", "https://push.lan:8443"};
  EXPECT_TRUE(may_send("http://127.0.0.1:9000/x", services));
  EXPECT_TRUE(may_send("https://push.lan:8443/x?y", services));
  EXPECT_TRUE(may_send("https://PUSH.lan:8443", services));
  EXPECT_FALSE(may_send("http://127.0.0.1:9001/x", services));
  EXPECT_FALSE(may_send("http://127.0.0.1:90001/x", services));
  EXPECT_FALSE(may_send("http://127.0.0.1:9000@push.example/x", services));
  EXPECT_FALSE(may_send("https://push.lan/x", services));
}

TEST(PushEndpoint, ItsServiceIsItsOrigin) {
  EXPECT_EQ(push_service("https://Push.Example/a/b?c#d"), "https://push.example");
  EXPECT_EQ(push_service("http://127.0.0.1:80"), "http://127.0.0.1:80");
  EXPECT_EQ(push_service("https://push.example?x"), "https://push.example");
  EXPECT_EQ(push_service("https://push.example#x"), "https://push.example");
}

TEST(PushTarget, TheFormOfASubscriptionIsChecked) {
  PushTarget target{"https://push.example/x",
                    std::vector<std::uint8_t>(kPushKeyBytes, 4),
                    std::vector<std::uint8_t>(kPushAuthBytes, 1),
                    {"asks", "ends"}};
  EXPECT_TRUE(check_push(target));
  target.endpoint = "https://push.example/" + std::string(kMaxPushEndpoint, 'a');
  EXPECT_FALSE(check_push(target));
  for (const char* endpoint :
       {"https://push.example/a b", "https://push.example/\n", "https://push.example/\xc3\xbc"}) {
    target.endpoint = endpoint;
    EXPECT_FALSE(check_push(target)) << endpoint;
  }
  target.endpoint = "https://push.example/x";
  target.key.front() = 2;
  EXPECT_FALSE(check_push(target)) << "a compressed point";
}

}  // namespace
}  // namespace luzia
