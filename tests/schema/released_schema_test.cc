// Bytes written by any release keep their meaning: compares the present schema with every frozen one in
// schema/released.
#include <flatbuffers/idl.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>

#include "tests/paths.h"
#include "tests/schema/schema_listing.h"
#include "tests/scratch.h"
#include "tests/text_files.h"

namespace luzia::test {
namespace {

namespace fs = std::filesystem;

const fs::path kSchema = source_path("schema");
/// Schemas of bytes that are stored forever or exchanged between versions. Rows (view.fbs) can be rebuilt.
constexpr const char* kLasting[] = {"event.fbs", "protocol.fbs"};

std::vector<fs::path> released() {
  std::vector<fs::path> folders;
  for (const auto& entry : fs::directory_iterator(kSchema / "released")) folders.push_back(entry.path());
  return folders;
}

std::map<std::string, std::string> listing(const fs::path& folder, const std::string& file) {
  auto schema = load_schema(folder, file);
  EXPECT_TRUE(schema) << schema.error().message;
  return schema ? list_schema(**schema) : std::map<std::string, std::string>{};
}

/// Whether flatc itself accepts the change; its output appears in the test's.
bool flatc_conforms(const fs::path& old_folder, const fs::path& new_folder, const std::string& file) {
  const std::string command = std::string(LUZIA_FLATC) + " -I " + new_folder.string() +
                              " --conform-includes " + old_folder.string() + " --conform " +
                              (old_folder / file).string() + " " + (new_folder / file).string();
  return std::system(command.c_str()) == 0;
}

TEST(ReleasedSchema, Exists) {
  EXPECT_FALSE(released().empty());
}

TEST(ReleasedSchema, EveryFileStillExists) {
  for (const auto& folder : released()) {
    for (const auto& entry : fs::directory_iterator(folder)) {
      EXPECT_TRUE(fs::exists(kSchema / entry.path().filename())) << entry.path();
    }
  }
}

TEST(ReleasedSchema, FlatcFindsNoConflict) {
  for (const auto& folder : released()) {
    for (const char* file : kLasting) EXPECT_TRUE(flatc_conforms(folder, kSchema, file)) << folder / file;
  }
}

TEST(ReleasedSchema, NothingIsMissingOrChanged) {
  for (const auto& folder : released()) {
    for (const char* file : kLasting) {
      EXPECT_THAT(schema_faults(listing(folder, file), listing(kSchema, file)), testing::IsEmpty())
          << folder / file;
    }
  }
}

/// A copy of the newest release with one change.
class ChangedSchema : public ScratchTest {
 protected:
  ChangedSchema() {
    auto folders = released();
    newest_ = *std::max_element(folders.begin(), folders.end());
    for (const auto& entry : fs::directory_iterator(newest_)) {
      fs::copy(entry.path(), folder_ / entry.path().filename());
    }
  }
  /// Replaces `pattern` in `file` once and returns the faults found.
  std::vector<std::string> faults_of(const std::string& file, const std::string& pattern,
                                     const std::string& by) {
    const std::string before = whole_text(newest_ / file);
    const std::string after =
        std::regex_replace(before, std::regex(pattern), by, std::regex_constants::format_first_only);
    EXPECT_NE(before, after) << pattern << " is not in " << file;
    std::ofstream(folder_ / file) << after;
    return schema_faults(listing(newest_, "event.fbs"), listing(folder_, "event.fbs"));
  }
  const fs::path folder_ = scratch_;
  fs::path newest_;
};

TEST_F(ChangedSchema, UnchangedCopyHasNoFault) {
  EXPECT_THAT(schema_faults(listing(newest_, "event.fbs"), listing(folder_, "event.fbs")),
              testing::IsEmpty());
}

TEST_F(ChangedSchema, NewFieldAndNewMemberAreNoFault) {
  EXPECT_THAT(faults_of("job.fbs", R"(table JobHeld \{ note:string \(id: 0\);)",
                        "table JobHeld { note:string (id: 0); until_us:long (id: 1);"),
              testing::IsEmpty());
  EXPECT_THAT(faults_of("common.fbs", R"(critical = 3)", "critical = 3, fatal = 4"), testing::IsEmpty());
}

TEST_F(ChangedSchema, RemovedLastFieldIsFound) {
  EXPECT_EQ(faults_of("alert.fbs", R"(\n  threshold:double \(id: 6\);)", "").size(), 1U);
}

TEST_F(ChangedSchema, RenamedFieldIsFound) {
  EXPECT_EQ(faults_of("alert.fbs", R"(threshold:double)", "limit:double").size(), 1U);
}

TEST_F(ChangedSchema, ChangedTypeIsFound) {
  EXPECT_EQ(faults_of("alert.fbs", R"(threshold:double)", "threshold:long").size(), 1U);
}

TEST_F(ChangedSchema, FlatcSeesAChangedType) {
  faults_of("alert.fbs", R"(threshold:double)", "threshold:long");
  EXPECT_FALSE(flatc_conforms(newest_, folder_, "event.fbs"));
}

TEST_F(ChangedSchema, ChangedDefaultIsFound) {
  EXPECT_EQ(faults_of("alert.fbs", R"(threshold:double)", "threshold:double = 1").size(), 1U);
}

TEST_F(ChangedSchema, SwappedIdsAreFound) {
  EXPECT_EQ(faults_of("alert.fbs", R"(value:double \(id: 0\)|alert:string \(id: 0\); value:double \(id: 1\))",
                      "alert:string (id: 1); value:double (id: 0)")
                .size(),
            2U);
}

TEST_F(ChangedSchema, RemovedEnumValueIsFound) {
  EXPECT_EQ(faults_of("common.fbs", R"(, critical = 3)", "").size(), 1U);
}

TEST_F(ChangedSchema, RenumberedEnumValueIsFound) {
  EXPECT_EQ(faults_of("common.fbs", R"(critical = 3)", "critical = 7").size(), 1U);
}

TEST_F(ChangedSchema, RemovedUnionMemberIsFound) {
  EXPECT_EQ(faults_of("alert.fbs", R"(,\n  AlertEnded = 2)", "").size(), 1U);
}

TEST_F(ChangedSchema, RemovedDomainIsFound) {
  EXPECT_EQ(faults_of("event.fbs", R"(,\n  SystemEvent = 13)", "").size(), 1U);
}

TEST_F(ChangedSchema, RenamedTableIsFound) {
  const std::string renamed =
      std::regex_replace(whole_text(newest_ / "alert.fbs"), std::regex("AlertEnded"), "AlertOver");
  std::ofstream(folder_ / "alert.fbs") << renamed;
  EXPECT_FALSE(schema_faults(listing(newest_, "event.fbs"), listing(folder_, "event.fbs")).empty());
}

TEST_F(ChangedSchema, AnotherFileIdentifierIsFound) {
  EXPECT_EQ(faults_of("event.fbs", R"("LZE1")", "\"LZE2\"").size(), 1U);
}

TEST(StructInASchema, IsFoundWhenItGrows) {
  flatbuffers::Parser before, after;
  ASSERT_TRUE(before.Parse("struct Point { x:int; } table T { p:Point; }"));
  ASSERT_TRUE(after.Parse("struct Point { x:int; y:int; } table T { p:Point; }"));
  EXPECT_EQ(schema_faults(list_schema(before), list_schema(after)).size(), 1U);
}

TEST(StoredSchema, HasNoStructs) {
  auto schema = load_schema(kSchema, "event.fbs");
  ASSERT_TRUE(schema);
  for (const auto* definition : (*schema)->structs_.vec) EXPECT_FALSE(definition->fixed) << definition->name;
}

TEST(StoredSchema, HasExplicitIdsAndValues) {
  auto schema = load_schema(kSchema, "event.fbs");
  ASSERT_TRUE(schema);
  for (const auto* definition : (*schema)->structs_.vec) {
    for (const auto* field : definition->fields.vec) {
      // The type field of a union takes its id from the union field.
      if (field->value.type.base_type == flatbuffers::BASE_TYPE_UTYPE) continue;
      EXPECT_NE(field->attributes.Lookup("id"), nullptr) << definition->name << "." << field->name;
    }
  }
  const std::regex members(R"((?:enum|union)\s+\w+\s*(?::\s*\w+\s*)?\{([^}]*)\})");
  const std::regex explicit_value(R"(\s*\w+\s*=\s*\d+\s*)");
  for (const auto& file :
       std::set<std::string>{"common.fbs", "event.fbs", "job.fbs", "output.fbs", "report.fbs", "question.fbs",
                             "approval.fbs", "flow.fbs", "issue.fbs", "tool.fbs", "learning.fbs", "usage.fbs",
                             "alert.fbs", "queue.fbs", "system.fbs"}) {
    const std::string text = std::regex_replace(whole_text(kSchema / file), std::regex("//[^\n]*"), "");
    for (std::sregex_iterator at(text.begin(), text.end(), members), end; at != end; ++at) {
      std::istringstream list((*at)[1]);
      for (std::string member; std::getline(list, member, ',');) {
        EXPECT_TRUE(std::regex_match(member, explicit_value)) << file << ": " << member;
      }
    }
  }
}

}  // namespace
}  // namespace luzia::test
