// Single keys, for whoever has a keyboard. They can be turned off, because speech input types letters too.
import { signal } from '@preact/signals';
import { kept, keep } from '../base/kept.ts';
import { mayActNow } from '../base/me.ts';
import { go, href, route } from '../base/route.ts';

export const helpShown = signal(false);
export const timeShown = signal(false);
export const newJobShown = signal(false);
export const paletteShown = signal(false);
/// What opens the palette, as the keyboard of this machine calls it.
export const kPaletteKey = /Mac|iP(hone|ad)/.test(globalThis.navigator?.platform ?? '') ? '⌘K' : 'Ctrl+K';
export const keysOn = signal(kept('keys') !== 'off');

export function switchKeys(on: boolean): void {
  keysOn.value = on;
  keep('keys', on ? 'on' : 'off');
}

const rows = (): HTMLElement[] => [
  ...document.querySelectorAll<HTMLElement>('main [data-row], main [data-card], main .entry > summary'),
];

/// Moves to the next or the previous row or card.
function step(by: 1 | -1): void {
  const all = rows();
  const at = all.findIndex((row) => row === document.activeElement || row.contains(document.activeElement));
  const next = all[at < 0 ? (by > 0 ? 0 : all.length - 1) : Math.min(all.length - 1, Math.max(0, at + by))];
  if (!next) return;
  if (next.dataset.card !== undefined) next.tabIndex = -1;
  next.focus();
  next.scrollIntoView({ block: 'nearest' });
}

/// To the first control of the card that has the focus, or of the first card; from elsewhere to Ask.
function answer(): void {
  const own =
    document.activeElement?.closest<HTMLElement>('[data-card]') ??
    document.querySelector<HTMLElement>('main [data-card]');
  if (!own) return go(href('ask'));
  own.querySelector<HTMLElement>('.answers button, .answers input, .answers textarea')?.focus();
}

function search(): void {
  const field = document.querySelector<HTMLInputElement>('main input[type=search]');
  if (field) field.focus();
  else paletteShown.value = true;
}

/// To the search over everything.
function searchAll(): void {
  if (route.value.path[0] !== 'search') go(href('search'));
  requestAnimationFrame(() =>
    requestAnimationFrame(() => document.querySelector<HTMLInputElement>('#search')?.focus()),
  );
}

const kKeys: Record<string, () => void> = {
  j: () => step(1),
  k: () => step(-1),
  a: answer,
  '/': search,
  s: searchAll,
  '?': () => (helpShown.value = true),
  n: () => (newJobShown.value = mayActNow.value),
  t: () => (timeShown.value = !timeShown.value),
  u: () => route.value.path.length > 1 && go(href(route.value.path[0]!)),
};
const kPlaces: Record<string, string> = {
  n: '',
  a: 'ask',
  j: 'jobs',
  f: 'flows',
  c: 'schedules',
  s: 'numbers',
  m: 'machine',
};
let leading = false;

/// A control of the screen that names the key as its own.
function pressed(key: string): boolean {
  const control = document.querySelector<HTMLElement>(`main [data-key="${CSS.escape(key)}"]`);
  control?.click();
  return control !== null;
}

/// Ctrl+K works everywhere: it is no single key, and no letter of a text.
function opensPalette(event: KeyboardEvent): boolean {
  const wanted =
    event.key.toLowerCase() === 'k' && (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey;
  if (!wanted || document.querySelector('dialog[open], .pair')) return false;
  event.preventDefault();
  return (paletteShown.value = true);
}

export function onKey(event: KeyboardEvent): void {
  if (opensPalette(event)) return;
  const target = event.target as HTMLElement;
  const typing = target.matches('input, textarea, select') || target.isContentEditable;
  if (event.key === 'Escape' && typing) return target.blur();
  if (
    typing ||
    !keysOn.value ||
    event.ctrlKey ||
    event.metaKey ||
    event.altKey ||
    document.querySelector('dialog[open]')
  )
    return;
  const place = kPlaces[event.key];
  if (leading && place !== undefined) go(href(place));
  else if (event.key === 'g') return void (leading = true);
  else if (!pressed(event.key)) {
    const action = kKeys[event.key];
    if (!action) return void (leading = false);
    action();
  }
  leading = false;
  event.preventDefault();
}
