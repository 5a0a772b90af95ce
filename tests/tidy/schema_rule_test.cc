#include "tests/matchers.h"
#include "tests/tidy/rules.h"

namespace luzia::tidy {
namespace {

std::string finding(const std::string& text, const std::string& path = "schema/job.fbs") {
  return to_text(check_schema(make_source(path, text)));
}

TEST(SchemaRule, StoredFieldsHaveIds) {
  EXPECT_EQ(finding("table T {\n  a:uint = 3 (id: 0);  // a; comment\n  b:[string] (id:1, deprecated);\n  "
                    "c:U (id: 3);\n}\n"),
            "");
  EXPECT_THAT(finding("table T {\n  a:uint (id: 0);\n  b:string;\n}\n"),
              HasSubstr("job.fbs:3: b: every stored field"));
  EXPECT_THAT(finding("table T { a:uint (deprecated); }"), HasSubstr("a: every stored field"));
  EXPECT_THAT(finding("table T { paid:uint (void: 1); }"), HasSubstr("paid: every stored field"));
}

TEST(SchemaRule, EnumMembersHaveValues) {
  EXPECT_EQ(finding("enum E : ubyte { a = 0, b = 1 }\nenum F : ubyte {\n  c = 0,\n  d = 1\n}\n"), "");
  EXPECT_THAT(finding("enum E : ubyte {\n  a = 0,\n  b\n}\n"), HasSubstr("job.fbs:3: b: every enum member"));
  EXPECT_THAT(finding("enum E : ubyte { a = 0, b }", "schema/protocol.fbs"),
              HasSubstr("b: every enum member"));
}

TEST(SchemaRule, UnionMembersHaveValues) {
  EXPECT_EQ(finding("union U {\n  A = 1,\n  B = 2\n}\n"), "");
  EXPECT_THAT(finding("union U {\n  A = 1,\n  B\n}\n"), HasSubstr("job.fbs:3: B: every union member"));
}

TEST(SchemaRule, StructsAreNotStored) {
  EXPECT_THAT(finding("struct S { a:uint; }"), HasSubstr("no structs in stored events"));
}

TEST(SchemaRule, FramesMayNumberByOrder) {
  EXPECT_EQ(finding("table T { a:uint; }\nunion U { A, B }\n", "schema/protocol.fbs"), "");
}

TEST(SchemaRule, DirectivesAreIgnored) {
  EXPECT_EQ(
      finding(
          "include \"common.fbs\";\nnamespace luzia.schema;\nroot_type Event;\nfile_identifier \"LZE1\";\n"),
      "");
}

}  // namespace
}  // namespace luzia::tidy
