// The filter of lists: `project:web state:failed,lost since:2h`, and words that the task has. A value with blanks
// stands in quotes: `step:"write docs"`.
import { words as inWords } from './format.ts';
import { searchable } from '../search/results.ts';

const kFilterWords = [
  'project',
  'agent',
  'state',
  'tag',
  'since',
  'until',
  'ended-since',
  'ended-before',
  'job',
  'model',
  'step',
  'schedule',
] as const;
type Key = (typeof kFilterWords)[number];
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

/// `token`: as it is typed. `key`: of a filter; 'words': text that the task has; null: neither, for the reason `wrong`.
interface Word {
  token: string;
  key: Key | 'words' | null;
  value: string;
  wrong: string;
}

function wordOf(token: string): Word {
  const word = (key: Word['key'], value: string, wrong = ''): Word => ({ token, key, value, wrong });
  if (token.startsWith('"')) return word('words', token.replaceAll('"', ''));
  const colon = token.indexOf(':');
  const key = token.slice(0, colon).replace(/^--?/, '');
  const value = token.slice(colon + 1).replaceAll('"', '');
  const known = kFilterWords.find((each) => each === key);
  if (known) return value ? word(known, value) : word(null, '', `${token} needs a value`);
  if (kStates.includes(token)) return word('state', token);
  if (/^\d[0-9a-z]{12}$/.test(token)) return word('job', token);
  if (!/^[a-z]+:[^/]/.test(token)) return word('words', token);
  const filters = kFilterWords.join(', ');
  return word(null, '', `“${token}” is no filter; filters are ${filters}. Put it in quotes to search for it.`);
}

const tokensOf = (text: string): string[] => text.match(/(?:[a-z]+:)?"[^"]*"?|\S+/g) ?? [];

/// The filter by a value, as it is typed; empty: there is none, for the API takes commas as a list.
export const wordFor = (key: Key, value: string): string =>
  /[,"]/.test(value) ? '' : `${key}:${/\s/.test(value) ? `"${value}"` : value}`;

export interface Filter {
  query: URLSearchParams;
  words: string;
  wrong: string | null;
}

/// What the text asks the API for: filters, and words that the task must have. `wrong`: what is neither, and why.
export function filterOf(text: string): Filter {
  const query = new URLSearchParams();
  const found: string[] = [];
  let wrong: string | null = null;
  for (const word of tokensOf(text).map(wordOf)) {
    if (word.key === null) wrong ??= word.wrong;
    else if (word.key === 'words') found.push(word.value);
    else query.append(word.key, word.value);
  }
  const words = found.join(' ').trim();
  const few = words.length > 0 && !searchable(words);
  if (few) wrong ??= 'One letter is too little to search for';
  if (words && query.has('job')) wrong ??= 'A job that is named is not searched for words';
  return { query, words: few || query.has('job') ? '' : words, wrong };
}

const kAgo: Record<string, string> = { m: 'minutes', h: 'hours', d: 'days', w: 'weeks' };

/// "2h" -> "the last 2 hours", "today" -> "today", a date as it is.
function since(value: string): string {
  const [, number, unit] = /^(\d+)([mhdw])$/.exec(value) ?? [];
  if (!number || !unit) return value === 'today' || value === 'yesterday' ? value : `since ${value}`;
  const units = kAgo[unit]!;
  return number === '1' ? `the last ${units.slice(0, -1)}` : `the last ${number} ${units}`;
}

/// A midnight as the sums of days have it, or the value as it is.
const moment = (value: string): string => value.replace(/T00:00:00Z$/, ' UTC');

const kStateNames: Record<string, string> = { waiting: 'needs you' };
const kNames: Record<Key | 'words', (value: string) => string> = {
  project: (value) => `project ${value}`,
  agent: (value) => `agent ${value}`,
  state: (value) =>
    value
      .split(',')
      .map((each) => kStateNames[each] ?? inWords(each))
      .join(' or '),
  tag: (value) => `tag ${value}`,
  since,
  until: (value) => `until ${value}`,
  'ended-since': (value) => `ended since ${moment(value)}`,
  'ended-before': (value) => `ended before ${moment(value)}`,
  job: (value) => `job ${value}`,
  model: (value) => `model ${value}`,
  step: (value) => `step ${value}`,
  schedule: (value) => `schedule ${value}`,
  words: (value) => `“${value}”`,
};

/// What people call the filter that is typed as `token`.
export function nameOf(token: string): string {
  const { key, value } = wordOf(token);
  const name = key === null ? token : kNames[key](value);
  return name.charAt(0).toUpperCase() + name.slice(1);
}

/// The filters and words of the text, as they are typed.
export const wordsOf = (text: string): string[] => tokensOf(text).filter((token) => wordOf(token).key !== null);

/// The text with a word of that key and value added, or removed if it is there.
export function toggled(text: string, word: string): string {
  const words = tokensOf(text);
  const key = `${word.split(':')[0]}:`;
  return (
    words.includes(word)
      ? words.filter((each) => each !== word)
      : [...words.filter((each) => !each.startsWith(key)), word]
  ).join(' ');
}
