#include "adapters/git/restore.h"

#include <sys/stat.h>

#include <algorithm>

namespace luzia {
namespace {

constexpr std::string_view kSubmodule = "160000";

bool covers(std::string_view folder, std::string_view path) {
  if (folder.ends_with('/')) folder.remove_suffix(1);
  return path.starts_with(folder) && (path.size() == folder.size() || path[folder.size()] == '/');
}

bool is_meant(const std::vector<std::string>& paths, std::string_view path) {
  return paths.empty() || std::ranges::any_of(paths, [&](const std::string& meant) {
           return meant.empty() || covers(meant, path);
         });
}

bool is_left_out(const std::set<std::string>& left_out, std::string_view path) {
  return std::ranges::any_of(left_out, [&](const std::string& each) { return covers(each, path); });
}

/// One line of `diff-tree --raw`: ":OLD_MODE MODE OLD_ID ID STATUS", then the path.
struct RawChange {
  std::string old_mode, mode, old_object, object, path;
  char status = 0;
};

std::vector<RawChange> parse_raw(std::string_view text) {
  std::vector<RawChange> changes;
  const auto pieces = split_at_nul(text);
  for (std::size_t i = 0; i + 1 < pieces.size(); i += 2) {
    std::vector<std::string> words;
    std::string_view rest = std::string_view(pieces[i]).substr(1);
    while (!rest.empty()) {
      const std::string_view word = rest.substr(0, rest.find(' '));
      words.emplace_back(word);
      rest.remove_prefix(std::min(word.size() + 1, rest.size()));
    }
    if (words.size() != 5) continue;
    changes.push_back({words[0], words[1], words[2], words[3], pieces[i + 1], words[4].front()});
  }
  return changes;
}

Result<std::vector<RawChange>> raw_changes(const Git& git, const std::string& from, const std::string& to) {
  const auto text =
      LUZIA_TRY(git.output({"diff-tree", "-r", "-z", "--raw", "--no-renames", "--no-abbrev", from, to}));
  return parse_raw(text);
}

FileChange change_of(const RawChange& raw) {
  FileChange change;
  change.path = raw.path;
  if (raw.status == 'A') {
    change.kind = FileChange::Kind::added;
    return change;
  }
  change.kind = raw.status == 'D' ? FileChange::Kind::removed : FileChange::Kind::changed;
  change.mode = raw.old_mode;
  change.object = raw.old_object;
  return change;
}

/// Files of the snapshot that exist but are now ignored: they were not deleted.
Status include_ignored(FilesNow& now, const Snapshot& snapshot) {
  const auto raw = LUZIA_TRY(raw_changes(now.git(), snapshot.tree, now.tree()));
  std::vector<std::string> present;
  for (const RawChange& change : raw) {
    struct stat status {};
    const std::string path = now.git().directory() + "/" + change.path;
    const bool is_file = ::lstat(path.c_str(), &status) == 0 && !S_ISDIR(status.st_mode);
    if (change.status == 'D' && is_file && !now.left_out().contains(change.path)) {
      present.push_back(change.path);
    }
  }
  return present.empty() ? Status() : now.include(present);
}

/// The current tree with `changes` reverted; files left alone stay.
Result<std::string> reverted_tree(const ChangesSince& since) {
  Git git = since.now.git();
  git.set("GIT_INDEX_FILE", since.now.scratch("reverted"));
  LUZIA_TRY(git.output({"read-tree", since.now.tree()}));
  // Removals first: a folder may replace a file.
  std::string removals, others;
  const std::string none(since.now.tree().size(), '0');
  for (const FileChange& change : since.changes) {
    if (change.object.empty()) {
      removals.append("0 ").append(none).append("\t").append(change.path).push_back('\0');
    } else {
      others.append(change.mode).append(" ").append(change.object).append("\t");
      others.append(change.path).push_back('\0');
    }
  }
  LUZIA_TRY(git.output({"update-index", "-z", "--replace", "--index-info"}, removals + others));
  return git.line({"write-tree"});
}

}  // namespace

const char* change_word(FileChange::Kind kind) {
  switch (kind) {
    case FileChange::Kind::changed:
      return "changed";
    case FileChange::Kind::removed:
      return "removed";
    case FileChange::Kind::added:
      return "added";
  }
  return "";
}

Result<ChangesSince> changes_since(const Repository& repository, const Snapshot& snapshot,
                                   const std::vector<std::string>& paths, NewObjects objects,
                                   GitDeadline deadline) {
  auto now = LUZIA_TRY(FilesNow::look(repository, snapshot.max_file, objects, deadline));
  LUZIA_TRY(include_ignored(now, snapshot));
  const auto raw = LUZIA_TRY(raw_changes(now.git(), snapshot.tree, now.tree()));
  ChangesSince since{std::move(now), {}, {}};
  std::set<std::string> alone(since.now.left_out());
  for (const std::string& path : snapshot.left_out) alone.insert(path);
  for (const RawChange& change : raw) {
    if (!is_meant(paths, change.path)) continue;
    if (change.mode == kSubmodule || change.old_mode == kSubmodule) {
      alone.insert(change.path + "/");
    } else if (!is_left_out(alone, change.path)) {
      since.changes.push_back(change_of(change));
    }
  }
  for (const std::string& path : alone) {
    if (is_meant(paths, path)) since.left_alone.push_back(path);
  }
  return since;
}

Status print_changes(const ChangesSince& since, DiffForm form, const Git::Taker& take) {
  const auto before = LUZIA_TRY(reverted_tree(since));
  Git::Words words = {"diff-tree", "-r", "--no-ext-diff", "--no-textconv", "--no-color", "-M"};
  switch (form) {
    case DiffForm::patch:
      words.emplace_back("-p");
      break;
    case DiffForm::stat:
      words.emplace_back("--stat");
      break;
    case DiffForm::names:
      words.emplace_back("--name-only");
      break;
    case DiffForm::numbers:
      words.insert(words.end(), {"--numstat", "--no-renames", "-z"});
      break;
  }
  words.insert(words.end(), {before, since.now.tree()});
  return since.now.git().pass(words, take);
}

Status put_back(const ChangesSince& since) {
  const auto target = LUZIA_TRY(reverted_tree(since));
  const auto done = since.now.git().output({"read-tree", "-m", "-u", since.now.tree(), target});
  return done ? Status() : tl::unexpected(done.error());
}

}  // namespace luzia
