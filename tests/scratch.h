// Tests that have a folder of their own.
#pragma once

#include "tests/matchers.h"
#include "tests/scratch_folder.h"

namespace luzia {

class ScratchTest : public testing::Test {
 protected:
  std::string path(const std::string& name) const { return folder_.file(name); }
  std::string write(const std::string& name, const std::string& text) const {
    return folder_.write(name, text);
  }

 private:
  const ScratchFolder folder_;

 protected:
  const std::string scratch_ = folder_.path();
};

}  // namespace luzia
