// The output of luzia-query salvage for people and scripts.
#include "tests/tools/luzia_query/run_query.h"

namespace luzia::test {
namespace {

TEST(Salvage, IntactStoreMissesNothing) {
  const SmallStore store;
  const std::string target = store.beside("saved");
  const Ran ran = ask(store, {"salvage", target});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.out, testing::HasSubstr("17 events in 17 groups to " + target + ": nothing is missing"));
  EXPECT_EQ(run_query_program({"events", "--json", "--store", target}).out,
            ask(store, {"events", "--json"}).out);
}

TEST(Salvage, DamagedStoreNamesMissingParts) {
  const SmallStore store;
  for (const auto& entry : std::filesystem::directory_iterator(store.path() + "/log")) {
    if (entry.path().extension() != ".log") continue;
    std::filesystem::resize_file(entry.path(), std::filesystem::file_size(entry.path()) / 2);
  }
  const Ran ran = ask(store, {"salvage", store.beside("saved"), "--json"});
  EXPECT_EQ(ran.code, 1) << ran.err;
  EXPECT_EQ(ran.json().at("complete"), false);
  EXPECT_EQ(ran.json().at("acknowledged_until"), kLast);
  const auto copied = ran.json().at("copied_until").get<Position>();
  EXPECT_GT(copied, 0U);
  EXPECT_LT(copied, kLast);
  const Ran words = ask(store, {"salvage", store.beside("again")});
  EXPECT_THAT(words.out, testing::HasSubstr("missing: events " + std::to_string(copied + 1) + " to 17"));
  EXPECT_EQ(run_query_program({"verify", "--store", store.beside("saved")}).code, 0);
}

TEST(Salvage, TheTargetMayEndInASlash) {
  const SmallStore store;
  store.open_log().reset();  // moves everything into tables
  std::filesystem::remove(store.path() + "/log/CURRENT");
  const std::string target = store.beside("saved");
  const Ran ran = ask(store, {"salvage", target + "/"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.out, testing::HasSubstr("to " + target + ": nothing is missing"));
  EXPECT_FALSE(std::filesystem::exists(target + ".work"));
}

TEST(Salvage, MissingStoreIsRefused) {
  const SmallStore store;
  const Ran ran = run_query_program({"salvage", store.beside("saved"), "--store", store.beside("none")});
  EXPECT_EQ(ran.code, 5);
  EXPECT_THAT(ran.err, testing::HasSubstr("there is no log at"));
  EXPECT_FALSE(std::filesystem::exists(store.beside("saved")));
}

}  // namespace
}  // namespace luzia::test
