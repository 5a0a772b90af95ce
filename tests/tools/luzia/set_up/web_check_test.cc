// What luzia doctor says about the files of [web], and about a luzia-web that should run.
#include "tools/luzia/set_up/web_check.h"

#include "tests/matchers.h"
#include "tests/projections/rows/shown_rows.h"
#include "tests/tools/luzia/program_fixture.h"

namespace luzia {
namespace {

/// Made by openssl req -x509: good from 2026-11-26 21:01:46 to 2026-12-26 21:01:46 UTC.
constexpr const char* kShort =
    "-----BEGIN CERTIFICATE-----\n"
    "MIIBhDCCASugAwIBAgIURnWBTRbqHH5U8Vow2CFFoEus1dEwCgYIKoZIzj0EAwIw\n"
    "GDEWMBQGA1UEAwwNbHV6aWEuZXhhbXBsZTAeFw0yNjExMjYyMTAxNDZaFw0yNjEy\n"
    "MjYyMTAxNDZaMBgxFjAUBgNVBAMMDWx1emlhLmV4YW1wbGUwWTATBgcqhkjOPQIB\n"
    "BggqhkjOPQMBBwNCAAREsFGl9f6grjbeSd+J8KWGkwePpPQx+wu8ClAcZI93yAMs\n"
    "EM+LZbzgqclZqMqXHSipEZR27Gj0BBqYk/JFF8iRo1MwUTAdBgNVHQ4EFgQU3E9P\n"
    "7CMXwpbiTAMTPm2mvZjqhoowHwYDVR0jBBgwFoAU3E9P7CMXwpbiTAMTPm2mvZjq\n"
    "hoowDwYDVR0TAQH/BAUwAwEB/zAKBggqhkjOPQQDAgNHADBEAiBQgC3rAJc+R0Zk\n"
    "ToaGEtuNd1fmfXGP+Ht31jyV+ofWRwIgO4A4BvXcCoReHWW6snH9Csj88AWD5pfC\n"
    "vFakX3NIIHs=\n"
    "-----END CERTIFICATE-----\n";
/// To 2081-08-29 21:01:46 UTC, which needs a year of four digits.
constexpr const char* kLong =
    "-----BEGIN CERTIFICATE-----\n"
    "MIIBbzCCARWgAwIBAgIUAi8tTc7aYkb9gOlTG5NjM2rT67gwCgYIKoZIzj0EAwIw\n"
    "DDEKMAgGA1UEAwwBeDAgFw0yNjExMjYyMTAxNDZaGA8yMDgxMDgyOTIxMDE0Nlow\n"
    "DDEKMAgGA1UEAwwBeDBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABIcJMl8UAGx4\n"
    "qJnUove/sXSPzYvBh4g3HSvC+qrYbMV68fkxvfhJI9H5m0xQvbWLGAvof8iWAD2P\n"
    "CRfXaDEIcq6jUzBRMB0GA1UdDgQWBBTeUz8rpNbvgj68XMM3erH7Z8/90DAfBgNV\n"
    "HSMEGDAWgBTeUz8rpNbvgj68XMM3erH7Z8/90DAPBgNVHRMBAf8EBTADAQH/MAoG\n"
    "CCqGSM49BAMCA0gAMEUCIQDPeYDha4uKN+U5jaTA9v9+MM230USaUirOKIu80Qnq\n"
    "LgIgD1F7JTeFel1u5QZaeBhToKjAV8Rp/wqjbOdGG87Uwng=\n"
    "-----END CERTIFICATE-----\n";

TimeUs at(const char* text) {
  return parse_time(text, 0).value();
}

TEST(Certificate, EndsWhenItSays) {
  EXPECT_EQ(certificate_end(kShort), at("2026-12-26T21:01:46Z"));
  EXPECT_EQ(certificate_end(kLong), at("2081-08-29T21:01:46Z"));
  EXPECT_EQ(certificate_end(std::string("a key before it\n") + kShort + kLong), at("2026-12-26T21:01:46Z"));
}

TEST(Certificate, WhatIsNoneHasNoEnd) {
  const std::string pem = kShort;
  for (const std::string& bad :
       {std::string(), std::string("-----BEGIN CERTIFICATE-----"), pem.substr(0, pem.size() - 10),
        std::string("-----BEGIN CERTIFICATE-----\n*\n-----END CERTIFICATE-----\n"),
        std::string("-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n"),
        std::string("-----BEGIN CERTIFICATE-----\nMAAwADAA\n-----END CERTIFICATE-----\n")})
    EXPECT_EQ(certificate_end(bad), std::nullopt) << bad;
  // Cut anywhere, it is refused or names the same end.
  const std::string body = pem.substr(28, pem.find("-----END") - 28);
  for (std::size_t size = 0; size < body.size(); ++size) {
    const auto end = certificate_end("-----BEGIN CERTIFICATE-----\n" + body.substr(0, size) +
                                     "\n-----END CERTIFICATE-----\n");
    EXPECT_TRUE(!end || *end == at("2026-12-26T21:01:46Z")) << size;
  }
}

class WebCheck : public ProgramTest {
 protected:
  std::string faults(const std::string& certificate, const char* now) const {
    WebListening web;
    web.tls_cert = write("cert", certificate);
    web.tls_key = write("key", "a key");
    std::string text;
    for (const WebFault& each : certificate_faults(web, at(now)))
      text += (each.serious ? "bad: " : "warn: ") + each.what + "\n";
    return text;
  }
};

TEST_F(WebCheck, CertificateIsGoodUntilItsEnd) {
  EXPECT_THAT(faults(kShort, "2026-12-01T00:00:00Z"), IsEmpty());
  EXPECT_THAT(faults(kShort, "2026-12-20T00:00:00Z"), HasSubstr("warn: web: the certificate "));
  EXPECT_THAT(faults(kShort, "2026-12-20T00:00:00Z"), HasSubstr("ends in 6d21h"));
  EXPECT_THAT(faults(kShort, "2026-12-26T21:01:46Z"), HasSubstr("bad: web: the certificate "));
  EXPECT_THAT(faults(kShort, "2027-01-01T00:00:00Z"), HasSubstr("ended 5d2h ago: browsers refuse it"));
  EXPECT_THAT(faults("no certificate", "2026-12-01T00:00:00Z"), HasSubstr("is none"));
  EXPECT_THAT(faults("", "2026-12-01T00:00:00Z"), HasSubstr("is empty"));
}

TEST_F(WebCheck, DoctorNamesMissingFilesAndAProgramThatDoesNotRun) {
  configure(
      "[web]\nenabled = true\nlisten = \"0.0.0.0:8737\"\ntls_cert = \"/nowhere/cert\"\ntls_key = "
      "\"/nowhere/key\"\n");
  const Ran ran = run({"doctor"});
  EXPECT_EQ(ran.code, 1);
  EXPECT_THAT(ran.out, HasSubstr("web: tls_cert: /nowhere/cert: No such file or directory"));
  EXPECT_THAT(ran.out, HasSubstr("web: it is enabled, but luzia-web "));
  configure("[web]\nlisten = \"0.0.0.0:8737\"\n");
  EXPECT_THAT(run({"doctor"}).out, HasSubstr("[web] listening at 0.0.0.0:8737 without TLS"));
  configure("[projects.web]\npath = \"/\"\n");
  EXPECT_THAT(run({"doctor"}).out, Not(HasSubstr("  web: ")));
}

TEST(PushFault, MissingProgramMattersToDevicesThatTakePushes) {
  test::ShownRows<view::Device> devices;
  view::DeviceT device;
  device.device = "d-1";
  devices.add(device);
  EXPECT_FALSE(push_fault(devices.list(), "")) << "it takes none";
  device.push_service = "https://push.example";
  device.revoked_us = 1;
  devices.add(device);
  EXPECT_FALSE(push_fault(devices.list(), "")) << "revoked";
  device.revoked_us = 0;
  devices.add(device);
  EXPECT_FALSE(push_fault(devices.list(), "/usr/libexec/luzia/luzia-push"));
  const auto fault = push_fault(devices.list(), "");
  ASSERT_TRUE(fault);
  EXPECT_EQ(fault->what,
            "web: 1 device takes pushes, but luzia-push is not installed with this luzia, so none is sent");
}

}  // namespace
}  // namespace luzia
