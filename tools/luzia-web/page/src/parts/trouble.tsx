import type { Problem } from '../base/api.ts';
import { href, route } from '../base/route.ts';

interface Props {
  problem: Problem | null;
  loading: boolean;
  heading?: string;
}

/// In place of a view that has nothing to show. `heading`: of a whole screen, for screen readers.
export function Trouble({ problem, loading, heading }: Props) {
  return (
    <>
      {heading && <h1 class="hidden">{heading}</h1>}
      {!problem && loading ? (
        <p class="empty" role="status">
          Reading…
        </p>
      ) : (
        <div class="trouble" role="alert">
          <p>{problem?.message ?? 'There is nothing to show.'}</p>
          {problem?.hint && <p class="quiet">{problem.hint}</p>}
          {problem?.status === 404 && <a href={href(route.value.path[0] ?? '')}>Back to the list</a>}
        </div>
      )}
    </>
  );
}

/// Why the server did not do what was asked.
export function Refusal({ problem, id }: { problem: Problem | null; id?: string }) {
  if (!problem) return null;
  return (
    <p class="problem" role="alert" id={id}>
      {problem.message} {problem.hint && <span class="quiet">{problem.hint}</span>}
    </p>
  );
}
