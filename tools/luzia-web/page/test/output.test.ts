import assert from 'node:assert/strict';
import { test } from 'node:test';
import { clipped, harmless } from '../src/base/text.tsx';
import { ansiPieces, newPen } from '../src/output/ansi.ts';
import { groupName, groupsOf, rowStarts } from '../src/output/folds.ts';
import { countLines, findLine, markOf } from '../src/output/find.ts';
import { linesOf, rowsOf, wrapped } from '../src/output/lines.ts';
import { lineOfRow } from '../src/output/use_output.ts';
import { OutputWindow } from '../src/output/window.ts';
import { moment } from '../src/base/api.ts';

const bytes = (text: string) => new TextEncoder().encode(text);
const pieces = (line: string) => ansiPieces(line, newPen());
const shown = (line: string) =>
  pieces(line)
    .map((piece) => piece.text)
    .join('');

test('ColoursAndBoldBecomeClasses', () => {
  assert.deepEqual(pieces('\x1b[1;31mred\x1b[0m plain'), [
    { text: 'red', style: 'ansi-f1 ansi-bold' },
    { text: ' plain', style: '' },
  ]);
  assert.equal(pieces('\x1b[38;5;196mx')[0]!.style, 'ansi-f1');
  assert.equal(pieces('\x1b[38;2;90;255;90mx')[0]!.style, 'ansi-f10');
  assert.equal(pieces('\x1b[7mx')[0]!.style, 'ansi-inverse');
});

test('ThePenGoesOnFromLineToLine', () => {
  const pen = newPen();
  ansiPieces('\x1b[32mgreen', pen);
  assert.equal(ansiPieces('still', pen)[0]!.style, 'ansi-f2');
});

test('OtherSequencesAreDropped', () => {
  for (const hostile of [
    '\x1b[2J',
    '\x1b[H',
    '\x1b]0;title\x07',
    '\x1b]8;;http://x\x1b\\',
    '\x1bP1$r\x1b\\',
    '\x1b_x\x1b\\',
    '\x9b2J',
    '\x1bc',
    '\x1b(0',
    '\x1b[?1049h',
    '\x1b[201~',
  ]) {
    assert.equal(shown(`a${hostile}b`), 'ab', JSON.stringify(hostile));
  }
  assert.equal(shown('cut off \x1b[3'), 'cut off ');
  assert.equal(shown('cut off \x1b]0;never ends'), 'cut off ');
});

test('NoControlCharacterIsLeft', () => {
  for (let code = 0; code < 0xa0; ++code) {
    if (code === 0x0a) continue;
    // eslint-disable-next-line no-control-regex
    assert.doesNotMatch(shown(`a${String.fromCharCode(code)}b`), /[\u0000-\u001f\u007f-\u009f]/, String(code));
  }
});

test('MarksOfDirectionAreVisible', () => {
  assert.equal(harmless('a\u202eb\u2066c\u200fd'), 'a<U+202E>b<U+2066>c<U+200F>d');
  assert.equal(harmless('tag\u{e0041}'), 'tag<U+E0041>');
  assert.equal(harmless('kept:\t\nשלום é 😀'), 'kept:\t\nשלום é 😀');
});

test('OnlyTheLastStateOfARedrawnLineIsShown', () => {
  assert.equal(shown('10 %\r50 %\r100 %\r'), '100 %');
});

test('LinesKnowTheirBytes', () => {
  const lines = linesOf(bytes('é1\n\nlast'), 100);
  assert.deepEqual(
    lines.map((line) => [line.at, line.end, line.ended]),
    [
      [100, 104, true],
      [104, 105, true],
      [105, 109, false],
    ],
  );
});

test('ALongLineIsCutBetweenCharacters', () => {
  const text = 'ä'.repeat(20_000);
  const lines = linesOf(bytes(`x${text}\n`), 0);
  assert.ok(lines.length > 2);
  assert.equal(lines.flatMap((line) => line.pieces.map((piece) => piece.text)).join(''), `x${text}`);
  assert.deepEqual(
    lines.map((line) => line.at),
    [0, ...lines.slice(0, -1).map((line) => line.end)],
  );
});

test('InvalidBytesAreShownAsReplacements', () => {
  assert.equal(linesOf(new Uint8Array([0xff, 0x41, 0xfe]), 0)[0]!.pieces[0]!.text, '\ufffdA\ufffd');
});

test('RowsAreAsWideAsTheTerminal', () => {
  const line = linesOf(bytes('\x1b[31m漢字漢字\x1b[0mabcd'), 0)[0]!;
  assert.equal(line.cells, 12);
  assert.equal(rowsOf(line, 5), 3);
  assert.deepEqual(
    wrapped(line, 5).map((row) => row.map((piece) => piece.text).join('')),
    ['漢字', '漢字a', 'bcd'],
  );
});

