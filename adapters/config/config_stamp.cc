#include "adapters/config/config_stamp.h"

#include <sys/stat.h>

#include "adapters/config/config.h"

namespace luzia {

std::string config_stamp(const std::string& explicit_file) {
  std::string stamp;
  for (const ConfigFile& file : config_files(explicit_file)) {
    struct stat status {};
    stamp += file.path;
    if (::stat(file.path.c_str(), &status) == 0) {
      for (const auto number :
           {static_cast<long long>(status.st_dev), static_cast<long long>(status.st_ino),
            static_cast<long long>(status.st_size), static_cast<long long>(status.st_mtim.tv_sec),
            static_cast<long long>(status.st_mtim.tv_nsec)}) {
        stamp += ' ' + std::to_string(number);
      }
    }
    stamp += '\n';
  }
  return stamp;
}

}  // namespace luzia
