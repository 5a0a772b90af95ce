// Light, dark, or as the system has it.
import { effect, signal } from '@preact/signals';
import { kept, keep } from './kept.ts';

export type Theme = 'system' | 'light' | 'dark';
const kThemes: Theme[] = ['system', 'light', 'dark'];

export const theme = signal<Theme>(kThemes.find((name) => name === kept('theme')) ?? 'system');

effect(() => {
  if (theme.value === 'system') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme.value;
  keep('theme', theme.value);
});

export function nextTheme(): void {
  theme.value = kThemes[(kThemes.indexOf(theme.value) + 1) % kThemes.length]!;
}
