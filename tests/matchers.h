// GoogleTest, with the matchers that many tests use by their short names.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace luzia {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;
using testing::StartsWith;
using testing::UnorderedElementsAre;

}  // namespace luzia
