import { Dialog } from './dialog.tsx';
import { helpShown, keysOn, kPaletteKey, switchKeys } from './keys.ts';

const kKeys: [string, string][] = [
  ['n', 'new job'],
  ['j  k', 'next, previous row or question'],
  ['Enter', 'open'],
  ['a', 'answer: to the first question'],
  [kPaletteKey, 'go to a screen, project or job'],
  ['/', 'search in the view, or go to something'],
  ['s', 'search everything'],
  ['1 – 6', 'views of a job'],
  ['r  m  c', 'retry a job, write to its agent, cancel it'],
  ['s  x', 'in Jobs: select several, the row'],
  ['u', 'up to the list'],
  ['g then n a j f c s m', 'to Now, Ask, Jobs, Flows, Schedules, Numbers, Machine'],
  ['t', 'another time'],
  ['Esc', 'leave a field, close'],
  ['?', 'this help'],
];

export function Help() {
  if (!helpShown.value) return null;
  return (
    <Dialog title="Keys" onClose={() => (helpShown.value = false)}>
      <dl class="keys">
        {kKeys.map(([keys, what]) => (
          <div key={keys}>
            <dt>
              {keys
                .split(/\s+/)
                .map((key) => (/^(then|–)$/.test(key) ? <span key={key}>{key}</span> : <kbd key={key}>{key}</kbd>))}
            </dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
      <label class="check">
        <input type="checkbox" checked={keysOn.value} onChange={(event) => switchKeys(event.currentTarget.checked)} />
        <span>Single keys are on</span>
      </label>
    </Dialog>
  );
}
