// Several machines behind one source, each a process of its own as in the product; what they answer is the
// test's.
#include "tools/read/machines_source.h"

#include <gmock/gmock.h>
#include <signal.h>
#include <unistd.h>

#include <filesystem>

#include "tests/tools/read/rows_of_machines.h"

namespace luzia::test {
namespace {

using std::chrono::milliseconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class MachinesSourceTest : public ::testing::Test {
 protected:
  void SetUp() override {
    char name[] = "/tmp/luzia-machines-XXXXXX";
    parent_ = ::mkdtemp(name);
  }
  void TearDown() override { std::filesystem::remove_all(parent_); }

  static MachineToAsk with_jobs(const std::string& name, std::vector<std::string> ids) {
    return {name, {}, [ids = std::move(ids)]() -> Result<std::unique_ptr<Source>> {
              return std::make_unique<JobsOfMachine>(ids);
            }};
  }
  static MachineToAsk failing(const std::string& name) {
    return {name, {}, []() -> Result<std::unique_ptr<Source>> {
              return fail(ErrorKind::trouble, "machine_unreachable", "no route to host");
            }};
  }
  static MachineToAsk silent(const std::string& name) {
    return {name, {}, []() -> Result<std::unique_ptr<Source>> {
              while (true) ::pause();
            }};
  }
  static MachineToAsk dying(const std::string& name) {
    return {name, {}, []() -> Result<std::unique_ptr<Source>> {
              ::raise(SIGKILL);
              return fail(ErrorKind::trouble, "never", "");
            }};
  }
  MachinesSource source(std::vector<MachineToAsk> machines, milliseconds most = milliseconds(60'000),
                        TimeUs now = 100 * kSecondUs) const {
    return {std::move(machines), KnownMachines(parent_ + "/luzia/machines"), "jobs", now, most};
  }

  std::string parent_;
};

/// A machine whose rows another one keeps.
class KeptMachine : public AskedMachine {
 public:
  KeptMachine(std::vector<std::string> ids, Known known)
      : source_(std::move(ids)), known_(std::move(known)) {}
  void ask(wire::QueryT query, std::size_t) override { answer_ = source_.query(query); }
  int fd() const override { return -1; }
  std::optional<Result<RowPage>> take() override { return std::exchange(answer_, std::nullopt); }
  Known known() const override { return known_; }

 private:
  JobsOfMachine source_;
  Known known_;
  std::optional<Result<RowPage>> answer_;
};

TEST_F(MachinesSourceTest, KeptRowsAreAsOfThenAndAskedForAgain) {
  const auto kept = [](const std::string& name, std::vector<std::string> ids, AskedMachine::Known known) {
    return MachineToAsk{name, {}, {}, [=] { return std::make_unique<KeptMachine>(ids, known); }};
  };
  const Error away{ErrorKind::trouble, "unreachable", "unreachable since 10:00", ""};
  MachinesSource all =
      source({kept("a", {"5"}, {99 * kSecondUs, {}}), kept("b", {"4"}, {40 * kSecondUs, away})});
  for (int i = 0; i < 2; ++i) {
    const auto page = all.collect(view_query(wire::View::jobs), 0);
    ASSERT_TRUE(page);
    EXPECT_THAT(ids_of(*page), ElementsAre("5", "4"));
  }
  const auto& machines = all.machines().machines;
  EXPECT_TRUE(machines[0].answered());
  EXPECT_EQ(machine_text(machines[0], all.machines().now), "a, 1.0s ago");
  EXPECT_EQ(machines[1].failed->code, "unreachable");
  EXPECT_EQ(machine_text(machines[1], all.machines().now), "b, 1m00s ago");
  EXPECT_THAT(all.missing_text(), HasSubstr("b (unreachable since 10:00; its rows are from "));
  EXPECT_EQ(with_machine("{}", &machines[0]).find("\"as_of\"") != std::string::npos, true);
}

TEST_F(MachinesSourceTest, FailingMachinesCostOnlyTheirRows) {
  MachinesSource all =
      source({with_jobs("local", {"5", "2"}), failing("away"), dying("odd"), with_jobs("far", {"4"})});
  const auto page = all.collect(view_query(wire::View::jobs), 0);
  ASSERT_TRUE(page) << page.error().message;
  EXPECT_THAT(ids_of(*page), ElementsAre("5", "4", "2"));
  EXPECT_EQ(all.machines().machines[1].failed->code, "machine_unreachable");
  EXPECT_EQ(all.machines().machines[2].failed->code, "machine_gone");
  EXPECT_THAT(all.missing_text(), HasSubstr("away (no route to host; none of its rows are known); odd ("));
}

TEST_F(MachinesSourceTest, SilentMachineIsLeftAfterTheTime) {
  MachinesSource all = source({with_jobs("local", {"5"}), silent("quiet")}, milliseconds(300));
  const auto page = all.collect(view_query(wire::View::jobs), 0);
  ASSERT_TRUE(page);
  EXPECT_THAT(ids_of(*page), ElementsAre("5"));
  EXPECT_EQ(all.machines().machines[1].failed->code, "machine_silent");
}

TEST_F(MachinesSourceTest, MachineThatWasSilentIsNotWaitedForAgain) {
  const auto ask = [&](TimeUs now) {
    const auto begun = std::chrono::steady_clock::now();
    MachinesSource all = source({with_jobs("local", {"5"}), silent("quiet")}, milliseconds(3'000), now);
    EXPECT_TRUE(all.collect(view_query(wire::View::jobs), 0));
    return std::chrono::steady_clock::now() - begun;
  };
  const TimeUs now = 1'000 * kSecondUs;
  EXPECT_GE(ask(now), milliseconds(3'000));
  EXPECT_LT(ask(now + kSecondUs), milliseconds(3'000));
  EXPECT_GE(ask(now + kSilentFor + kSecondUs), milliseconds(3'000))
      << "after a while it gets its chance again";
}

TEST_F(MachinesSourceTest, LastKnownRowsStandIn) {
  ASSERT_TRUE(
      source({with_jobs("local", {"5"}), with_jobs("far", {"4"})}).collect(view_query(wire::View::jobs), 0));
  MachinesSource later =
      source({with_jobs("local", {"6"}), failing("far")}, milliseconds(60'000), 160 * kSecondUs);
  const auto page = later.collect(view_query(wire::View::jobs), 0);
  ASSERT_TRUE(page);
  EXPECT_THAT(ids_of(*page), ElementsAre("6", "4"));
  EXPECT_EQ(later.machines().find("4")->as_of_us, 100 * kSecondUs);
  EXPECT_THAT(later.missing_text(), HasSubstr("far (no route to host; its rows are from 1m"));
}

TEST_F(MachinesSourceTest, JobIsFoundOnTheMachineThatHasIt) {
  MachinesSource all = source({with_jobs("a", {"1aaaaaaaaaaaa"}), with_jobs("b", {"1bbbbbbbbbbbb"})});
  wire::QueryT query = view_query(wire::View::jobs);
  query.filter->jobs = {"1b"};
  const auto page = all.collect(query, 0);
  ASSERT_TRUE(page);
  EXPECT_THAT(ids_of(*page), ElementsAre("1bbbbbbbbbbbb"));
  EXPECT_EQ(all.machines().find("1bbbbbbbbbbbb")->name, "b");
  EXPECT_THAT(all.missing_text(), IsEmpty()) << "a machine without the job has answered";
  query.filter->jobs = {"1"};
  EXPECT_EQ(all.collect(query, 0).error().code, "ambiguous_job");
  query.filter->jobs = {"9"};
  EXPECT_EQ(all.collect(query, 0).error().code, "no_such_job");
  EXPECT_EQ(KnownMachines(parent_ + "/luzia/machines").machine_of("1bbbbbbbbbbbb"), "b");
}

TEST_F(MachinesSourceTest, JobThatTwoMachinesClaimIsNobodys) {
  MachinesSource all = source({with_jobs("a", {"1aaaaaaaaaaaa"}), with_jobs("b", {"1aaaaaaaaaaaa"})});
  ASSERT_TRUE(all.collect(view_query(wire::View::jobs), 0));
  EXPECT_EQ(all.machines().also_of_id.at("1aaaaaaaaaaaa"), 1u);
  EXPECT_EQ(KnownMachines(parent_ + "/luzia/machines").machine_of("1aaaaaaaaaaaa"), "");
}

TEST_F(MachinesSourceTest, SilentOwnerKeepsItsJob) {
  const std::string id = "1aaaaaaaaaaaa";
  ASSERT_TRUE(source({with_jobs("owner", {id})}).collect(view_query(wire::View::jobs), 0));
  wire::QueryT query = view_query(wire::View::jobs);
  query.filter->jobs = {id};
  MachinesSource all = source({with_jobs("evil", {id}), failing("owner")});
  const auto page = all.collect(query, 0);
  ASSERT_TRUE(page);
  EXPECT_THAT(ids_of(*page), ElementsAre(id)) << "the last known row";
  EXPECT_EQ(all.machines().find(id)->name, "owner");
  EXPECT_EQ(all.claims_text(id),
            "both owner and evil say that they have " + id + ", which was on owner before");
  EXPECT_THAT(all.claims_text("2"), IsEmpty());
  EXPECT_EQ(KnownMachines(parent_ + "/luzia/machines").machine_of(id), "owner");
  // A machine that is not configured any more keeps nothing.
  MachinesSource without = source({with_jobs("heir", {id})});
  ASSERT_TRUE(without.collect(query, 0));
  EXPECT_EQ(KnownMachines(parent_ + "/luzia/machines").machine_of(id), "heir");
}

TEST_F(MachinesSourceTest, WrongAnswerOfOneMachineSpoilsNothing) {
  const MachineToAsk liar = {"liar", {}, []() -> Result<std::unique_ptr<Source>> {
                               return fail(ErrorKind::usage, "ambiguous_job",
                                           "which one?\nnothing is wrong" + std::string(1 << 20, 'x'));
                             }};
  MachinesSource all = source({with_jobs("far", {"1aaaaaaaaaaaa"}), liar});
  const auto page = all.collect(view_query(wire::View::jobs), 0);
  ASSERT_TRUE(page) << page.error().message;
  EXPECT_THAT(ids_of(*page), ElementsAre("1aaaaaaaaaaaa"));
  EXPECT_EQ(all.machines().machines[1].failed->code, "ambiguous_job");
  EXPECT_EQ(all.missing_text(),
            "not all machines have answered: liar (which one?; none of its rows are known)");
}

TEST_F(MachinesSourceTest, PlacesOfOneLogAreRefused) {
  MachinesSource all = source({with_jobs("a", {"5"})});
  wire::QueryT query = view_query(wire::View::jobs);
  query.cursor = "5";
  EXPECT_EQ(all.query(query).error().code, "bad_usage");
  query.cursor.clear();
  query.at_position = 3;
  EXPECT_EQ(all.query(query).error().code, "bad_usage");
}

}  // namespace
}  // namespace luzia::test
