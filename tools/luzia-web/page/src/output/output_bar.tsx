// Above an output: find a word, the next finding, the ends.
import { useRef, useState } from 'preact/hooks';
import { bytes, count } from '../base/format.ts';
import type { Issue } from '../base/shapes.ts';
import { Icon } from '../parts/icons.tsx';
import { findIn } from './find.ts';
import type { Output } from './use_output.ts';
import type { Place } from './window.ts';

interface Props {
  out: Output;
  place: Place;
  live: boolean;
  issues: Issue[];
  top: () => number;
}

export function OutputBar({ out, place, live, issues, top }: Props) {
  const next = () => {
    const offsets = issues.map((issue) => issue.first_offset).sort((a, b) => a - b);
    const to = offsets.find((offset) => offset > (out.mark?.[0] ?? -1)) ?? offsets[0];
    if (to !== undefined) out.toByte(to);
  };
  return (
    <div class="term-bar">
      <Find out={out} place={place} top={top} />
      {issues.length > 0 && (
        <button class="chip-button" type="button" onClick={next}>
          <Icon name="alert" /> Next finding
        </button>
      )}
      <span class="quiet term-size">
        {bytes(out.window.size)}
        {live && out.following ? ', live' : ''}
      </span>
      <button
        class="icon-button"
        type="button"
        title="To the beginning"
        aria-label="To the beginning"
        onClick={out.toTop}>
        <Icon name="top" />
      </button>
      <button class="icon-button" type="button" title="To the end" aria-label="To the end" onClick={out.toEnd}>
        <Icon name="end" />
      </button>
    </div>
  );
}

function Find({ out, place, top }: { out: Output; place: Place; top: () => number }) {
  const [word, setWord] = useState('');
  const [state, setState] = useState('');
  const search = useRef(0);
  const find = async () => {
    const own = ++search.current;
    setState('searching');
    const from = out.mark ? out.mark[0] + 1 : out.following ? 0 : top();
    const progress = (at: number, size: number) => {
      setState(`searching, ${Math.floor((at / size) * 100)} %`);
      return search.current === own;
    };
    // To the end, then from the beginning on.
    const found = await findIn(place, word, from, progress)
      .then((further) => further ?? (from > 0 && search.current === own ? findIn(place, word, 0, progress) : null))
      .catch(() => null);
    if (search.current !== own) return;
    setState(found ? `byte ${count(found[0])}` : 'not found');
    if (found) out.toByte(...found);
  };
  const stop = () => {
    ++search.current;
    setState('');
  };
  return (
    <form class="term-find" role="search" onSubmit={(event) => (event.preventDefault(), void find())}>
      <input
        type="search"
        value={word}
        placeholder="Find in output"
        aria-label="Find in output"
        name="find"
        onInput={(event) => setWord(event.currentTarget.value)}
        onKeyDown={(event) => event.key === 'Escape' && stop()}
      />
      <span class="quiet" role="status">
        {state}
      </span>
    </form>
  );
}
