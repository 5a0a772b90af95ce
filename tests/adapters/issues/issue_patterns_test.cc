#include "adapters/issues/issue_patterns.h"

#include <sys/stat.h>

#include <thread>

#include "tests/adapters/issues/support.h"
#include "tests/matchers.h"
#include "tests/paths.h"

namespace luzia {
namespace {

std::string file_of(const std::vector<std::pair<std::string, std::string>>& patterns,
                    const std::string& project = {}) {
  std::string text;
  for (const auto& [name, regex] : patterns) {
    text += (text.empty() ? "" : ",") + std::string(R"({"name": ")") + name + R"(", "error_patterns": [")" +
            regex + "\"]" + (project.empty() ? "" : R"(, "project": ")" + project + "\"") + "}";
  }
  return R"({"patterns": [)" + text + "]}";
}

std::vector<std::string> found_in(const std::shared_ptr<const IssueMatcher>& matcher, std::string_view text) {
  std::vector<schema::IssueDetectedT> found;
  EXPECT_EQ(matcher->match({text, 0, 1}, 100, found), text.size());
  return told(found);
}

class Patterns : public testing::Test {
 protected:
  ScratchFolder folder_;
  IssuePatterns patterns_{{.cache_folder = folder_.path() + "/cache", .shipped = false}};
};

TEST_F(Patterns, NoPatternsMeanNoMatcher) {
  EXPECT_EQ(patterns_.matcher("web"), nullptr);
  ASSERT_TRUE(patterns_.reload({}).has_value());
  EXPECT_EQ(patterns_.matcher("web"), nullptr);
}

TEST_F(Patterns, LaterFilesReplaceEarlierOnesByName) {
  const auto report = patterns_.reload({folder_.write("a.json", file_of({{"x", "old"}, {"y", "y"}})),
                                        folder_.write("b.json", file_of({{"x", "new"}}))});
  ASSERT_TRUE(report.has_value());
  EXPECT_EQ(report->patterns, 2u);
  EXPECT_THAT(report->replaced, ElementsAre("pattern x of " + folder_.path() + "/b.json replaces that of " +
                                            folder_.path() + "/a.json"));
  EXPECT_THAT(found_in(patterns_.matcher(""), "old\nnew\ny\n"), ElementsAre("2@4 x", "3@8 y"));
}

TEST_F(Patterns, ProjectHasItsOwnAndTheGeneralOnes) {
  ASSERT_TRUE(patterns_.reload({folder_.write("a.json", file_of({{"x", "general"}, {"y", "y"}})),
                                folder_.write("b.json", file_of({{"x", "own"}, {"z", "z"}}, "web"))}));
  EXPECT_THAT(found_in(patterns_.matcher("web"), "general\nown\ny\nz\n"),
              ElementsAre("2@8 x", "3@12 y", "4@14 z"));
  EXPECT_THAT(found_in(patterns_.matcher("other"), "general\nown\ny\nz\n"), ElementsAre("1@0 x", "3@12 y"));
}

TEST_F(Patterns, FileThatBecomesInvalidKeepsItsPatterns) {
  const std::string good = folder_.write("a.json", file_of({{"a", "a"}}));
  const std::string other = folder_.write("b.json", file_of({{"b", "b"}}));
  ASSERT_TRUE(patterns_.reload({good, other}));
  const auto before = patterns_.matcher("");
  folder_.write("a.json", "{");
  folder_.write("b.json", file_of({{"b", "c"}}));
  const auto report = patterns_.reload({good, other});
  ASSERT_TRUE(report.has_value());
  ASSERT_EQ(report->files.size(), 1u);
  EXPECT_THAT(report->files[0].message, HasSubstr("a.json"));
  EXPECT_THAT(found_in(patterns_.matcher(""), "a\nb\nc\n"), ElementsAre("1@0 a", "3@4 b"));
  EXPECT_THAT(found_in(before, "a\nb\nc\n"), ElementsAre("1@0 a", "2@2 b"))
      << "holders keep the old patterns";
}

TEST_F(Patterns, SourceOutlivesThePatterns) {
  IssueMatcherSource source;
  {
    IssuePatterns gone({.cache_folder = "", .shipped = false});
    source = gone.source();
    EXPECT_EQ(source("web"), nullptr);
    ASSERT_TRUE(gone.reload({folder_.write("a.json", file_of({{"a", "a"}}))}));
  }
  EXPECT_THAT(found_in(source("web"), "a\n"), ElementsAre("1@0 a"));
}

TEST_F(Patterns, RefusedPatternsAreReported) {
  const auto report = patterns_.reload({folder_.write("a.json", file_of({{"a", "a(?!b)"}, {"b", "b"}}))});
  ASSERT_TRUE(report.has_value());
  ASSERT_EQ(report->refused.size(), 1u);
  EXPECT_THAT(report->refused[0].text(), HasSubstr("a.json: pattern a: error_patterns[0] at 1: a lookahead"));
  EXPECT_EQ(report->patterns, 1u);
}

TEST_F(Patterns, ShippedPatternsCanBeReplaced) {
  IssuePatterns all({.cache_folder = folder_.path(), .shipped = true});
  const auto report = all.reload({folder_.write("a.json", file_of({{"disk-full", "our own"}}))});
  ASSERT_TRUE(report.has_value());
  EXPECT_THAT(report->refused, IsEmpty());
  EXPECT_THAT(report->replaced, ElementsAre(HasSubstr("replaces that of shipped/disk.json")));
  EXPECT_THAT(found_in(all.matcher("web"), "cp: No space left on device\nour own\n"),
              ElementsAre("2@28 disk-full"));
}

/// The files in the cache.
std::vector<std::filesystem::path> cached(const std::string& folder) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) files.push_back(entry.path());
  return files;
}

