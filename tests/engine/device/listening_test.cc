// Where luzia-web may listen.
#include "engine/device/listening.h"

#include <sstream>

#include "tests/matchers.h"

namespace luzia {
namespace {

/// address and port | cert | key | behind a proxy | host | code of the refusal, or good
constexpr const char* kRules = R"(
127.0.0.1:8737        - - - -              good
127.0.0.1:0           - - - -              good
127.9.9.9:8737        - - - -              good
localhost:8737        - - - -              good
[::1]:8737            - - - -              good
[::ffff:127.0.0.1]:1  - - - -              good
0.0.0.0:8737          - - - -              unsafe_listen
192.0.2.1:8737        - - - -              unsafe_listen
[::]:8737             - - - -              unsafe_listen
[::ffff:192.0.2.1]:1  - - - -              unsafe_listen
0.0.0.0:8737          c k - -              good
0.0.0.0:8737          - - p -              good
[::]:443              c k p luzia.example  good
0.0.0.0:8737          c - - -              bad_tls
127.0.0.1:8737        - k - -              bad_tls
127.0.0.1:8737        - - - luzia.example  good
127.0.0.1:8737        - - - *              bad_host
127.0.0.1:8737        - - - *.example      bad_host
127.0.0.1:8737        - - - .example       bad_host
127.0.0.1:8737        - - - a.example:8737 bad_host
127.0.0.1:8737        - - - a/b            bad_host
luzia.example:8737    c k - -              bad_listen
127.0.0.1             - - - -              bad_listen
127.0.0.1:            - - - -              bad_listen
127.0.0.1:65536       - - - -              bad_listen
127.0.0.1:-1          - - - -              bad_listen
127.1:8737            - - - -              bad_listen
::1:8737              - - - -              bad_listen
[127.0.0.1]:8737      - - - -              bad_listen
[localhost]:8737      - - - -              bad_listen
:8737                 - - - -              bad_listen
8737                  - - - -              bad_listen
)";

TEST(Listening, BeyondThisMachineNeedsTlsOrAProxy) {
  std::istringstream lines(kRules);
  const auto given = [](const std::string& word) { return word == "-" ? std::string() : word; };
  for (std::string line; std::getline(lines, line);) {
    std::istringstream in(line);
    std::string listen, cert, key, proxy, host, code;
    if (!(in >> listen >> cert >> key >> proxy >> host >> code)) continue;
    WebListening web{listen, given(cert), given(key), proxy == "p", {}};
    if (host != "-") web.hosts = {host};
    const Status safe = check_listening(web);
    EXPECT_EQ(safe ? "good" : safe.error().code, code) << line;
  }
  EXPECT_TRUE(check_listening(WebListening())) << "the default";
}

TEST(Listening, OptionsSayTheSame) {
  EXPECT_THAT(web_options(WebListening()), ElementsAre("--listen", "127.0.0.1:8737"));
  EXPECT_THAT(web_options({"[::]:443", "c.pem", "k.pem", true, {"a.example", "b.example"}}),
              ElementsAre("--listen", "[::]:443", "--tls-cert", "c.pem", "--tls-key", "k.pem",
                          "--behind-proxy", "--host", "a.example", "--host", "b.example"));
}

}  // namespace
}  // namespace luzia
