// What `cmake --install` installs where, whether it works there, and how it is removed.
#include <sys/stat.h>

#include <filesystem>
#include <set>

#include "tests/e2e/daemon_fixture.h"
#include "tests/paths.h"

namespace luzia {
namespace {

namespace fs = std::filesystem;

class InstallTest : public DaemonTest {
 protected:
  static Finished run(const Words& words, const Words& more = {}) {
    Words variables = {"PATH=/usr/local/bin:/usr/bin:/bin", "LANG=C.UTF-8"};
    variables.insert(variables.end(), more.begin(), more.end());
    return run_to_end(words, variables);
  }
  void install(const Words& options, const Words& more = {}) const {
    Words words = {LUZIA_CMAKE, "--install", build_path("")};
    words.insert(words.end(), options.begin(), options.end());
    const Finished installed = run(words, more);
    ASSERT_EQ(installed.code, 0) << installed.out << installed.err;
  }
  std::string prefix() const { return path("prefix"); }
  Finished uninstall(const Words& options = {}) const {
    Words words = {prefix() + "/libexec/luzia/uninstall"};
    words.insert(words.end(), options.begin(), options.end());
    return run(words);
  }
  /// Relative paths of the files and folders below `folder`.
  static std::set<std::string> tree(const std::string& folder) {
    std::set<std::string> found;
    for (const auto& entry : fs::recursive_directory_iterator(folder)) {
      found.insert(fs::relative(entry.path(), folder).string());
    }
    return found;
  }
};

TEST_F(InstallTest, InstalledProgramsRunAJob) {
  install({"--prefix", prefix()});
  const std::string luzia = prefix() + "/bin/luzia";
  const Finished sent = run_to_end({luzia, "dispatch", "demo", "echo said", "--wait"}, environment());
  ASSERT_EQ(sent.code, 0) << sent.err;
  EXPECT_EQ(fs::read_symlink("/proc/" + std::to_string(daemon_pid()) + "/exe"), prefix() + "/bin/luziad");
  EXPECT_EQ(run_to_end({luzia, "logs", "@last"}, environment()).out, "said\n");
  const Finished sound = run_to_end({prefix() + "/bin/luzia-query", "verify"}, environment());
  EXPECT_EQ(sound.code, 0) << sound.err;
  EXPECT_TRUE(fs::exists(prefix() + "/share/man/man8/luziad.8"));
  const bool has_fleet = fs::exists(build_path("tools/luzia-fleet/luzia-fleet"));
  for (const char* file :
       {"bin/luzia-fleet", "share/man/man1/luzia-fleet.1", "share/bash-completion/completions/luzia-fleet"}) {
    EXPECT_EQ(fs::exists(prefix() + "/" + file), has_fleet) << file;
  }

  // Removing it while a daemon runs gives a warning.
  const auto before = tree(prefix());
  const Finished refused = uninstall({"--yes"});
  EXPECT_EQ(refused.code, 4);
  EXPECT_THAT(refused.err, HasSubstr("pid " + std::to_string(daemon_pid())));
  EXPECT_EQ(tree(prefix()), before);
  stop_daemon();
  EXPECT_EQ(uninstall({"--yes"}).code, 0);
  EXPECT_EQ(tree(prefix()), (std::set<std::string>{"etc", "etc/luzia", "etc/luzia/luzia.toml"}));
}

TEST_F(InstallTest, RootInstallsForEverybody) {
  if (::geteuid() != 0) return;  // other users install for themselves
  const mode_t before = ::umask(077);
  install({"--prefix", prefix()});
  ::umask(before);
  for (const auto& entry : fs::recursive_directory_iterator(prefix())) {
    using enum fs::perms;
    const fs::perms needed = entry.is_directory() ? others_read | others_exec : others_read;
    EXPECT_EQ(entry.status().permissions() & needed, needed) << entry.path();
  }
}

TEST_F(InstallTest, UninstallRemovesOnlyInstalledFiles) {
  fs::create_directories(prefix() + "/share/luzia/patterns");
  const Words own = {"share/luzia/patterns/mine", "bin-of-mine"};
  for (const std::string& file : own) write_text(prefix() + "/" + file, "mine\n");
  const auto before = tree(prefix());
  install({"--prefix", prefix()});
  write_text(prefix() + "/etc/luzia/luzia.toml", "# mine\n");
  // An earlier version had a file that the present one does not have.
  write_text(prefix() + "/share/luzia/of-before", "");
  const std::string list = prefix() + "/share/luzia/installed";
  write_text(list, read_text(list) + "share/luzia/of-before\n");
  install({"--prefix", prefix()});

  const auto installed = tree(prefix());
  const Finished shown = uninstall();
  EXPECT_EQ(shown.code, 0) << shown.err;
  EXPECT_THAT(shown.out, HasSubstr("\n" + prefix() + "/bin/luziad\n"));
  EXPECT_THAT(shown.out, HasSubstr("--yes"));
  EXPECT_EQ(tree(prefix()), installed) << "a dry run only lists them";

  const Finished done = uninstall({"--yes"});
  EXPECT_EQ(done.code, 0) << done.err;
  EXPECT_THAT(done.out, HasSubstr(prefix() + "/etc/luzia\n"));
  auto kept = before;
  kept.insert({"etc", "etc/luzia", "etc/luzia/luzia.toml"});
  EXPECT_EQ(tree(prefix()), kept);
  EXPECT_EQ(read_text(prefix() + "/etc/luzia/luzia.toml"), "# mine\n");
  EXPECT_FALSE(fs::exists(prefix() + "/libexec"));
}

TEST_F(InstallTest, UninstallRefusesAListWithForeignPaths) {
  install({"--prefix", prefix()});
  const std::string list = prefix() + "/share/luzia/installed", kept = read_text(list);
  write_text(path("prefix-other"), "");
  for (const char* line : {"../prefix-other", "/etc/passwd", "share/../../prefix-other", ".."}) {
    write_text(list, kept + line + "\n");
    const auto before = tree(prefix());
    const Finished refused = uninstall({"--yes"});
    EXPECT_EQ(refused.code, 5) << line;
    EXPECT_THAT(refused.err, HasSubstr(line));
    EXPECT_EQ(tree(prefix()), before);
  }
  EXPECT_TRUE(fs::exists(path("prefix-other")));
}

TEST_F(InstallTest, UninstallLeavesPackagesToDpkg) {
  install({"--prefix", prefix()});
  const std::string owner = path("bin/dpkg-query");
  fs::create_directory(path("bin"));
  write_text(owner, "#!/bin/sh\necho \"luzia: $2\"\n");
  fs::permissions(owner, fs::perms::owner_all);
  const auto before = tree(prefix());
  const Finished refused = run_to_end({prefix() + "/libexec/luzia/uninstall", "--yes"},
                                      {"PATH=" + path("bin") + ":/usr/bin:/bin"});
  EXPECT_EQ(refused.code, 4);
  EXPECT_THAT(refused.err, HasSubstr("apt remove luzia"));
  EXPECT_EQ(tree(prefix()), before);
}

TEST_F(InstallTest, ZshFindsItsCompletion) {
  const Words zsh = {"/usr/bin/zsh", "-f", "-c"};
  const Finished looked = run({zsh[0], zsh[1], zsh[2], "print -l $fpath"});
  ASSERT_EQ(looked.code, 0) << "tools/dev/install test: " << looked.err;
  const std::pair<const char*, const char*> places[] = {{"/usr/local", "/usr/local/share/zsh/site-functions"},
                                                        {"/usr", "/usr/share/zsh/vendor-completions"}};
  for (const auto& [place, folder] : places) {
    EXPECT_THAT(lines_of(looked.out), testing::Contains(folder));
    const std::string stage = path("stage");
    install({"--prefix", place}, {"DESTDIR=" + stage});
    const std::string commands = "fpath+=('" + stage + folder +
                                 "'); autoload -Uz compinit && compinit -D -u && "
                                 "print $_comps[luzia] $_comps[luzia-query] $_comps[luzia-fleet] && "
                                 "autoload +X _luzia";
    const Finished known = run({zsh[0], zsh[1], zsh[2], commands}, {"HOME=" + home()});
    EXPECT_EQ(known.out, "_luzia _luzia _luzia\n") << known.err;
    EXPECT_EQ(known.code, 0) << known.err;
    fs::remove_all(stage);
  }
}

}  // namespace
}  // namespace luzia
