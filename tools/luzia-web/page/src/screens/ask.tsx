// Ask: everything that waits for an answer, the earliest deadline first, with room for a thumb.
import { Trouble } from '../parts/trouble.tsx';
import { Icon } from '../parts/icons.tsx';
import { asked, AskList, Count, useOverview } from './now.tsx';

export function Ask() {
  const { value, problem, loading } = useOverview();
  if (!value) return <Trouble problem={problem} loading={loading} heading="Ask" />;
  const open = asked(value).length + value.manual_steps.length;
  return (
    <div class="ask-screen">
      <h1>
        Ask <Count n={open} tone="need" />
      </h1>
      {open === 0 ? (
        <p class="calm">
          <Icon name="completed" /> Nothing waits for you.
        </p>
      ) : (
        <AskList overview={value} />
      )}
    </div>
  );
}
