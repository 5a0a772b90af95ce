// Text of agents, made harmless: the page never treats it as markup, control characters are visible, and it cannot
// change the direction of what stands beside it.

// C0 without tab and line feed, DEL, C1, marks and controls of direction, invisible tags and separators.
const kControls = new RegExp(
  '[\\u0000-\\u0008\\u000b-\\u001f\\u007f-\\u009f\\u061c\\u200b\\u200e\\u200f\\u2028-\\u202e' +
    '\\u2060-\\u2069\\ufeff\\u{e0000}-\\u{e007f}]',
  'gu',
);

function visible(control: string): string {
  const code = control.codePointAt(0)!;
  if (code < 0x20) return String.fromCharCode(0x2400 + code);
  if (code === 0x7f) return '\u2421';
  return `<U+${code.toString(16).toUpperCase().padStart(4, '0')}>`;
}

export function harmless(text: string): string {
  return text.replaceAll('\r\n', '\n').replace(kControls, visible);
}

/// At most `most` characters, without half of a pair.
export function clipped(text: string, most: number): string {
  if (text.length <= most) return text;
  const end = (text.charCodeAt(most - 1) & 0xfc00) === 0xd800 ? most - 1 : most;
  return `${text.slice(0, end)}…`;
}

/// Without halves of pairs, which no UTF-8 has.
export const wellFormed = (text: string): string => new TextDecoder().decode(new TextEncoder().encode(text));
export const bytesOf = (text: string): number => new TextEncoder().encode(text).length;

export const firstLine = (text: string): string => text.trimStart().split('\n', 1)[0]!.trimEnd();

/// "the load is high" -> "The load is high."
export function sentence(text: string): string {
  const said = text.trim();
  return said && `${said[0]!.toUpperCase()}${said.slice(1)}${/[.!?…:]$/.test(said) ? '' : '.'}`;
}

/// Text of an agent or a person. `line`: only its first line.
export function Said(props: { text: string | null | undefined; most?: number; line?: boolean; class?: string }) {
  const text = props.text ?? '';
  const shown = clipped(props.line ? firstLine(text) : text, props.most ?? 20_000);
  return <bdi class={props.class}>{harmless(shown)}</bdi>;
}

/// What the daemon says for the command line, without the commands that it names: the page has buttons.
export function withoutCommands(text: string): string {
  const command = /(^|: |, |\()luzia(-query)? [a-z]/;
  return text
    .split('; ')
    .map((clause, index) => {
      if (!command.test(clause)) return clause;
      const said = clause.slice(0, Math.max(0, clause.lastIndexOf(': ', clause.search(command))));
      return index === 0 && !command.test(said) ? said : '';
    })
    .filter(Boolean)
    .join('; ');
}
