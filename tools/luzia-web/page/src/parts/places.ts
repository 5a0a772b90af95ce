// The screens, in the order of the menu. `wide`: not in the one of a phone, where Now leads to it.
import type { IconName } from './icons.tsx';

export const kPlaces: { path: string; title: string; icon: IconName; wide?: true }[] = [
  { path: '', title: 'Now', icon: 'now' },
  { path: 'ask', title: 'Ask', icon: 'ask' },
  { path: 'jobs', title: 'Jobs', icon: 'jobs' },
  { path: 'flows', title: 'Flows', icon: 'flows' },
  { path: 'schedules', title: 'Schedules', icon: 'clock', wide: true },
  { path: 'search', title: 'Search', icon: 'search' },
  { path: 'numbers', title: 'Numbers', icon: 'numbers' },
  { path: 'machine', title: 'Machine', icon: 'machine' },
];
