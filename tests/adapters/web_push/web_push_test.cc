// The example of RFC 8291, appendix A; tokens of RFC 8292; the file of the sender's key.
#include "adapters/web_push/web_push.h"

#include <openssl/ec.h>
#include <openssl/evp.h>
#include <sys/stat.h>

#include "adapters/web_push/vapid_key.h"
#include "engine/base/base64url.h"
#include "tests/adapters/job_dir/scratch.h"
#include "tests/matchers.h"

namespace luzia {
namespace {

std::string bytes(std::string_view text) {
  return from_base64url(text).value_or("");
}

constexpr std::string_view kSenderNumber = "yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw";
constexpr std::string_view kSenderPoint =
    "BP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A8";
constexpr std::string_view kReceiverPoint =
    "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4";
constexpr std::string_view kSalt = "DGv6ra1nlYgDCS1FRnbzlw", kAuth = "BTBZMqHH6r4Tts7J_aSIgg";
constexpr std::string_view kText = "When I grow up, I want to be a watermelon";
constexpr std::string_view kBody =
    "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK"
    "6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN";

KeyPair example_sender() {
  return key_pair_of(bytes(kSenderPoint), bytes(kSenderNumber));
}
PushReceiver example_receiver() {
  return {bytes(kReceiverPoint), bytes(kAuth)};
}

TEST(WebPush, TheExampleOfTheStandardIsReproduced) {
  const auto body = encrypted_push(example_receiver(), kText, example_sender(), bytes(kSalt));
  ASSERT_TRUE(body) << body.error().message;
  EXPECT_EQ(base64url(*body), kBody);
}

TEST(WebPush, AKeyThatIsNoPointIsRefused) {
  PushReceiver receiver = example_receiver();
  receiver.key.back() = static_cast<char>(receiver.key.back() ^ 1);
  const auto off_curve = encrypted_push(receiver, kText, example_sender(), bytes(kSalt));
  ASSERT_FALSE(off_curve);
  EXPECT_EQ(off_curve.error().code, "bad_push_key");
  receiver.key.clear();
  EXPECT_FALSE(encrypted_push(receiver, kText, example_sender(), bytes(kSalt)));
}

TEST(WebPush, ATextBeyondOneRecordIsRefused) {
  const KeyPair sender = example_sender();
  const std::string most(kMaxPushText, 'a');
  const auto whole = encrypted_push(example_receiver(), most, sender, bytes(kSalt));
  ASSERT_TRUE(whole);
  EXPECT_LE(whole->size(), 4096U);
  EXPECT_FALSE(encrypted_push(example_receiver(), most + "a", sender, bytes(kSalt)));
  EXPECT_FALSE(encrypted_push(example_receiver(), kText, KeyPair(), bytes(kSalt)));
}

TEST(WebPush, APrivateNumberOfAnotherPointIsNoPair) {
  EXPECT_FALSE(key_pair_of(bytes(kReceiverPoint), bytes(kSenderNumber)));
  EXPECT_FALSE(key_pair_of(bytes(kSenderPoint), ""));
  EXPECT_FALSE(key_pair_of("", bytes(kSenderNumber)));
}

/// Whether the signature of the token is good for this public key.
bool verifies(const KeyPair& key, std::string_view token) {
  const std::size_t end = token.rfind('.');
  const std::string numbers = bytes(token.substr(end + 1));
  if (numbers.size() != 64) return false;
  const auto* raw = reinterpret_cast<const unsigned char*>(numbers.data());
  ECDSA_SIG* signature = ECDSA_SIG_new();
  ECDSA_SIG_set0(signature, BN_bin2bn(raw, 32, nullptr), BN_bin2bn(raw + 32, 32, nullptr));
  unsigned char* encoded = nullptr;
  const int size = i2d_ECDSA_SIG(signature, &encoded);
  EVP_MD_CTX* context = EVP_MD_CTX_new();
  EVP_DigestVerifyInit(context, nullptr, EVP_sha256(), nullptr, key.get());
  const int good = EVP_DigestVerify(context, encoded, static_cast<std::size_t>(size),
                                    reinterpret_cast<const unsigned char*>(token.data()), end);
  EVP_MD_CTX_free(context);
  OPENSSL_free(encoded);
  ECDSA_SIG_free(signature);
  return good == 1;
}

TEST(WebPush, TheTokenNamesServiceAndSenderAndIsSigned) {
  const KeyPair own = example_sender();
  const auto value =
      vapid_authorization(own, "https://push.example", "https://luzia.example", 1'700'000'000 * kSecondUs);
  ASSERT_TRUE(value) << value.error().message;
  ASSERT_THAT(*value, StartsWith("vapid t="));
  EXPECT_THAT(*value, HasSubstr(", k=" + std::string(kSenderPoint)));
  const std::string token = value->substr(8, value->find(',') - 8);
  const std::size_t first = token.find('.'), second = token.rfind('.');
  EXPECT_EQ(bytes(token.substr(0, first)), R"({"typ":"JWT","alg":"ES256"})");
  EXPECT_EQ(bytes(token.substr(first + 1, second - first - 1)),
            R"({"aud":"https://push.example","exp":1700000000,"sub":"https://luzia.example"})");
  EXPECT_TRUE(verifies(own, token));
  EXPECT_FALSE(verifies(new_key_pair(), token));
}

class VapidKey : public ScratchTest {
 protected:
  std::string store() const { return path("."); }
  std::string file() const { return path("push.key"); }
};

TEST_F(VapidKey, ItIsMadeOnceForItsOwnerAlone) {
  EXPECT_EQ(read_vapid_key(store()).error().code, "no_push_key");
  const auto made = vapid_key(store());
  ASSERT_TRUE(made) << made.error().message;
  const auto again = vapid_key(store());
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(public_point(*made), public_point(*again));
  EXPECT_EQ(private_number(*made), private_number(*again));
  struct stat status {};
  ASSERT_EQ(::stat(file().c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777U, 0600U);
}

TEST_F(VapidKey, ADamagedFileIsSaidAndKept) {
  for (const std::string text : {"", "no key\n", "AAAA AAAA\n"}) {
    write_text(file(), text);
    const auto read = vapid_key(store());
    ASSERT_FALSE(read) << text;
    EXPECT_EQ(read.error().code, "bad_push_key_file");
    EXPECT_EQ(read_text(file()), text);
  }
}

TEST_F(VapidKey, ALinkInItsPlaceIsNotFollowed) {
  fs::create_symlink("/etc/passwd", file());
  EXPECT_EQ(vapid_key(store()).error().code, "store_file_unusable");
}

}  // namespace
}  // namespace luzia
