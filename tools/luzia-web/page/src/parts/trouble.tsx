import type { Problem } from '../base/api.ts';

/// In place of a view that has nothing to show.
export function Trouble({ problem, loading }: { problem: Problem | null; loading: boolean }) {
  if (!problem && loading)
    return (
      <p class="empty" role="status">
        Reading…
      </p>
    );
  return (
    <div class="trouble" role="alert">
      <p>{problem?.message ?? 'There is nothing to show.'}</p>
      {problem?.hint && <p class="quiet">{problem.hint}</p>}
    </div>
  );
}
