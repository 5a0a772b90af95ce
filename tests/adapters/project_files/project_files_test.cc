// What a project's own files show about it.
#include "adapters/project_files/project_files.h"

#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "tests/matchers.h"

namespace luzia {
namespace {

class ProjectFilesTest : public testing::Test {
 protected:
  ProjectFilesTest()
      : folder_(std::filesystem::temp_directory_path() / ("project_files_" + std::to_string(::getpid()))) {
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
  }
  ~ProjectFilesTest() override { std::filesystem::remove_all(folder_); }
  void file(const std::string& name, const std::string& text = {}) const {
    std::ofstream(folder_ / name) << text;
  }
  ProjectTechnologies found() const { return find_technologies(folder_.string()); }
  std::vector<std::string> tools() const {
    std::vector<std::string> names;
    for (const ProjectTool& tool : found().tools) names.push_back(tool.name);
    return names;
  }

  std::filesystem::path folder_;
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
    std::filesystem::remove(folder_ / kind.file);
  }
  file("Dockerfile");
  EXPECT_THAT(found().all, ElementsAre("docker"));
}

TEST_F(ProjectFilesTest, HostileFilesShowNothing) {
  file("elsewhere", R"({"dependencies":{"react":"18"}})");
  std::filesystem::create_symlink(folder_ / "elsewhere", folder_ / "package.json");
  EXPECT_THAT(found().all, IsEmpty()) << "a link";
  std::filesystem::remove(folder_ / "package.json");
  file("package.json", std::string(1000, '['));
  EXPECT_THAT(tools(), IsEmpty());
  file("package.json", std::string(kMaxProjectFileBytes + 1, ' '));
  EXPECT_THAT(tools(), IsEmpty());
  EXPECT_THAT(find_technologies("/nonexistent").all, IsEmpty());
}

}  // namespace
}  // namespace luzia