/// Answers requests one after the other, and notes what they asked.
function answering(answers: object[]): URLSearchParams[] {
  const asked: URLSearchParams[] = [];
  globalThis.fetch = async (path) => {
    asked.push(new URL(String(path), 'http://127.0.0.1').searchParams);
    return new Response(JSON.stringify(answers[asked.length - 1]));
  };
  return asked;
}
const place = { job: 'j', attempt: 2 };
const line = { offset: 70, end: 90, before: '', words: '\u00e9a', after: '' };
const { signal } = new AbortController();

test('ASearchGoesOnUntilALineIsFound', async () => {
  const seen: number[] = [];
  const asked = answering([
    { lines: [], reached: 50, over: false, size: 200 },
    { lines: [line], reached: 90, over: false, size: 200 },
  ]);
  assert.deepEqual(await findLine(place, '\u00e9a', 10, 'next', signal, (at) => seen.push(at)), line);
  assert.deepEqual(
    asked.map((query) => [query.get('from'), query.get('limit'), query.get('attempt'), query.get('words')]),
    [
      ['10', '1', '2', '\u00e9a'],
      ['50', '1', '2', '\u00e9a'],
    ],
  );
  assert.deepEqual(seen, [50]);
  assert.deepEqual(markOf(line), [70, 73], 'bytes, not characters');
});

test('ASearchEndsWhereNothingIsLeft', async () => {
  answering([{ lines: [], reached: 0, over: true, size: 200 }]);
  assert.equal(await findLine(place, 'a', null, 'previous', signal, assert.fail), null);
});

test('LinesAreCountedOnFromWhereACountEnded', async () => {
  const seen: number[] = [];
  const asked = answering([
    { lines: [], count: 3, reached: 100, over: false, size: 200 },
    { lines: [], count: 4, reached: 200, over: true, size: 200 },
  ]);
  await countLines(place, 'a', { lines: 2, reached: 20, whole: true }, signal, (count) => seen.push(count.lines));
  assert.deepEqual(seen, [5, 9]);
  assert.deepEqual(
    asked.map((query) => query.get('from')),
    ['20', '100'],
  );
});

test('TextIsNotClippedWithinACharacter', () => {
  assert.equal(clipped('ab😀', 3), 'ab…');
});

test('AFoldedGroupHasOneRow', () => {
  const lines = linesOf(bytes('a\n::group::Install\nb\nccccc\n::endgroup::\nd\n::group::Open\ne\n'), 0);
  const groups = groupsOf(lines, 100);
  assert.deepEqual(groups, [{ head: 1, end: 5 }]);
  assert.equal(groupName(lines[1]!), 'Install');
  assert.equal(groupName(lines[0]!), null);
  const folded = rowStarts(lines, groups, new Set(), 3);
  assert.deepEqual(folded, [0, 1, 2, 2, 2, 2, 3, 8, 9]);
  // A row is of the line that is drawn there, not of one that is folded away.
  assert.deepEqual(
    [0, 1, 2, 3].map((row) => lineOfRow(folded, row)),
    [0, 1, 5, 6],
  );
  assert.deepEqual(rowStarts(lines, groups, new Set([lines[1]!.at]), 100), [0, 1, 2, 3, 4, 5, 6, 7, 8]);
  assert.deepEqual(groupsOf(lines, 1 << 30), [], 'not in an output that is never loaded as a whole');
});

test('OutputOfThePastIsAskedForAsItWasThen', async () => {
  const asked: string[] = [];
  let status = 200;
  globalThis.fetch = (async (path: string) => {
    asked.push(path);
    if (status !== 200) return new Response(JSON.stringify({ code: 'no_such_attempt', detail: 'none' }), { status });
    return new Response('one\n', { headers: { 'luzia-offset': '0', 'luzia-size': '4' } });
  }) as unknown as typeof fetch;
  const place = { job: 'j1', attempt: 2 };
  await new OutputWindow(place).openEnd();
  assert.doesNotMatch(asked.at(-1)!, /at=/);
  moment.value = '2026-11-27T03:12:00.000Z';
  try {
    const then = new OutputWindow(place);
    await then.openEnd();
    assert.match(asked.at(-1)!, /&at=2026-11-27T03%3A12%3A00.000Z$/);
    assert.deepEqual([then.lines.length, then.size], [1, 4]);
    await findLine(place, 'one', 0, 'next', new AbortController().signal, () => undefined).catch(() => undefined);
    assert.match(asked.at(-1)!, /\/output\/find\?.*&at=/);
    status = 404;
    await then.openEnd();
    assert.deepEqual([then.lines.length, then.size], [0, 0], 'the attempt began later');
  } finally {
    moment.value = null;
  }
  await assert.rejects(new OutputWindow(place).openEnd(), /none/, 'now there is no excuse');
});
