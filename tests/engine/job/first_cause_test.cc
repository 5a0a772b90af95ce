// Which known problem a failed attempt is explained by. The examples in the pattern files say the same of
// whole outputs.
#include "engine/job/first_cause.h"

#include <gtest/gtest.h>

#include <deque>
#include <map>

namespace luzia {
namespace {

using schema::IssueRank;
using schema::Severity;

class FirstCause : public testing::Test {
 protected:
  struct Capture {
    std::string name, value;
  };
  /// One more line of the output, each 100 bytes long.
  void line(const std::string& text, IssueRank rank, const std::vector<Capture>& captures = {},
            Severity severity = Severity::error, const std::string& pattern = "p") {
    schema::IssueDetectedT& fact = facts_.emplace_back();
    fact.pattern = pattern;
    fact.rank = rank;
    fact.severity = severity;
    fact.line = text;
    fact.line_no = facts_.size();
    fact.offset = 100 * facts_.size();
    fact.fingerprint = "f" + std::to_string(facts_.size());
    for (const Capture& each : captures) {
      auto capture = std::make_unique<schema::KeyValueT>();
      capture->key = each.name;
      capture->value = each.value;
      fact.captures.push_back(std::move(capture));
    }
  }
  /// Too far from the line before it to be of its group.
  void far(const std::string& text, IssueRank rank, const std::string& pattern,
           Severity severity = Severity::error) {
    line(text, rank, {}, severity, pattern);
    facts_.back().line_no = 100 * facts_.size();
  }
  view::FailureT failure() const {
    std::vector<SeenIssue> seen;
    // The order in which they are given does not matter.
    for (auto fact = facts_.rbegin(); fact != facts_.rend(); ++fact)
      seen.push_back(seen_issue(*fact, fact->line_no, fact->offset));
    auto found = first_cause(std::move(seen));
    return found ? std::move(*found) : view::FailureT();
  }

  /// The texts of the lines that a list shows, with how many are folded into each.
  std::vector<std::string> shown(bool failed = true) const {
    std::vector<SeenIssue> seen;
    for (const auto& fact : facts_) {
      const auto count = counts_.find(fact.line);
      seen.push_back(seen_issue(fact, fact.line_no, fact.offset, count == counts_.end() ? 1 : count->second));
    }
    const auto cause = first_cause(seen);
    const auto folds = fold_issues(seen, failed && cause ? &*cause : nullptr);
    std::vector<std::string> texts;
    for (std::size_t i = 0; i < folds.size(); ++i) {
      if (folds[i].folded) continue;
      texts.push_back(facts_[i].line +
                      (folds[i].similar == 0 ? "" : " +" + std::to_string(folds[i].similar)));
    }
    return texts;
  }

