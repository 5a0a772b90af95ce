#include "engine/device/listening.h"

#include <arpa/inet.h>

#include <algorithm>
#include <array>

#include "engine/base/characters.h"
#include "engine/base/whole_number.h"

namespace luzia {
namespace {

constexpr std::size_t kMaxHostName = 253;

bool is_host_name(const std::string& host) {
  const auto may_stand = [](char c) { return is_letter_or_digit(c) || c == '-' || c == '.'; };
  return !host.empty() && host.size() <= kMaxHostName && host.front() != '.' && host.front() != '-' &&
         std::ranges::all_of(host, may_stand);
}

bool is_address(const std::string& text, int family) {
  std::array<unsigned char, sizeof(in6_addr)> bytes{};
  return ::inet_pton(family, text.c_str(), bytes.data()) == 1;
}

}  // namespace

Result<ListenAddress> parse_listen(std::string_view listen) {
  const auto bad = [listen] {
    return fail(ErrorKind::usage, "bad_listen",
                "'" + std::string(listen) + "' is not an address to listen at",
                "write ADDRESS:PORT, such as 127.0.0.1:8737 or [::1]:8737");
  };
  const std::size_t colon = listen.rfind(':');
  if (colon == std::string_view::npos) return bad();
  const auto port = parse_whole_number<std::uint16_t>(listen.substr(colon + 1));
  std::string address(listen.substr(0, colon));
  const bool bracketed = address.size() > 2 && address.front() == '[' && address.back() == ']';
  if (bracketed) address = address.substr(1, address.size() - 2);
  if (address == "localhost" && !bracketed) address = "127.0.0.1";
  if (!port || !is_address(address, bracketed ? AF_INET6 : AF_INET)) return bad();
  return ListenAddress{std::move(address), *port};
}

bool is_loopback(std::string_view address) {
  const std::string text(address);
  in_addr four{};
  if (::inet_pton(AF_INET, text.c_str(), &four) == 1) return (ntohl(four.s_addr) >> 24U) == 127;
  in6_addr six{};
  if (::inet_pton(AF_INET6, text.c_str(), &six) != 1) return false;
  return IN6_IS_ADDR_LOOPBACK(&six) || (IN6_IS_ADDR_V4MAPPED(&six) && six.s6_addr[12] == 127);
}

Status check_listening(const WebListening& web) {
  const auto at = LUZIA_TRY(parse_listen(web.listen));
  if (web.tls_cert.empty() != web.tls_key.empty()) {
    return fail(ErrorKind::usage, "bad_tls",
                std::string("TLS needs a certificate and its key, but ") +
                    (web.tls_key.empty() ? "tls_key" : "tls_cert") + " is missing",
                "name both files, or neither");
  }
  const auto host = std::ranges::find_if_not(web.hosts, is_host_name);
  if (host != web.hosts.end()) {
    return fail(ErrorKind::usage, "bad_host", "'" + *host + "' is not a host name",
                "name each host in full, without port and without patterns");
  }
  if (is_loopback(at.address) || !web.tls_cert.empty() || web.behind_proxy) return {};
  return fail(
      ErrorKind::usage, "unsafe_listen",
      "listening at " + web.listen +
          " without TLS: whoever is on the way could read everything and act in your name",
      "set tls_cert and tls_key, or behind_proxy = true if a proxy adds TLS; 127.0.0.1 needs neither");
}

std::vector<std::string> web_options(const WebListening& web) {
  std::vector<std::string> words = {"--listen", web.listen};
  if (!web.tls_cert.empty())
    words.insert(words.end(), {"--tls-cert", web.tls_cert, "--tls-key", web.tls_key});
  if (web.behind_proxy) words.emplace_back("--behind-proxy");
  for (const std::string& host : web.hosts) words.insert(words.end(), {"--host", host});
  return words;
}

}  // namespace luzia
