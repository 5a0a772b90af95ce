// The end of a certificate, as luzia doctor reads it from a file: OpenSSL, which luzia-web uses it with,
// reads the same one or refuses it. Input: a certificate in DER, or whatever poses as one.
#include <openssl/evp.h>
#include <openssl/x509.h>

#include <ctime>
#include <memory>
#include <string>

#include "engine/base/hash.h"
#include "tests/fuzz/fuzz_check.h"
#include "tools/luzia/set_up/web_check.h"

namespace luzia {
namespace {

std::string pem_of(Bytes bytes) {
  std::string text(bytes.size() / 3 * 4 + 5, '\0');
  const int length = EVP_EncodeBlock(reinterpret_cast<unsigned char*>(text.data()), bytes.data(),
                                     static_cast<int>(bytes.size()));
  text.resize(static_cast<std::size_t>(length));
  return "-----BEGIN CERTIFICATE-----\n" + text + "\n-----END CERTIFICATE-----\n";
}

/// As OpenSSL reads it; nullopt: it refuses it.
std::optional<TimeUs> end_by_openssl(Bytes bytes) {
  const unsigned char* at = bytes.data();
  const std::unique_ptr<X509, void (*)(X509*)> certificate(
      d2i_X509(nullptr, &at, static_cast<long>(bytes.size())), &X509_free);
  tm parts{};
  if (!certificate || ASN1_TIME_to_tm(X509_get0_notAfter(certificate.get()), &parts) != 1)
    return std::nullopt;
  return static_cast<TimeUs>(::timegm(&parts)) * kSecondUs;
}

}  // namespace
}  // namespace luzia

void luzia::fuzz(std::string_view input) {
  if (input.size() > 64 << 10) return;
  const auto ours = certificate_end(pem_of(as_bytes(input)));
  const auto theirs = end_by_openssl(as_bytes(input));
  require(!ours || !theirs || *ours == *theirs, "both read the same end");
  (void)certificate_end(input);
}
