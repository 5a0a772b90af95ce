#include "tools/luzia-query/new_folders.h"

#include <unistd.h>

#include <filesystem>

namespace luzia {

NewFolders::NewFolders(const std::string& path) {
  std::error_code ignored;
  for (std::filesystem::path folder = path; !folder.empty() && !std::filesystem::exists(folder, ignored);
       folder = folder.parent_path()) {
    if (folder.has_filename()) missing_.push_back(folder);
  }
}

NewFolders::~NewFolders() {
  for (const std::string& folder : missing_) ::rmdir(folder.c_str());
}

}  // namespace luzia
