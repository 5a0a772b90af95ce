#include "engine/base/hash.h"

#include <gtest/gtest.h>

#include "engine/base/result.h"

namespace luzia {
namespace {

TEST(Blake2b, GivesThePublishedValues) {
  // BLAKE2b-256 of the empty string and of "abc".
  EXPECT_EQ(to_hex(blake2b({})), "0e5751c026e543b2e8ab2eb06099daa1d1e5df47778f7787faab45cdf12fe3a8");
  EXPECT_EQ(to_hex(blake2b({as_bytes("abc")})),
            "bddd813c634239723171ef3fee98579b94964e3bb1cb3e427262c8c068d52319");
}

TEST(Blake2b, PartsAreHashedOneAfterAnother) {
  EXPECT_EQ(blake2b({as_bytes("a"), as_bytes(""), as_bytes("bc")}), blake2b({as_bytes("abc")}));
}

TEST(Checksum64, GivesThePublishedValues) {
  // FNV-1a, 64 bits.
  EXPECT_EQ(checksum64({}), 0xcbf29ce484222325U);
  EXPECT_EQ(checksum64(as_bytes("a")), 0xaf63dc4c8601ec8cU);
  EXPECT_EQ(checksum64(as_bytes("foobar")), 0x85944171f73967e8U);
}

TEST(RandomBytes, DifferEachTime) {
  EXPECT_EQ(random_bytes(16).size(), 16U);
  EXPECT_NE(random_bytes(16), random_bytes(16));
}

TEST(FailErrno, NamesTheReasonAndKeepsTheCode) {
  Status status = fail_errno(ENOENT, "gone", "cannot open x", "look elsewhere");
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().message, "cannot open x: No such file or directory");
  EXPECT_EQ(status.error().code, "gone");
  EXPECT_EQ(status.error().hint, "look elsewhere");
  EXPECT_EQ(status.error().kind, ErrorKind::trouble);
}

TEST(FailErrno, MachineErrorsHaveTheirOwnFix) {
  const auto hint = [](int number) {
    return Status(fail_errno(number, "c", "writing", "check the permissions")).error().hint;
  };
  for (const int number : {EIO, ENOSPC, EDQUOT, EROFS, EMFILE, ENFILE}) {
    EXPECT_EQ(hint(number).find("permissions"), std::string::npos) << number << ": " << hint(number);
    EXPECT_FALSE(hint(number).empty()) << number;
  }
  EXPECT_EQ(hint(EACCES), "check the permissions");
  EXPECT_NE(hint(EIO).find("dmesg"), std::string::npos);
}

}  // namespace
}  // namespace luzia
