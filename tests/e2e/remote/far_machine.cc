#include "tests/e2e/remote/far_machine.h"

#include <sys/stat.h>

#include <filesystem>

namespace luzia {
namespace fs = std::filesystem;

RemoteTest::RemoteTest() {
  fs::create_directories(path("bin"));
  ssh_is();
}

void RemoteTest::add_far(const std::string& name, const std::string& toml) const {
  for (const char* folder : {".config/luzia", "state", "demo", "bin"})
    fs::create_directories(far(name, folder));
  fs::create_symlink(kLuzia, far(name, "bin/luzia"));
  write_text(far(name, ".config/luzia/luzia.toml"),
             "[monitor]\nmemory_warning_percent = 0\nmemory_critical_percent = 0\n"
             "memory_pressure_warning_percent = 0.0\nload_warning_per_core = 0.0\ndisk_warning_percent = 0\n"
             "disk_free_warning_mib = 0\n" +
                 toml + "\n[projects.demo]\npath = \"" + far(name, "demo") + "\"\n");
}

Words RemoteTest::far_environment(const std::string& name) const {
  Words list;
  for (const std::string& entry : environment()) {
    const bool is_own =
        entry.starts_with("HOME=") || entry.starts_with("XDG_STATE_HOME=") || entry.starts_with("PATH=");
    if (!is_own) list.push_back(entry);
  }
  list.insert(list.end(), {"HOME=" + path(name), "XDG_STATE_HOME=" + far(name, "state"),
                           "PATH=" + far(name, "bin") + ":/usr/local/bin:/usr/bin:/bin"});
  return list;
}

Finished RemoteTest::luzia_there(const std::string& name, const Words& words) const {
  Words all = {kLuzia};
  all.insert(all.end(), words.begin(), words.end());
  return run_to_end(all, far_environment(name));
}

void RemoteTest::ssh_is(const std::string& script) const {
  // The machine is told by its name, so the environment is written when it is known.
  const std::string run = R"(
set -- "HOME=$SCRATCH/$DEST" "XDG_STATE_HOME=$SCRATCH/$DEST/state" "XDG_CACHE_HOME=$XDG_CACHE_HOME" \
  "PATH=$SCRATCH/$DEST/bin:/usr/local/bin:/usr/bin:/bin" LANG=C.UTF-8
for name in ASAN_OPTIONS UBSAN_OPTIONS TSAN_OPTIONS; do
  eval "value=\${$name-}"
  [ -z "$value" ] || set -- "$@" "$name=$value"
done
[ -d "$SCRATCH/$DEST" ] || set -- PATH=/nonexistent
exec env -i "$@" /bin/sh -c "$LINE"
)";
  const std::string file = path("bin/ssh");
  write_text(file,
             "#!/bin/sh\nSCRATCH='" + fs::path(file).parent_path().parent_path().string() +
                 "'\nfor word; do DEST=$LINE; LINE=$word; done\necho \"$DEST: $LINE\" >> $SCRATCH/calls\n" +
                 (script.empty() ? run : script));
  ::chmod(file.c_str(), 0755);
}

Words RemoteTest::here_environment(const Words& more) const {
  Words list = environment(more);
  for (std::string& entry : list) {
    if (entry.starts_with("PATH=")) entry.insert(5, path("bin") + ":");
  }
  return list;
}

Finished RemoteTest::here(const Words& words, const Words& more_environment) const {
  Words all = {kLuzia};
  all.insert(all.end(), words.begin(), words.end());
  return run_to_end(all, here_environment(more_environment));
}

Json RemoteTest::here_json(Words words) const {
  words.emplace_back("--json");
  const Finished finished = here(words);
  EXPECT_EQ(finished.code, 0) << testing::PrintToString(words) << finished.err;
  Json json = Json::parse(finished.out, nullptr, false);
  EXPECT_FALSE(json.is_discarded()) << finished.out;
  return json;
}

std::string RemoteTest::dispatch_on(const std::string& machine, const std::string& task) const {
  const Finished finished = here({"--on", machine, "dispatch", "demo", task});
  EXPECT_EQ(finished.code, 0) << finished.err;
  const Words lines = lines_of(finished.out);
  EXPECT_EQ(lines.size(), 1U) << finished.out;
  return lines.empty() ? std::string() : lines.front();
}

}  // namespace luzia
