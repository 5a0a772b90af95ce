// The lines of a diff as a table: unified, or the old beside the new.
import { signal } from '@preact/signals';
import { keep, kept } from '../base/kept.ts';
import { harmless } from '../base/text.tsx';
import { sidesOf, type DiffLine, type Hunk } from './diff.ts';

const kMostCharacters = 2000; // of a line

export const splitShown = signal(kept('diff') === 'split');

export function switchSplit(): void {
  splitShown.value = !splitShown.value;
  keep('diff', splitShown.value ? 'split' : 'unified');
}

function Code({ line }: { line: DiffLine | null }) {
  if (!line) return <td class="code none" />;
  return (
    <td class={`code ${line.kind}`}>
      {line.kind !== 'same' && <span class="hidden">{line.kind} </span>}
      {harmless(line.text.slice(0, kMostCharacters)) || ' '}
    </td>
  );
}

function LineNumber({ of, line }: { of: number | null | undefined; line: DiffLine | null }) {
  return <td class={`no ${line?.kind ?? 'none'}`}>{of ?? ''}</td>;
}

export function Unified({ hunks }: { hunks: Hunk[] }) {
  return (
    <table class="diff-table">
      <tbody>
        {hunks.map((hunk, index) => [
          <Head key={`h${index}`} hunk={hunk} columns={3} />,
          ...hunk.lines.map((line, at) => (
            <tr key={`${index}.${at}`} class={line.kind}>
              <LineNumber of={line.old} line={line} />
              <LineNumber of={line.now} line={line} />
              <Code line={line} />
            </tr>
          )),
        ])}
      </tbody>
    </table>
  );
}

export function Split({ hunks }: { hunks: Hunk[] }) {
  return (
    <table class="diff-table split">
      <colgroup>
        <col class="no-column" />
        <col />
        <col class="no-column" />
        <col />
      </colgroup>
      <tbody>
        {hunks.map((hunk, index) => [
          <Head key={`h${index}`} hunk={hunk} columns={4} />,
          ...sidesOf(hunk.lines).map(({ left, right }, at) => (
            <tr key={`${index}.${at}`}>
              <LineNumber of={left?.old} line={left} />
              <Code line={left} />
              <LineNumber of={right?.now} line={right} />
              <Code line={right} />
            </tr>
          )),
        ])}
      </tbody>
    </table>
  );
}

function Head({ hunk, columns }: { hunk: Hunk; columns: number }) {
  return (
    <tr class="hunk">
      <td colSpan={columns}>{harmless(hunk.head)}</td>
    </tr>
  );
}
