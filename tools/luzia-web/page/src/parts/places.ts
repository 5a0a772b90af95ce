// The screens, in the order of the menu.
import type { IconName } from './icons.tsx';

export const kPlaces: { path: string; title: string; icon: IconName }[] = [
  { path: '', title: 'Now', icon: 'now' },
  { path: 'ask', title: 'Ask', icon: 'ask' },
  { path: 'jobs', title: 'Jobs', icon: 'jobs' },
  { path: 'flows', title: 'Flows', icon: 'flows' },
  { path: 'search', title: 'Search', icon: 'search' },
  { path: 'numbers', title: 'Numbers', icon: 'numbers' },
  { path: 'machine', title: 'Machine', icon: 'machine' },
];
