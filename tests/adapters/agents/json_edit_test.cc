// Edits single members of a JSON file and leaves every other byte unchanged.
#include "adapters/agents/settings/json_edit.h"

#include "tests/matchers.h"

namespace luzia {
namespace {

JsonEdit edit_of(const std::string& text) {
  auto edit = JsonEdit::of(text, "settings.json");
  EXPECT_TRUE(edit.has_value()) << text;
  return *edit;
}

TEST(JsonEdit, AddedMemberFollowsTheStyleOfTheFile) {
  const std::pair<const char*, const char*> cases[] = {
      {"", "{\n  \"a\": {\n    \"b\": 1\n  }\n}\n"},
      {"{}", "{\n  \"a\": {\n    \"b\": 1\n  }\n}"},
      {"{\n\t\"x\": [1,2 ,3]\n}\n", "{\n\t\"x\": [1,2 ,3],\n\t\"a\": {\n\t\t\"b\": 1\n\t}\n}\n"},
      {"{\n    \"a\": {\"c\":   null}\n}", "{\n    \"a\": {\"c\":   null, \"b\": 1}\n}"},
      {"{\n  \"a\": {\n    \"c\": 2\n  }\n}", "{\n  \"a\": {\n    \"c\": 2,\n    \"b\": 1\n  }\n}"},
      {"{ \"x\": 1 }", "{ \"x\": 1, \"a\": {\"b\":1} }"},
  };
  for (const auto& [before, after] : cases) {
    JsonEdit edit = edit_of(before);
    ASSERT_TRUE(edit.set({"a"}, "b", 1).has_value());
    // Objects that had to be created follow the file's style too.
    EXPECT_EQ(OrderedJson::parse(edit.text()), OrderedJson::parse(after)) << edit.text();
    if (std::string_view(before) != "{ \"x\": 1 }") {
      EXPECT_EQ(edit.text(), after);
    }
  }
}

TEST(JsonEdit, MemberIsReplacedInPlace) {
  JsonEdit edit = edit_of("{\n  \"a\": {\"b\": [1, 2], \"c\": 3}\n}");
  ASSERT_TRUE(edit.set({"a"}, "b", "new").has_value());
  EXPECT_EQ(edit.text(), "{\n  \"a\": {\"b\": \"new\", \"c\": 3}\n}");
}

TEST(JsonEdit, AddingAndRemovingRestoresTheFile) {
  for (const std::string before :
       {"{\n  \"x\": {\n    \"y\": [\n      1\n    ]\n  }\n}\n", "{\"x\":{\"y\":[1,2]}}",
        "{ \"x\" : { \"y\" : [ \"]\" ] } }",
        "{\n\t\"list\": [],\n\t\"x\": {\n\t\t\"y\": [\n\t\t\t{\"a\": \"\\\"}\"}\n\t\t]\n\t}\n}"}) {
    JsonEdit edit = edit_of(before);
    ASSERT_TRUE(edit.set({"mcpServers"}, "luzia", {{"command", "luzia"}}).has_value());
    ASSERT_TRUE(edit.append({"x", "y"}, {{"b", true}}).has_value());
    ASSERT_TRUE(edit.append({"made", "here"}, "z").has_value());
    const auto last = edit.at({"x", "y"}).size() - 1;
    EXPECT_NE(edit.text(), before);
    edit.remove({"made", "here", "0"});
    edit.remove({"x", "y", std::to_string(last)});
    edit.remove({"mcpServers", "luzia"});
    EXPECT_EQ(edit.text(), before);
  }
}

TEST(JsonEdit, FirstOfSeveralMembersIsRemoved) {
  JsonEdit edit = edit_of("{\n  \"a\": [\n    1,\n    2\n  ],\n  \"b\": 3\n}");
  edit.remove({"a", "0"});
  EXPECT_EQ(edit.text(), "{\n  \"a\": [\n    2\n  ],\n  \"b\": 3\n}");
  edit.remove({"a"});
  EXPECT_EQ(edit.text(), "{\n  \"b\": 3\n}");
}

TEST(JsonEdit, RemovingAMissingMemberChangesNothing) {
  JsonEdit edit = edit_of("{\"a\": [1], \"b\": 2}");
  edit.remove({"a", "7"});
  edit.remove({"c", "d"});
  edit.remove({"b", "c"});
  EXPECT_EQ(edit.text(), "{\"a\": [1], \"b\": 2}");
}

TEST(JsonEdit, InvalidJsonIsRefusedWithItsPlace) {
  const std::pair<const char*, const char*> cases[] = {
      {"{\n  // a comment\n  \"a\": 1\n}", "settings.json:2:3"},
      {"{\n  \"a\": 1,\n}", "settings.json:3:1"},
      {"[1]", "no JSON object"},
      {"{\"a\": 1} x", "settings.json:1:10"},
      {"{\"a\"", "settings.json:1:"},
      {"{\"a\": \"\xff\"}", "settings.json:1:"},
      {"{\"a\": 1e999}", "a number in it is too large"},
  };
  for (const auto& [text, words] : cases) {
    const auto edit = JsonEdit::of(text, "settings.json");
    ASSERT_FALSE(edit.has_value()) << text;
    EXPECT_EQ(edit.error().code, "bad_settings");
    EXPECT_EQ(edit.error().kind, ErrorKind::usage);
    EXPECT_THAT(edit.error().message, HasSubstr(words));
  }
}

TEST(JsonEdit, ParentThatIsNoObjectIsRefused) {
  JsonEdit edit = edit_of("{\"a\": 7, \"b\": {}}");
  EXPECT_FALSE(edit.set({"a"}, "x", 1).has_value());
  EXPECT_FALSE(edit.append({"b"}, 1).has_value());
  EXPECT_EQ(edit.text(), "{\"a\": 7, \"b\": {}}");
}

TEST(JsonEdit, EscapedNamesAndByteOrderMarkAreRead) {
  JsonEdit edit = edit_of("\xEF\xBB\xBF{\"mcp\\u0053ervers\": {\"a\": 1}}");
  ASSERT_TRUE(edit.set({"mcpServers"}, "luzia", 2).has_value());
  EXPECT_EQ(edit.text(), "\xEF\xBB\xBF{\"mcp\\u0053ervers\": {\"a\": 1, \"luzia\": 2}}");
}

}  // namespace
}  // namespace luzia
