// A job's output as a terminal would show it, read by ranges of bytes. It follows the end while that grows.
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { counted } from '../base/format.ts';
import type { Issue } from '../base/shapes.ts';
import { Icon } from '../parts/icons.tsx';
import { groupName, type Group } from './folds.ts';
import { wrapped, type Line } from './lines.ts';
import { OutputBar } from './output_bar.tsx';
import { kRowHeight, lineOfRow, useOutput, type OutputProps } from './use_output.ts';
import { useSight, VirtualRows } from './virtual_rows.tsx';

const kGutter = 34; // pixels beside the text

/// How many characters fit into a row.
function useColumns(scroller: { current: HTMLElement | null }): number {
  const [columns, setColumns] = useState(100);
  useLayoutEffect(() => {
    const element = scroller.current!;
    const probe = element.querySelector<HTMLElement>('.term-probe')!;
    const look = () => {
      const one = probe.getBoundingClientRect().width / 100 || 8;
      setColumns(Math.max(20, Math.floor((element.clientWidth - kGutter) / one)));
    };
    look();
    const watch = new ResizeObserver(look);
    watch.observe(element);
    return () => watch.disconnect();
  }, []);
  return columns;
}

export function OutputView(props: OutputProps & { issues: Issue[] }) {
  const scroller = useRef<HTMLDivElement>(null);
  const columns = useColumns(scroller);
  const out = useOutput(props, scroller, columns);
  const [sight] = useSight(scroller, kRowHeight, out.moved);
  const { lines } = out.window;
  const row = (index: number) => {
    const at = lineOfRow(out.starts, index);
    const line = lines[at]!;
    const part = index - out.starts[at]!;
    const group = out.groups.get(at);
    const open = group !== undefined && out.isOpen(line);
    const lit = out.mark !== null && line.at < out.mark[1] && line.end > out.mark[0];
    const end = group && !open ? lines[group.end - 1]!.end : line.end;
    const issue = part === 0 && props.issues.find((each) => each.first_offset >= line.at && each.first_offset < end);
    return (
      <div class={lit ? 'term-row lit' : 'term-row'} key={`${line.at}.${part}`}>
        <span class="term-margin">{issue && <Finding issue={issue} />}</span>
        <span class="term-text">
          {group && part === 0 && <Head line={line} group={group} open={open} onToggle={() => out.toggle(line)} />}
          {!(group && part === 0) &&
            (wrapped(line, columns)[part] ?? []).map((piece) => (
              <span class={piece.style || undefined}>{piece.text}</span>
            ))}
        </span>
      </div>
    );
  };
  const top = () => lines[lineOfRow(out.starts, sight.first)]?.at ?? 0;
  return (
    <section class="term" aria-label="Output">
      <OutputBar out={out} place={props.place} live={props.live} issues={props.issues} top={top} />
      {out.problem && (
        <p class="problem" role="alert">
          {out.problem.message} {out.problem.hint}
        </p>
      )}
      <div class="term-scroll" ref={scroller} tabIndex={0} role="region" aria-label="Lines of output">
        <span class="term-probe" aria-hidden="true">
          {'0'.repeat(100)}
        </span>
        {lines.length > 0 ? (
          <VirtualRows total={out.starts.at(-1)!} rowHeight={kRowHeight} sight={sight} row={row} />
        ) : (
          <p class="empty">{out.ready ? 'No output yet.' : 'Reading…'}</p>
        )}
      </div>
      {props.live && !out.following && (
        <button class="chip-button term-follow" type="button" onClick={out.toEnd}>
          <Icon name="down" /> Follow the end
        </button>
      )}
    </section>
  );
}

/// The line that begins a group: it folds and unfolds the lines of the group.
function Head(props: { line: Line; group: Group; open: boolean; onToggle: () => void }) {
  const { line, group, open, onToggle } = props;
  return (
    <button type="button" class="term-group" aria-expanded={open} onClick={onToggle}>
      <Icon name={open ? 'down' : 'next'} /> {groupName(line)}{' '}
      <span class="term-count">{counted(group.end - group.head - 2, 'line')}</span>
    </button>
  );
}

function Finding({ issue }: { issue: Issue }) {
  const text = `${issue.description} ${issue.fix ?? ''}`;
  return (
    <span class={`finding ${issue.severity}`} title={text}>
      <Icon name="alert" label={text} />
    </span>
  );
}
