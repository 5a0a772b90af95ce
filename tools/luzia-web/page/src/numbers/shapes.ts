// Rows of Numbers, as the API gives them.

/// How a step of flows went, over all flows of a project.
export interface StepStatistic {
  project: string;
  step: string;
  started: number;
  completed: number;
  failed: number;
  skipped: number;
  completion_rate: number | null;
  timed: number;
  p50_ms: number;
  p95_ms: number;
}

/// How a person answered.
export interface AnswerStatistic {
  key: string;
  answered: number;
  kept: number;
  missed: number;
  mean_seconds: number | null;
}

/// An answer to a question, or a decision about an approval.
export interface Decision {
  id: string;
  job: string | null; // null: of a step of a flow
  flow?: string;
  project: string;
  what: string | null;
  tool: string | null;
  decision: string;
  answer: string | null;
  by: string | null;
  policy: string | null;
  decided_us: number;
}

export interface IssueStatistic {
  key: string;
  issues: number;
  occurrences: number;
  severity: string;
  fixes_tried: number;
  fixed: number;
  fix_rate: number | null;
  mean_fix_seconds: number | null;
  last_week: number;
  week_before: number;
}
