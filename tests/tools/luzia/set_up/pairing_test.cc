// What luzia web pair says about the page's address.
#include "tests/matchers.h"
#include "tools/luzia/web/link.h"

namespace luzia {
namespace {

struct PairingPlace {
  const char* url;
  bool behind_proxy;
  std::vector<std::string> hosts;
  const char* page;
  const char* words;
};

TEST(Pairing, NamesThePageThatAPhoneOpens) {
  constexpr const char* kAlone = "no phone reaches this address";
  for (const PairingPlace& place :
       {PairingPlace{"http://127.0.0.1:8737", false, {}, "http://127.0.0.1:8737", kAlone},
        {"http://[::1]:8737", false, {"desk.example"}, "http://[::1]:8737", kAlone},
        {"http://127.0.0.1:8737", true, {}, "http://127.0.0.1:8737", "at your proxy's address"},
        {"http://127.0.0.1:8737",
         true,
         {"desk.example"},
         "https://desk.example",
         "open https://desk.example and"},
        {"https://[::]:8737",
         false,
         {"desk.example"},
         "https://desk.example:8737",
         "https://desk.example:8737"},
        {"https://192.0.2.7:1",
         false,
         {},
         "https://192.0.2.7:1",
         "open https://192.0.2.7:1 and type the code"}}) {
    WebListening listening;
    listening.behind_proxy = place.behind_proxy;
    listening.hosts = place.hosts;
    EXPECT_EQ(page_address(place.url, listening), place.page);
    EXPECT_THAT(how_to_pair(place.page, listening), HasSubstr(place.words)) << place.url;
  }
}

TEST(Pairing, SaysWhatToDoWhenNoPhoneReachesIt) {
  const std::string words = how_to_pair("http://127.0.0.1:8737", {});
  for (const char* word : {"listen", "tls_cert", "hosts", "behind_proxy", "luzia web stop"})
    EXPECT_THAT(words, HasSubstr(word));
}

}  // namespace
}  // namespace luzia