  std::deque<schema::IssueDetectedT> facts_;
  std::map<std::string, std::uint64_t> counts_;  // of lines that came more than once
};

using Texts = std::vector<std::string>;

TEST_F(FirstCause, ListsFoldWhatItExplains) {
  EXPECT_EQ(shown(), Texts());
  line("connection refused", IssueRank::clue, {}, Severity::error, "refused");
  EXPECT_EQ(shown(), Texts{"connection refused"}) << "nothing explains it better";
  line("style", IssueRank::none, {}, Severity::warning, "style");
  line("a.cc:3: error", IssueRank::cause, {}, Severity::error, "compiler");
  line("the disk is full", IssueRank::clue, {}, Severity::critical, "disk");
  line("cannot link", IssueRank::cause, {}, Severity::error, "linker");
  line("make: *** Error 2", IssueRank::consequence, {}, Severity::error, "make");
  EXPECT_EQ(shown(), (Texts{"connection refused", "a.cc:3: error", "the disk is full", "cannot link"}))
      << "what may be the cause, or another, stays";
}

TEST_F(FirstCause, ListsShowAllThatSayAsMuchBesideIt) {
  Texts errors;
  for (int i = 1; i <= 12; ++i) {
    errors.push_back("a.cc:" + std::to_string(i) + ": error");
    line(errors.back(), IssueRank::cause, {}, Severity::error, i % 2 == 0 ? "compiler" : "header");
  }
  EXPECT_EQ(shown(), errors);
  EXPECT_EQ(shown(false), (Texts{"a.cc:1: error +5", "a.cc:2: error +5"})) << "they were nobody's cause";
  far("z.cc:1: error", IssueRank::cause, "compiler");
  errors[1] += " +1";
  EXPECT_EQ(shown(), errors) << "one that is far away repeats a pattern";
  for (schema::IssueDetectedT& fact : facts_) fact.rank = IssueRank::clue;
  EXPECT_EQ(shown(), (Texts{"a.cc:1: error +5", "a.cc:2: error +6"})) << "clues are no causes";
}

TEST_F(FirstCause, ListsShowTwoOthersTheMostTellingOnes) {
  line("a.cc:3: error", IssueRank::cause, {}, Severity::error, "compiler");
  far("slow", IssueRank::none, "slow", Severity::warning);
  far("style", IssueRank::none, "style", Severity::warning);
  far("unused", IssueRank::none, "unused", Severity::warning);
  EXPECT_EQ(shown(), (Texts{"a.cc:3: error", "slow", "style"})) << "the nearest of equals";
  far("unused b", IssueRank::none, "unused", Severity::warning);
  EXPECT_EQ(shown(), (Texts{"a.cc:3: error", "slow", "unused +1"})) << "the most frequent";
  counts_["style"] = 3;
  EXPECT_EQ(shown(), (Texts{"a.cc:3: error", "style", "unused +1"})) << "repeats of a line count";
  far("1 failed", IssueRank::test, "count");
  EXPECT_EQ(shown(), (Texts{"a.cc:3: error", "style", "unused +1"})) << "lines that only count say less";
  far("z.cc:3: error", IssueRank::cause, "linker");
  EXPECT_EQ(shown(), (Texts{"a.cc:3: error", "style", "z.cc:3: error"})) << "a cause says more";
  far("the disk is full", IssueRank::none, "disk", Severity::critical);
  EXPECT_EQ(shown(), (Texts{"a.cc:3: error", "z.cc:3: error", "the disk is full"})) << "first of all";
  far("the disk is broken", IssueRank::none, "disk", Severity::critical);
  far("memory is full", IssueRank::none, "memory", Severity::critical);
  EXPECT_EQ(shown(), (Texts{"a.cc:3: error", "the disk is full", "the disk is broken", "memory is full"}))
      << "none that is critical is folded";
}

TEST_F(FirstCause, ListsShowOneIssueOfALine) {
  line("a.cc:3: error", IssueRank::cause, {}, Severity::error, "compiler");
  line("a.cc:3: error", IssueRank::clue, {}, Severity::error, "command failed");
  line("a.cc:3: error", IssueRank::cause, {}, Severity::error, "another compiler");
  facts_[1].offset = facts_[2].offset = facts_[0].offset;
  far("no route: connection refused", IssueRank::clue, "refused");
  far("no route: connection refused", IssueRank::clue, "route");
  facts_[4].offset = facts_[3].offset;
  EXPECT_EQ(shown(), (Texts{"a.cc:3: error", "no route: connection refused"}));
}

TEST_F(FirstCause, ListsShowOneIssueOfEachPatternElsewhere) {
  far("b.cc:3: error", IssueRank::cause, "compiler");
  far("out of memory", IssueRank::cause, "memory", Severity::critical);
  far("c.cc:3: error", IssueRank::cause, "compiler");
  far("killed for memory", IssueRank::cause, "memory", Severity::critical);
  EXPECT_EQ(shown(), (Texts{"b.cc:3: error +1", "out of memory", "killed for memory"}));
  EXPECT_EQ(shown(false), (Texts{"out of memory", "killed for memory"})) << "two are enough";
  facts_[0].line_no = 1'000'000;
  facts_[0].offset = 100'000'000;  // the cause is the earliest by place, not by order
  EXPECT_EQ(shown(), (Texts{"out of memory", "c.cc:3: error +1", "killed for memory"}));
}

TEST_F(FirstCause, ConsequencesStandIfNothingElseExplainsTheFailure) {
  line("make: *** Error 2", IssueRank::consequence, {}, Severity::error, "make");
  line("npm ERR! code 1", IssueRank::consequence, {}, Severity::error, "npm");
  EXPECT_EQ(shown(), (Texts{"make: *** Error 2", "npm ERR! code 1"}));
  line("1 failed", IssueRank::test, {{"count", "1"}}, Severity::error, "count");
  EXPECT_EQ(shown(), Texts{"1 failed"});
}

TEST_F(FirstCause, AttemptThatEndedWellKeepsWhatItDidNotGoOnAfter) {
  line("connection refused", IssueRank::clue, {}, Severity::error, "refused");
  line("make: *** Error 1 (ignored)", IssueRank::consequence, {}, Severity::error, "make");
  line("total failed", IssueRank::test, {{"test", "total"}}, Severity::error, "runner");
  line("a.cc:3: error", IssueRank::cause, {}, Severity::error, "compiler");
  line("style", IssueRank::none, {}, Severity::warning, "style");
  EXPECT_EQ(shown(false), (Texts{"total failed", "a.cc:3: error"}));
}

TEST_F(FirstCause, NoProblemExplainsNothing) {
  EXPECT_FALSE(first_cause({}).has_value());
  line("by the way", IssueRank::none, {}, Severity::info);
  EXPECT_EQ(failure().summary, "");
}

TEST_F(FirstCause, RanksDecideBeforePlaces) {
  struct Case {
    IssueRank rank;
    Severity severity;
    std::vector<Capture> captures;
  };
  // From worst to best: each further line explains the failure better than all before it.
  const Case cases[] = {{IssueRank::consequence, Severity::critical, {}},
                        {IssueRank::test, Severity::error, {{"count", "3"}}},
                        {IssueRank::none, Severity::warning, {}},
                        {IssueRank::cause, Severity::error, {}},
                        {IssueRank::test, Severity::error, {{"file", "a.cc"}}}};
  for (const Case& each : cases) {
    const std::string text = "line " + std::to_string(facts_.size() + 1);
    line(text, each.rank, each.captures, each.severity);
    EXPECT_EQ(failure().summary, text);
    EXPECT_EQ(failure().issue, facts_.back().fingerprint);
    EXPECT_EQ(failure().first_line, facts_.size());
    EXPECT_EQ(failure().offset, 100 * facts_.size());
  }
}

TEST_F(FirstCause, EarliestOfEqualsCounts) {
  line("connection refused", IssueRank::clue);
  line("a.cc:3: error: no such name", IssueRank::cause,
       {{"file", "a.cc"}, {"line", "3"}, {"what", "no such name"}});
  line("b.cc:3: error: no such name", IssueRank::none);
  EXPECT_EQ(failure().summary, "a.cc:3: error: no such name");
  EXPECT_EQ(failure().file, "a.cc");
  EXPECT_EQ(failure().line, 3u);
  EXPECT_EQ(failure().test, "");
  EXPECT_EQ(failure().assertion, "");
  EXPECT_EQ(failure().others, 0u);
}

TEST_F(FirstCause, GroupOfMostPatternsCounts) {
  const auto later = [this](const std::string& text, IssueRank rank, const std::string& pattern) {
    line(text, rank, {{"what", text}}, Severity::error, pattern);
    facts_.back().line_no += 100;
  };
  line("a.cc:1: error", IssueRank::cause, {}, Severity::error, "compiler");
  line("a.cc:2: error", IssueRank::cause, {}, Severity::error, "compiler");
  later("b.cc:1: error", IssueRank::cause, "compiler");
  EXPECT_EQ(failure().summary, "a.cc:1: error") << "of equal groups the earliest";
  later("make: *** Error 2", IssueRank::consequence, "make");
  EXPECT_EQ(failure().summary, "b.cc:1: error") << "here two patterns agree";
  facts_[0].rank = facts_[1].rank = IssueRank::test;
  EXPECT_EQ(failure().summary, "b.cc:1: error") << "lines that only count are no cause";
  facts_[2].rank = IssueRank::clue;
  facts_[0].rank = IssueRank::cause;
  EXPECT_EQ(failure().summary, "a.cc:1: error") << "better problems before more patterns";
}

TEST_F(FirstCause, MarkOfATestCountsIfNoReportFollows) {
  line("connection refused", IssueRank::clue);
  line("    ✕ adds up (5 ms)", IssueRank::clue, {{"test", "adds up"}});
  line("1 failed, 12 passed", IssueRank::test, {{"count", "1"}});
  EXPECT_EQ(failure().summary, "adds up failed");
  EXPECT_EQ(failure().first_line, 2u);
  line("● Cart › adds up", IssueRank::test, {{"test", "Cart › adds up"}}, Severity::error, "report");
  EXPECT_EQ(failure().summary, "Cart › adds up failed");
  EXPECT_EQ(failure().first_line, 4u);
}

TEST_F(FirstCause, NameAndAssertionMayBeInSeveralLines) {
  line("FAIL: test_total", IssueRank::test, {{"test", "test_total"}});
  line("AssertionError: 3 != 4", IssueRank::test, {{"what", "AssertionError: 3 != 4"}});
  EXPECT_EQ(failure().summary, "test_total: AssertionError: 3 != 4");
  EXPECT_EQ(failure().first_line, 1u);
  facts_.clear();
  line("cart_test.cc:12: Failure", IssueRank::test, {{"file", "cart_test.cc"}, {"line", "12"}});
  line("[ FAILED ] Cart.Total", IssueRank::test, {{"test", "Cart.Total"}});
  EXPECT_EQ(failure().summary, "Cart.Total failed");
  EXPECT_EQ(failure().file, "cart_test.cc");
  EXPECT_EQ(failure().line, 12u);
}

TEST_F(FirstCause, AssertionOfAnotherTestIsNotTaken) {
  line("--- FAIL: TestA", IssueRank::test, {{"test", "TestA"}});
  line("FAILED TestB - 1 != 2", IssueRank::test, {{"test", "TestB"}, {"what", "1 != 2"}});
  EXPECT_EQ(failure().summary, "TestA failed (and 1 more test)");
  facts_.clear();
  line("--- FAIL: TestA", IssueRank::test, {{"test", "TestA"}});
  line("1 != 2", IssueRank::test, {{"what", "1 != 2"}});
  facts_.back().line_no = 100;
  EXPECT_EQ(failure().summary, "TestA failed") << "too far away";
}

TEST_F(FirstCause, FullNameReplacesTheShortOne) {
  line("____ TestCart.test_total ____", IssueRank::test, {{"test", "TestCart.test_total"}}, Severity::error,
       "trace");
  line("FAILED a", IssueRank::test, {{"test", "tests/test_a.py::test_a"}, {"what", "x"}});
  line("FAILED b", IssueRank::test,
       {{"test", "tests/test_cart.py::TestCart::test_total"}, {"what", "assert 3 == 4"}});
  EXPECT_EQ(failure().summary, "tests/test_cart.py::TestCart::test_total: assert 3 == 4 (and 1 more test)");
  EXPECT_EQ(failure().first_line, 1u) << "its trace";
}

TEST_F(FirstCause, PartOfATestIsWhatFailed) {
  line("--- FAIL: TestCart", IssueRank::test, {{"test", "TestCart"}});
  line("    --- FAIL: TestCart/total", IssueRank::test, {{"test", "TestCart/total"}});
  line("        cart_test.go:12: want 4", IssueRank::test, {{"what", "want 4"}});
  EXPECT_EQ(failure().summary, "TestCart/total: want 4") << "one test failed, not two";
  EXPECT_EQ(failure().first_line, 2u);
}

TEST_F(FirstCause, CountsAreThoseOfTheOutput) {
  line("TestA failed", IssueRank::test, {{"test", "TestA"}});
  line("TestB failed", IssueRank::test, {{"test", "TestB"}});
  line("a failed", IssueRank::test, {{"test", "a"}}, Severity::error, "another");
  EXPECT_EQ(failure().others, 1u) << "another pattern may name the same tests";
  line("3 failed, 12 passed", IssueRank::test, {{"count", "3"}});
  EXPECT_EQ(failure().others, 2u);
  EXPECT_EQ(failure().summary, "TestA failed (and 2 more tests)");
  for (const char* nonsense : {"99999999999999999999", "-7", "many", "4000000000"}) {
    line("x failed", IssueRank::test, {{"count", nonsense}});
    EXPECT_EQ(failure().others, 2u) << nonsense;
  }
}

TEST_F(FirstCause, PlaceNamesFileAndLine) {
  line("x", IssueRank::test, {{"test", "x"}, {"place", "spec/a.rb:12"}});
  EXPECT_EQ(failure().file, "spec/a.rb");
  EXPECT_EQ(failure().line, 12u);
  facts_.clear();
  line("x", IssueRank::test, {{"test", "x"}, {"place", "@a.R#12"}});
  EXPECT_EQ(failure().file, "@a.R#12");
  EXPECT_EQ(failure().line, 0u);
}

TEST_F(FirstCause, SummaryIsOneShortLine) {
  line("TestA", IssueRank::test, {{"test", std::string(300, 'x') + "\n"}, {"what", "\x1b[31mno"}});
  line("7 failed", IssueRank::test, {{"count", "7"}});
  const std::string summary = failure().summary;
  EXPECT_EQ(summary, std::string(140, 'x') + "… (and 6 more tests)");
  facts_.clear();
  line(std::string(500, '.') + "a.cc:3: wrong", IssueRank::cause,
       {{"file", "a.cc"}, {"line", "3"}, {"what", "wrong"}});
  EXPECT_EQ(failure().summary, "a.cc:3: wrong") << "a long line may begin with anything";
}

}  // namespace
}  // namespace luzia
