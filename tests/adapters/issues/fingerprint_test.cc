#include "adapters/issues/fingerprint.h"

#include <gtest/gtest.h>

namespace luzia {
namespace {

TEST(Fingerprint, VaryingPartsAreRemoved) {
  for (const auto& [one, other] : std::vector<std::pair<std::string, std::string>>{
           {"12:30:01 disk full", "23:59:59.123 disk full"},
           {"2026-11-22 10:00:01 failed after 12 s", "2025-01-01 00:00:59 failed after 3.5 s"},
           {"/home/a/src/x.cc:12:5: error", "/srv/checkout-2/src/x.cc:140:17: error"},
           {"cannot open /tmp/tmp.AbC123/f", "cannot open /tmp/build-9/deep/other.txt"},
           {"'/tmp/a' is gone", "'/tmp/b' is gone"},
           {"commit 3f2a9bc is bad", "commit 90ab12cdef34567890ab12cdef34567890ab12cd is bad"},
           {"id 123e4567-e89b-12d3-a456-426614174000.", "id 00000000-aaaa-bbbb-cccc-0123456789ab."},
           {"at 0x7ffd1234", "at 0x55e0"},
           {"  indented\t twice", "indented twice"},
           {"connect 10.0.0.1:5432", "connect 192.168.17.250:6000"}}) {
    EXPECT_EQ(normalised_line(one), normalised_line(other)) << one;
  }
}

TEST(Fingerprint, DifferentProblemsDiffer) {
  for (const auto& [one, other] : std::vector<std::pair<std::string, std::string>>{
           {"No module named 'yaml'", "No module named 'requests'"},
           {"/a/x.cc:1: error", "/a/y.cc:1: error"},
           {"deadbeef is no word", "feedface is no word"},
           {"error: a", "error: b"}}) {
    EXPECT_NE(normalised_line(one), normalised_line(other)) << one;
  }
  EXPECT_NE(issue_fingerprint("a", "x"), issue_fingerprint("b", "x"));
  EXPECT_NE(issue_fingerprint("ab", "x"), issue_fingerprint("a", "bx"));
}

TEST(Fingerprint, StoredValuesDoNotChange) {
  static_assert(kFingerprintVersion == 1);
  EXPECT_EQ(normalised_line(
                "[12:01:02] /home/al/app/main.py:17: ModuleNotFoundError: No module named 'x2' (3f2a9bc)"),
            "[0] main.py:0: ModuleNotFoundError: No module named 'x0' (<hex>)");
  EXPECT_EQ(issue_fingerprint("missing-module", "No module named 'x2'").size(), 32u);
}

}  // namespace
}  // namespace luzia
