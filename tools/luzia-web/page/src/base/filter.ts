// The filter of lists, in the words of the command line: `project:web state:failed,lost since:2h`.

export const kFilterWords = ['project', 'agent', 'state', 'tag', 'since', 'until', 'job'] as const;
const kStates = [
  'queued',
  'starting',
  'running',
  'waiting',
  'parked',
  'completed',
  'failed',
  'killed',
  'timed_out',
  'lost',
  'skipped',
  'cancelled',
];

export interface Filter {
  query: URLSearchParams;
  wrong: string | null;
}

/// What the words ask the API for. `wrong`: what is no filter, and what would be one.
export function filterOf(text: string): Filter {
  const query = new URLSearchParams();
  let wrong: string | null = null;
  for (const word of text.trim().split(/\s+/).filter(Boolean)) {
    const colon = word.indexOf(':');
    const key = word.slice(0, colon).replace(/^--?/, '');
    const value = word.slice(colon + 1);
    if (colon > 0 && value && (kFilterWords as readonly string[]).includes(key)) query.append(key, value);
    else if (kStates.includes(word)) query.append('state', word);
    else if (colon < 0 && /^[0-9a-z]{5,13}$/.test(word)) query.append('job', word);
    else if (colon > 0 && !value) wrong ??= `${word} needs a value`;
    else wrong ??= `“${word}” is no filter; filters are ${kFilterWords.map((each) => `${each}:`).join(' ')}`;
  }
  return { query, wrong };
}

/// The text with a word of that key and value added, or removed if it is there.
export function toggled(text: string, word: string): string {
  const words = text.trim().split(/\s+/).filter(Boolean);
  const key = `${word.split(':')[0]}:`;
  return (
    words.includes(word)
      ? words.filter((each) => each !== word)
      : [...words.filter((each) => !each.startsWith(key)), word]
  ).join(' ');
}
