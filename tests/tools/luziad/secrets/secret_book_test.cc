// What the daemon knows of an attempt's secrets, and what it does when it does not.
#include "tools/luziad/secrets/secret_book.h"

#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "tests/scratch.h"

namespace luzia {
namespace {

class SecretBookTest : public ScratchTest {
 protected:
  SecretBookTest() {
    spec_.uid = ::geteuid();
    spec_.user = "me";
    spec_.home = scratch_;
    schema::SecretSourceT secret;
    secret.name = "TOKEN";
    secret.source = {"~/token"};
    spec_.secrets.push_back(std::make_unique<schema::SecretSourceT>(std::move(secret)));
  }
  void give(const std::string& value) const { std::ofstream(scratch_ + "/token") << value; }
  void take_away() const { std::filesystem::remove(scratch_ + "/token"); }
  std::string shown(const std::string& text) const { return book_.known("j")->blacked_out(text); }

  schema::JobSpecT spec_;
  SecretBook book_{SecretSurroundings{}};
};

TEST_F(SecretBookTest, ValueOfAStartIsKnownFromThenOn) {
  EXPECT_EQ(book_.known("j"), nullptr);
  give("first-value\n");
  const auto entries = book_.read_for_start("j", spec_, spec_);
  ASSERT_TRUE(entries) << entries.error().message;
  EXPECT_THAT(*entries, ElementsAre("TOKEN=first-value"));
  EXPECT_EQ(shown("a first-value"), "a ***********");
  EXPECT_EQ(book_.known("other"), nullptr);
}

TEST_F(SecretBookTest, ValuesOfEarlierAttemptsStayKnown) {
  give("first-value");
  ASSERT_TRUE(book_.read_for_start("j", spec_, spec_));
  book_.attempt_over("j");
  give("other-value");
  ASSERT_TRUE(book_.read_for_start("j", spec_, spec_));
  EXPECT_EQ(shown("first-value other-value"), "*********** ***********");
}

TEST_F(SecretBookTest, UnreadableSecretFailsTheStartByName) {
  const auto entries = book_.read_for_start("j", spec_, spec_);
  ASSERT_FALSE(entries);
  EXPECT_EQ(entries.error().code, "secret_unavailable");
  EXPECT_THAT(entries.error().message, HasSubstr("secret TOKEN cannot be read from file ~/token as me"));
  EXPECT_EQ(book_.known("j"), nullptr);
}

TEST_F(SecretBookTest, AdoptedAttemptWithoutAValueIsBlackedOutWhole) {
  book_.read_again("j", spec_);
  ASSERT_NE(book_.known("j"), nullptr);
  EXPECT_TRUE(book_.known("j")->is_blind());
  EXPECT_EQ(shown("any text\n"), "********\n");
  give("the-value");
  const auto read = book_.for_reading("j", spec_);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_FALSE((*read)->is_blind());
}

TEST_F(SecretBookTest, OutputIsRefusedWhileTheValueCannotBeRead) {
  const auto refused = book_.for_reading("j", spec_);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, "secret_unavailable");
  give("the-value");
  EXPECT_FALSE(book_.for_reading("j", spec_)) << "a place that failed is left alone for a while";
  ASSERT_TRUE(book_.read_for_start("j", spec_, spec_));
  EXPECT_TRUE(book_.for_reading("j", spec_));
}

TEST_F(SecretBookTest, WhoKnowsOneAgentsSecretReadsThatOfTheOtherBeforeItShowsOutput) {
  give("first-value");
  std::ofstream(scratch_ + "/key") << "second-value";
  schema::JobSpecT of_both(spec_);
  auto& secret = of_both.secrets.emplace_back(std::make_unique<schema::SecretSourceT>());
  secret->name = "TOKEN";  // as the first one's, but from elsewhere
  secret->source = {"~/key"};
  ASSERT_TRUE(book_.read_for_start("j", spec_, spec_));
  const auto both = book_.for_reading("j", of_both);
  ASSERT_TRUE(both) << both.error().message;
  EXPECT_EQ((*both)->blacked_out("first-value second-value"), "*********** ************");
  EXPECT_EQ(shown("second-value"), "************") << "known from now on";
  take_away();
  EXPECT_TRUE(book_.for_reading("j", of_both)) << "nothing is read again";

  ASSERT_TRUE(std::filesystem::remove(scratch_ + "/key"));
  give("first-value");
  ASSERT_TRUE(book_.read_for_start("other", spec_, spec_));
  EXPECT_TRUE(book_.for_reading("other", spec_)) << "its own attempts are known";
  EXPECT_FALSE(book_.for_reading("other", of_both));
}

TEST_F(SecretBookTest, AnAgentThatTakesOverStartsOnlyOnceTheSecretsBeforeItAreKnown) {
  schema::JobSpecT without(spec_);
  without.secrets.clear();
  EXPECT_FALSE(book_.read_for_start("j", without, spec_)) << "what it shows could not be blacked out";
  give("first-value");
  const auto entries = book_.read_for_start("j", without, spec_);
  ASSERT_TRUE(entries) << entries.error().message;
  EXPECT_THAT(*entries, ElementsAre()) << "the value is not handed to it";
  EXPECT_EQ(shown("a first-value"), "a ***********");
  take_away();
  EXPECT_TRUE(book_.read_for_start("j", without, spec_)) << "it is known";
}

TEST_F(SecretBookTest, NothingIsShownUntilTheSecretsOfAllAgentsAreKnown) {
  give("first-value");
  std::ofstream(scratch_ + "/key") << "second-value";
  schema::JobSpecT of_both(spec_);
  auto& secret = of_both.secrets.emplace_back(std::make_unique<schema::SecretSourceT>());
  secret->name = "SECOND_KEY";
  secret->source = {"~/key"};
  ASSERT_TRUE(book_.read_for_start("j", spec_, spec_));
  EXPECT_TRUE(book_.is_settled("j", spec_));
  EXPECT_FALSE(book_.is_settled("j", of_both));
  book_.await("j");
  EXPECT_EQ(shown("any text\n"), "********\n");
  ASSERT_TRUE(book_.read_for_start("other", spec_, spec_));
  EXPECT_FALSE(book_.known("other")->is_blind()) << "a job with the same values sees its own";
  book_.read_again("j", of_both);
  EXPECT_TRUE(book_.is_settled("j", of_both));
  EXPECT_EQ(shown("first-value second-value"), "*********** ************");
}

TEST_F(SecretBookTest, EndedJobsAreForgottenAndLiveOnesNot) {
  give("the-value");
  ASSERT_TRUE(book_.read_for_start("lives", spec_, spec_));
  for (int i = 0; i < 1'100; ++i) {
    const std::string job = "j" + std::to_string(i);
    ASSERT_TRUE(book_.read_for_start(job, spec_, spec_));
    book_.attempt_over(job);
  }
  EXPECT_NE(book_.known("lives"), nullptr);
  EXPECT_EQ(book_.known("j0"), nullptr);
  EXPECT_NE(book_.known("j1099"), nullptr);
  take_away();
  EXPECT_TRUE(book_.for_reading("j1099", spec_));
  const auto gone = book_.for_reading("j0", spec_);
  ASSERT_FALSE(gone);
  EXPECT_THAT(gone.error().message, Not(HasSubstr("the-value")));
}

}  // namespace
}  // namespace luzia
