#include "tools/luzia/set_up/web_check.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>

#include "engine/base/counted.h"
#include "engine/event/event.h"
#include "tools/cli/start_daemon.h"
#include "tools/luzia/web/web_program.h"

namespace luzia {
namespace {

constexpr TimeUs kSoonUs = 14 * kDayUs;
constexpr std::uint8_t kSequence = 0x30, kVersion = 0xa0, kUtcTime = 0x17, kGeneralizedTime = 0x18;

/// An element of DER (X.690).
struct DerElement {
  std::uint8_t tag;
  std::string_view content;
};

/// Takes the first element off `rest`.
std::optional<DerElement> next_element(std::string_view& rest) {
  constexpr std::size_t kLong = 0x80, kMostLengthBytes = 4;
  const auto byte = [&](std::size_t i) { return static_cast<std::uint8_t>(rest[i]); };
  if (rest.size() < 2) return std::nullopt;
  const std::uint8_t tag = byte(0);
  std::size_t length = byte(1), head = 2;
  if (length >= kLong) {
    const std::size_t count = length - kLong;
    if (count == 0 || count > kMostLengthBytes || rest.size() < head + count) return std::nullopt;
    length = 0;
    for (std::size_t i = 0; i < count; ++i) length = length << 8U | byte(head + i);
    head += count;
  }
  if (rest.size() - head < length) return std::nullopt;
  const DerElement element{tag, rest.substr(head, length)};
  rest.remove_prefix(head + length);
  return element;
}

std::optional<std::string_view> next_sequence(std::string_view& rest) {
  const auto element = next_element(rest);
  if (!element || element->tag != kSequence) return std::nullopt;
  return element->content;
}

/// YYMMDDHHMMSSZ, from 1950 to 2049, or YYYYMMDDHHMMSSZ.
std::optional<TimeUs> time_of_element(const DerElement& element) {
  std::string digits(element.content);
  if (element.tag == kUtcTime) digits.insert(0, digits < "50" ? "20" : "19");
  const bool known = element.tag == kUtcTime || element.tag == kGeneralizedTime;
  if (!known || digits.size() != std::strlen("YYYYMMDDHHMMSSZ") || digits.back() != 'Z') return std::nullopt;
  const auto part = [&](std::size_t from, std::size_t size) { return digits.substr(from, size); };
  return parse_time(part(0, 4) + "-" + part(4, 2) + "-" + part(6, 2) + "T" + part(8, 2) + ":" + part(10, 2) +
                        ":" + part(12, 3),
                    0);
}

/// Empty: it is no base64.
std::string decoded_base64(std::string_view text) {
  constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string bytes;
  std::uint32_t bits = 0;
  unsigned count = 0;
  for (const char each : text) {
    if (each == ' ' || each == '\n' || each == '\r' || each == '\t' || each == '=') continue;
    const std::size_t digit = kDigits.find(each);
    if (digit == std::string_view::npos) return {};
    bits = bits << 6U | static_cast<std::uint32_t>(digit);
    count += 6;
    if (count < 8) continue;
    count -= 8;
    bytes += static_cast<char>(bits >> count & 0xffU);
  }
  return bytes;
}

std::string first_certificate(std::string_view pem) {
  constexpr std::string_view kBegin = "-----BEGIN CERTIFICATE-----", kEnd = "-----END CERTIFICATE-----";
  const std::size_t begin = pem.find(kBegin);
  const std::size_t end = begin == std::string_view::npos ? begin : pem.find(kEnd, begin);
  if (end == std::string_view::npos) return {};
  return decoded_base64(pem.substr(begin + kBegin.size(), end - begin - kBegin.size()));
}

}  // namespace

std::optional<TimeUs> certificate_end(std::string_view pem) {
  const std::string bytes = first_certificate(pem);
  std::string_view rest = bytes;
  auto certificate = next_sequence(rest);
  if (!certificate) return std::nullopt;
  auto body = next_sequence(*certificate);
  if (!body) return std::nullopt;
  auto serial = next_element(*body);
  if (serial && serial->tag == kVersion) serial = next_element(*body);
  const auto algorithm = next_sequence(*body), issuer = next_sequence(*body);
  auto validity = next_sequence(*body);
  if (!serial || !algorithm || !issuer || !validity) return std::nullopt;
  const auto begin = next_element(*validity), end = next_element(*validity);
  return begin && end ? time_of_element(*end) : std::nullopt;
}

std::vector<WebFault> certificate_faults(const WebListening& web, TimeUs now) {
  std::vector<WebFault> faults;
  std::string certificate;
  for (const auto& [key, path] : {std::pair{"tls_key", web.tls_key}, {"tls_cert", web.tls_cert}}) {
    if (path.empty()) continue;
    std::ifstream file(path);
    certificate.assign(std::istreambuf_iterator<char>(file), {});
    if (!file.is_open() || certificate.empty()) {
      const std::string why = file.is_open() ? "is empty" : std::strerror(errno);
      faults.push_back({true, std::string("web: ") + key + ": " + path + ": " + why,
                        "name a file in PEM that the daemon's user can read"});
    }
  }
  if (web.tls_cert.empty() || !faults.empty()) return faults;
  const auto end = certificate_end(certificate);
  const std::string subject = "web: the certificate " + web.tls_cert;
  if (!end) {
    faults.push_back({true, subject + " is none", "name a file in PEM with BEGIN CERTIFICATE"});
  } else if (*end <= now) {
    faults.push_back(
        {true, subject + " ended " + format_duration(now - *end) + " ago: browsers refuse it",
         "renew it; then luzia web stop, and luzia web start unless the daemon keeps it running"});
  } else if (*end - now < kSoonUs) {
    faults.push_back({false, subject + " ends in " + format_duration(*end - now), "renew it"});
  }
  return faults;
}

std::vector<WebFault> running_faults(const WebConfig& web, const std::string& store) {
  if (!web.enabled) return {};
  if (find_own_program("luzia-web").empty())
    return {{true, "web: it is enabled, but luzia-web is not installed with this luzia",
             "build Luzia with LUZIA_WEB=ON, or install its package"}};
  const auto running = find_web(store);
  if (!running) return {{true, "web: " + running.error().message, running.error().hint}};
  if (*running) return {};
  return {{true, "web: it is enabled, but luzia-web does not run",
           "the daemon keeps it running (luzia daemon start); if it cannot, luziad.log says why"}};
}

std::optional<WebFault> push_fault(const std::vector<const view::Device*>& devices,
                                   const std::string& program) {
  const auto waits = [](const view::Device* device) {
    return !text(device->push_service()).empty() && device->revoked_us() == 0;
  };
  const auto waiting = static_cast<std::uint64_t>(std::ranges::count_if(devices, waits));
  if (waiting == 0 || !program.empty()) return std::nullopt;
  return WebFault{true,
                  "web: " + counted(waiting, "device takes", "devices take") +
                      " pushes, but luzia-push is not installed with this luzia, so none is sent",
                  "build Luzia with LUZIA_WEB=ON, or install its package"};
}

}  // namespace luzia
