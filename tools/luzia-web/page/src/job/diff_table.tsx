// The lines of a diff as a table: unified, or the old beside the new.
import { signal } from '@preact/signals';
import { keep, kept } from '../base/kept.ts';
import { harmless } from '../base/text.tsx';
import { Below, isPicked, LineNumber, type Told } from './comment_parts.tsx';
import { sidesOf, type DiffLine, type Hunk } from './diff.ts';

const kMostCharacters = 2000; // of a line

export const splitShown = signal(kept('diff') === 'split');

export function switchSplit(): void {
  splitShown.value = !splitShown.value;
  keep('diff', splitShown.value ? 'split' : 'unified');
}

/// `told`: the file of a job to whose agent people may say something; null: they may not.
interface Props {
  hunks: Hunk[];
  told: Told | null;
}

function Code({ line, picked }: { line: DiffLine | null; picked: boolean }) {
  if (!line) return <td class="code none" />;
  return (
    <td class={`code ${line.kind}${picked ? ' picked' : ''}`}>
      {line.kind !== 'same' && <span class="hidden">{line.kind} </span>}
      {harmless(line.text.slice(0, kMostCharacters)) || ' '}
    </td>
  );
}

export function Unified({ hunks, told }: Props) {
  return (
    <table class="diff-table">
      <tbody>
        {hunks.map((hunk, index) => [
          <Head key={`h${index}`} hunk={hunk} columns={3} />,
          ...hunk.lines.map((line, at) => {
            const shared = { hunk, line, at, column: 'both', first: index + at === 0 };
            return [
              <tr key={`${index}.${at}`} class={line.kind}>
                <LineNumber {...shared} told={line.now === null ? told : null} side="old" />
                <LineNumber {...shared} told={told} side="now" />
                <Code line={line} picked={isPicked(told, hunk, at)} />
              </tr>,
              <Below key={`${index}.${at}b`} told={told} hunk={hunk} lines={[line]} columns={3} />,
            ];
          }),
        ])}
      </tbody>
    </table>
  );
}

export function Split({ hunks, told }: Props) {
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
          ...splitRows(hunk, index, told),
        ])}
      </tbody>
    </table>
  );
}

function splitRows(hunk: Hunk, index: number, told: Told | null) {
  const places = new Map(hunk.lines.map((line, at) => [line, at]));
  return sidesOf(hunk.lines).map(({ left, right }, row) => {
    const [from, to] = [left, right].map((line) => (line ? places.get(line)! : -1)) as [number, number];
    const shared = { told, hunk, first: index + row === 0 };
    return [
      <tr key={`${index}.${row}`}>
        <LineNumber {...shared} line={left} at={from} side="old" column="old" />
        <Code line={left} picked={isPicked(told, hunk, from)} />
        <LineNumber {...shared} line={right} at={to} side="now" column="now" />
        <Code line={right} picked={isPicked(told, hunk, to)} />
      </tr>,
      <Below
        key={`${index}.${row}b`}
        told={told}
        hunk={hunk}
        lines={left === right ? [left] : [left, right]}
        columns={4}
      />,
    ];
  });
}

function Head({ hunk, columns }: { hunk: Hunk; columns: number }) {
  return (
    <tr class="hunk">
      <td colSpan={columns}>{harmless(hunk.head)}</td>
    </tr>
  );
}
