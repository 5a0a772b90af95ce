// Icons, drawn on a grid of 16. Those of states differ by shape, not only by colour.
import type { JSX } from 'preact';

const kPaths = {
  now: 'M8 1.8v12.4M1.8 8h12.4M3.6 3.6l8.8 8.8M12.4 3.6l-8.8 8.8',
  ask: 'M2 3.5h12v8H7l-3.2 2.6v-2.6H2z',
  jobs: 'M2 3.5h2M6 3.5h8M2 8h2M6 8h8M2 12.5h2M6 12.5h8',
  flows: 'M2 5.4h3.6v5.2H2zM10.4 2h3.6v4h-3.6zM10.4 10H14v4h-3.6zM5.6 8h2.2M10.4 4H7.8v8h2.6',
  numbers: 'M2 14h12M3.6 14V9.4M6.6 14V5.6M9.6 14V7.6M12.6 14V2.6',
  lock: 'M3.4 7.2h9.2v6.6H3.4zM5.4 7.2V5a2.6 2.6 0 0 1 5.2 0v2.2',
  machine: 'M2.5 2.5h11v4h-11zM2.5 9.5h11v4h-11zM5 4.5h.01M5 11.5h.01',
  clock: 'M8 1.8a6.2 6.2 0 1 0 0 12.4A6.2 6.2 0 0 0 8 1.8M8 4.6V8l2.3 1.6',
  light:
    'M8 5a3 3 0 1 0 0 6 3 3 0 0 0 0-6M8 1v1.6M8 13.4V15M1 8h1.6M13.4 8H15' +
    'M3 3l1.2 1.2M11.8 11.8 13 13M13 3l-1.2 1.2M4.2 11.8 3 13',
  dark: 'M13.6 9.7A6 6 0 0 1 6.3 2.4a6 6 0 1 0 7.3 7.3z',
  system: 'M2 3h12v8H2zM6 14h4M8 11v3',
  help: 'M5.6 5.8a2.5 2.5 0 1 1 3.5 2.3c-.8.4-1.1.8-1.1 1.7M8 12.6h.01',
  back: 'M9.8 3.2 5 8l4.8 4.8',
  next: 'M6.2 3.2 11 8l-4.8 4.8',
  up: 'M8 13.5v-10M3.8 7.4 8 3.2l4.2 4.2',
  down: 'M8 2.5v10M3.8 8.6 8 12.8l4.2-4.2',
  top: 'M3 2.8h10M8 13.2v-8M4.2 8.6 8 4.8l3.8 3.8',
  end: 'M3 13.2h10M8 2.8v8M4.2 7.4 8 11.2l3.8-3.8',
  plus: 'M8 2.8v10.4M2.8 8h10.4',
  close: 'M3.6 3.6l8.8 8.8M12.4 3.6l-8.8 8.8',
  search: 'M7 2.4a4.6 4.6 0 1 0 0 9.2 4.6 4.6 0 0 0 0-9.2M10.4 10.4l3.4 3.4',
  play: 'M4.5 2.8 13 8l-8.5 5.2z',
  retry: 'M13 8a5 5 0 1 1-1.6-3.7M13 2.2v2.9h-2.9',
  link: 'M9 3h4v4M13 3 7.4 8.6M11 9.5V13H3V5h3.5',
  alert: 'M8 2 14.4 13.4H1.6zM8 6.4v3.2M8 11.6h.01',
  terminal: 'M2 3h12v10H2zM4.6 6l2 2-2 2M8.4 10.2h3',
  file: 'M4 1.8h5l3 3v9.4H4zM9 1.8v3h3',
  todo: 'M2.4 4.2 3.6 5.4 5.6 3M8 4.2h6M2.4 10.6l1.2 1.2 2-2.4M8 10.8h6',
  tool: 'M13.4 4.2 11 6.6 9.4 5l2.4-2.4a3.4 3.4 0 0 0-4.3 4.3L2.6 11.8l1.6 1.6 4.9-4.9a3.4 3.4 0 0 0 4.3-4.3z',
  globe:
    'M8 1.8a6.2 6.2 0 1 0 0 12.4A6.2 6.2 0 0 0 8 1.8M1.8 8h12.4M8 1.8c3.4 3.4 3.4 9 0 12.4M8 1.8c-3.4 3.4-3.4 9 0 12.4',
  thought: 'M8 2a4.4 4.4 0 0 0-2.4 8.1v1.7h4.8v-1.7A4.4 4.4 0 0 0 8 2M6.4 14.2h3.2',
  bell: 'M3 11.6h10l-1.4-1.8V7a3.6 3.6 0 0 0-7.2 0v2.8zM6.6 13.8h2.8',
  device: 'M4.5 1.8h7v12.4h-7zM7.4 12h1.2',
  pause: 'M5.4 3v10M10.6 3v10',
  // States.
  waiting: 'M8 1.8 14.2 8 8 14.2 1.8 8z',
  running: 'M8 2.2A5.8 5.8 0 1 1 2.2 8',
  queued: 'M8 2.6a5.4 5.4 0 1 0 0 10.8A5.4 5.4 0 0 0 8 2.6',
  parked: 'M8 2.2a5.8 5.8 0 1 0 0 11.6A5.8 5.8 0 0 0 8 2.2M6.4 5.8v4.4M9.6 5.8v4.4',
  completed: 'M2.8 8.6 6.4 12l6.8-8',
  failed: 'M3.8 3.8l8.4 8.4M12.2 3.8l-8.4 8.4',
  killed: 'M3.6 3.6h8.8v8.8H3.6z',
  lost: 'M5.6 5.8a2.5 2.5 0 1 1 3.5 2.3c-.8.4-1.1.8-1.1 1.7M8 12.6h.01',
} as const;

export type IconName = keyof typeof kPaths;

/// Without a label it is decoration, for what stands beside it.
export function Icon({
  name,
  label,
  class: more,
}: {
  name: IconName;
  label?: string | undefined;
  class?: string;
}): JSX.Element {
  const words = label ? { role: 'img' as const, 'aria-label': label } : { 'aria-hidden': 'true' as const };
  return (
    <svg class={`icon icon-${name} ${more ?? ''}`} viewBox="0 0 16 16" width="16" height="16" {...words}>
      <path d={kPaths[name]} />
    </svg>
  );
}
