// What a project's own files show about it.
#include "adapters/project_files/project_files.h"

#include <filesystem>

#include "tests/scratch.h"

namespace luzia {
namespace {

class ProjectFilesTest : public ScratchTest {
 protected:
  void file(const std::string& name, const std::string& text = {}) const { write(name, text); }
  ProjectTechnologies found() const { return find_technologies(scratch_); }
  std::vector<std::string> tools() const {
    std::vector<std::string> names;
    for (const ProjectTool& tool : found().tools) names.push_back(tool.name);
    return names;
  }
};

TEST_F(ProjectFilesTest, PackageJsonShowsLanguageFrameworkAndScripts) {
  file("package.json",
       R"({"dependencies":{"react":"18"},"devDependencies":{"typescript":"5","@angular/core":"1"},
    "scripts":{"build":"tsc -p .","test":"jest","-bad":"x","two words":"y"}})");
  file("yarn.lock");
  const ProjectTechnologies seen = found();
  EXPECT_EQ(seen.language, "typescript");
  EXPECT_EQ(seen.framework, "react");
  EXPECT_EQ(seen.build_system, "yarn");
  EXPECT_THAT(seen.all, Contains("angular"));
  EXPECT_THAT(tools(), ElementsAre("yarn run build", "yarn run test"));
  EXPECT_THAT(seen.tools.front().about, HasSubstr("compile typescript"));
}

TEST_F(ProjectFilesTest, EachKindOfProjectIsKnown) {
  const struct {
    const char *file, *text, *language, *build_system;
  } kinds[] = {{"Cargo.toml", "", "rust", "cargo"},
               {"go.mod", "", "go", "go"},
               {"CMakeLists.txt", "", "c++", "cmake"},
               {"requirements.txt", "Django>=5\npytest\n", "python", "pip"},
               {"pom.xml", "", "java", "maven"}};
  for (const auto& kind : kinds) {
    file(kind.file, kind.text);
    EXPECT_EQ(found().language, kind.language) << kind.file;
    EXPECT_EQ(found().build_system, kind.build_system) << kind.file;
    EXPECT_THAT(tools(), testing::Not(IsEmpty())) << kind.file;
    if (*kind.text != '\0') {
      EXPECT_EQ(found().framework, "django");
    }
    std::filesystem::remove(path(kind.file));
  }
  file("Dockerfile");
  EXPECT_THAT(found().all, ElementsAre("docker"));
}

TEST_F(ProjectFilesTest, HostileFilesShowNothing) {
  file("elsewhere", R"({"dependencies":{"react":"18"}})");
  std::filesystem::create_symlink(path("elsewhere"), path("package.json"));
  EXPECT_THAT(found().all, IsEmpty()) << "a link";
  std::filesystem::remove(path("package.json"));
  file("package.json", std::string(1000, '['));
  EXPECT_THAT(tools(), IsEmpty());
  file("package.json", std::string(kMaxProjectFileBytes + 1, ' '));
  EXPECT_THAT(tools(), IsEmpty());
  EXPECT_THAT(find_technologies("/nonexistent").all, IsEmpty());
}

}  // namespace
}  // namespace luzia
