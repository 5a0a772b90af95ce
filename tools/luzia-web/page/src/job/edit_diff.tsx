// One replacement as removed and added lines.
import { harmless } from '../base/text.tsx';

const kMost = 200; // lines of each side

export function DiffOfEdit({ before, after }: { before: string; after: string }) {
  const side = (text: string, kind: 'removed' | 'added') => {
    const lines = text.split('\n');
    const shown = lines.slice(0, kMost).map((line, index) => (
      <span key={index} class={`diff-line ${kind}`}>
        {kind === 'added' ? '+' : '−'} {harmless(line)}
        {'\n'}
      </span>
    ));
    return (
      <>
        {shown}
        {lines.length > kMost && (
          <span class="diff-line">
            … {lines.length - kMost} more{'\n'}
          </span>
        )}
      </>
    );
  };
  return (
    <pre class="diff" tabIndex={0}>
      {before && side(before, 'removed')}
      {after && side(after, 'added')}
    </pre>
  );
}