TEST_F(Patterns, CompiledPatternsAreCached) {
  const std::string path = folder_.write("a.json", file_of({{"a", "a+b"}}));
  EXPECT_FALSE(patterns_.reload({path})->from_cache);
  EXPECT_TRUE(patterns_.reload({path})->from_cache);
  EXPECT_THAT(found_in(patterns_.matcher(""), "aab\n"), ElementsAre("1@0 a"));
  const auto files = cached(folder_.path() + "/cache");
  ASSERT_EQ(files.size(), 1u);
  struct stat status;
  ASSERT_EQ(::stat(files[0].c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600u);
  folder_.write("a.json", file_of({{"a", "a+c"}}));
  EXPECT_FALSE(patterns_.reload({path})->from_cache);
  EXPECT_EQ(cached(folder_.path() + "/cache").size(), 2u) << "another daemon may use the former one";
  for (int i = 0; i < 20; ++i) {
    folder_.write("a.json", file_of({{"a", "a+" + std::string(static_cast<std::size_t>(i) + 1, 'b')}}));
    ASSERT_TRUE(patterns_.reload({path}));
  }
  EXPECT_EQ(cached(folder_.path() + "/cache").size(), 16u) << "the oldest are removed";
}

TEST_F(Patterns, ApplyBeforeTheyAreCompiled) {
  const std::string path = folder_.write("a.json", file_of({{"a", "a+b"}, {"bad", "a(?!b)"}}));
  const auto report = patterns_.load({path});
  EXPECT_EQ(report.patterns, 1u);
  EXPECT_EQ(report.refused.size(), 1u);
  EXPECT_FALSE(report.from_cache);
  EXPECT_FALSE(std::filesystem::exists(folder_.path() + "/cache")) << "nothing was compiled";
  const auto before = patterns_.matcher("web");
  EXPECT_THAT(found_in(before, "ac\naab\n"), ElementsAre("2@3 a"));
  const auto refused = patterns_.compile();
  ASSERT_TRUE(refused.has_value());
  EXPECT_THAT(*refused, IsEmpty());
  const auto after = patterns_.matcher("web");
  EXPECT_NE(before, after);
  EXPECT_THAT(found_in(after, "ac\naab\n"), ElementsAre("2@3 a"));
  EXPECT_EQ(cached(folder_.path() + "/cache").size(), 1u);
  ASSERT_TRUE(patterns_.compile().has_value());
  EXPECT_EQ(patterns_.matcher("web"), after) << "they are compiled once";
  EXPECT_TRUE(patterns_.load({path}).from_cache);
}

/// Whichever finishes first: the patterns read last are in force.
TEST_F(Patterns, LateCompilationDoesNotRestoreOldPatterns) {
  std::vector<std::pair<std::string, std::string>> many = {{"old", "old"}};
  for (int i = 0; i < 50; ++i) many.emplace_back("p" + std::to_string(i), std::to_string(i) + "[a-f]{3,40}x");
  patterns_.load({folder_.write("a.json", file_of(many))});
  std::thread compiling([this] { EXPECT_TRUE(patterns_.compile().has_value()); });
  patterns_.load({folder_.write("b.json", file_of({{"new", "new"}}))});
  EXPECT_THAT(found_in(patterns_.matcher(""), "old\nnew\n"), ElementsAre("2@4 new"));
  compiling.join();
  EXPECT_THAT(found_in(patterns_.matcher(""), "old\nnew\n"), ElementsAre("2@4 new"));
}

TEST_F(Patterns, ShippedCompiledPatternsAreNotRewritten) {
  const std::string path = folder_.write("a.json", file_of({{"a", "a+b"}}));
  ASSERT_TRUE(patterns_.reload({path}));
  const std::string own = folder_.path() + "/own";
  IssuePatterns others({.cache_folder = own, .shipped = false, .made_folder = folder_.path() + "/cache"});
  EXPECT_TRUE(others.reload({path})->from_cache);
  EXPECT_FALSE(std::filesystem::exists(own)) << "nothing had to be kept";
  EXPECT_THAT(found_in(others.matcher(""), "aab\n"), ElementsAre("1@0 a"));
  folder_.write("a.json", file_of({{"a", "a+c"}}));
  EXPECT_FALSE(others.reload({path})->from_cache);
  EXPECT_EQ(cached(folder_.path() + "/cache").size(), 1u);
  EXPECT_EQ(cached(own).size(), 1u);
  EXPECT_TRUE(others.reload({path})->from_cache) << "from its own folder then";
}

#ifdef LUZIA_HAS_MADE_PATTERNS
TEST_F(Patterns, ShippedPatternsComeCompiled) {
  IssuePatterns shipped(
      {.cache_folder = "", .shipped = true, .made_folder = build_path("tools/luzia-patterns/made")});
  EXPECT_TRUE(shipped.reload({})->from_cache);
}
#endif

TEST_F(Patterns, DamagedOrForeignCacheIsRewritten) {
  const std::string path = folder_.write("a.json", file_of({{"a", "a+b"}}));
  ASSERT_FALSE(patterns_.reload({path})->from_cache);
  const std::string file = cached(folder_.path() + "/cache").at(0);
  const auto size = std::filesystem::file_size(file);
  for (std::uintmax_t at : {std::uintmax_t{0}, std::uintmax_t{20}, std::uintmax_t{60}, size / 2, size - 1}) {
    {
      std::fstream damaged(file, std::ios::in | std::ios::out | std::ios::binary);
      damaged.seekg(static_cast<std::streamoff>(at));
      const int byte = damaged.get();
      damaged.seekp(static_cast<std::streamoff>(at));
      damaged.put(static_cast<char>(byte ^ 1));
    }
    EXPECT_FALSE(patterns_.reload({path})->from_cache) << at;
    EXPECT_TRUE(patterns_.reload({path})->from_cache) << at;
  }
  std::filesystem::resize_file(file, 10);
  EXPECT_FALSE(patterns_.reload({path})->from_cache);
  std::filesystem::permissions(file, std::filesystem::perms::group_write, std::filesystem::perm_options::add);
  EXPECT_FALSE(patterns_.reload({path})->from_cache) << "somebody else may have written it";
  EXPECT_TRUE(patterns_.reload({path})->from_cache);
}

TEST_F(Patterns, ApplyWithoutACache) {
  IssuePatterns uncached({.cache_folder = "/proc/none", .shipped = false});
  ASSERT_TRUE(uncached.reload({folder_.write("a.json", file_of({{"a", "a"}}))}));
  EXPECT_THAT(found_in(uncached.matcher(""), "a\n"), ElementsAre("1@0 a"));
}

}  // namespace
}  // namespace luzia
