// Blacks out secrets in what was decoded from output. In the file a value may have stood otherwise: with
// terminal sequences inside, or with escapes of JSON that nobody needs. Any thread.
#pragma once

#include <vector>

#include "engine/base/redactor.h"
#include "engine/job/job.h"

namespace luzia {

/// Overwrites values in the texts of all facts. A fact that cannot be read any more after that is left out.
void black_out_findings(const Redactor& redactor, std::vector<RecordOutput::Finding>& findings);

}  // namespace luzia
