#include "tests/matchers.h"
#include "tests/tidy/rules.h"

namespace luzia::tidy {
namespace {

std::vector<Function> functions(const std::string& text) {
  return find_functions(make_source("a.cc", text));
}

/// A function of `length` lines.
std::string long_function(const std::string& signature, std::size_t length) {
  std::string text = signature + " {\n";
  for (std::size_t i = 2; i < length; ++i) text += "  if (x) { y(); }\n";
  return text + "}\n";
}

std::string finding(const std::string& text, const std::string& ratchet) {
  return to_text(check_lengths(functions(text), make_source("ratchet.txt", ratchet)));
}

TEST(FunctionRule, FindsEveryKindOfFunction) {
  const auto found = functions(
      "namespace a {\n"
      "int free(int x) {\n  return x;\n}\n"
      "template <class T>\nstd::vector<T>\nClass<T>::member(const T& x,\n  int y) const {\n  for (;;) { "
      "z(\"}\"); }\n}\n"
      "struct S : Base {\n  S() : x_{1} {}\n  int get() const { return x_; }\n};\n"
      "TEST(Suite, Name) {\n  EXPECT_TRUE(true);\n}\n"
      "const std::array<int, 2> kTable = {{1, 2}};\n"
      "enum class E { a, b };\n"
      "bool operator==(const S& a, const S& b) { return true; }\n"
      "}\n");
  std::vector<std::string> names;
  for (const Function& function : found) names.push_back(function.name + ":" + std::to_string(function.line));
  EXPECT_THAT(names, testing::IsSupersetOf({"free:2", "get:13", "TEST(Suite, Name):15"}));
  const auto member = std::find_if(found.begin(), found.end(), [](const Function& f) { return f.line == 5; });
  ASSERT_NE(member, found.end());
  EXPECT_EQ(member->name, "Class::member");
  EXPECT_EQ(member->length, 6u);
}

TEST(FunctionRule, LimitIs70Lines) {
  EXPECT_EQ(finding(long_function("int f(int x)", 70), ""), "");
  EXPECT_THAT(finding(long_function("int f(int x)", 71), ""), HasSubstr("a.cc:1: f has 71 lines"));
}

TEST(FunctionRule, InlineMembersCountSeparately) {
  const std::string text =
      "class C {\n" + long_function("void f()", 60) + long_function("void g()", 60) + "};\n";
  EXPECT_EQ(finding(text, ""), "");
  EXPECT_THAT(functions(text), SizeIs(2));
}

TEST(FunctionRule, RatchetOnlyShrinks) {
  const std::string text = long_function("int f(int x)", 80);
  EXPECT_EQ(finding(text, "# why\na.cc f 80\n"), "");
  EXPECT_THAT(finding(text, "a.cc f 79\n"), HasSubstr("has grown to 80 lines"));
  EXPECT_EQ(finding(text, "a.cc f 81\n"), "");
  EXPECT_THAT(finding(long_function("int f(int x)", 10), "a.cc f 80\n"), HasSubstr("remove this line"));
  EXPECT_THAT(finding(text, "a.cc f many\n"), HasSubstr("not `path name length`"));
}

TEST(FunctionRule, ScriptsHaveNoFunctions) {
  EXPECT_THAT(find_functions(make_source("tools/test", "f() {\n}\n")), IsEmpty());
}

}  // namespace
}  // namespace luzia::tidy
