// The page: pairs the device if it must, then shows the screen that the address names.
import { Component, render, type ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { Problem, silentSince, unpaired } from './base/api.ts';
import { onJump } from './base/clock.ts';
import { forgetDrafts } from './base/drafts.ts';
import { stopLive } from './base/live.ts';
import { askMe, isAnother } from './base/me.ts';
import { leavePush, openFromPush, pushHindrance, renewPush } from './base/push.ts';
import { readAllAgain } from './base/reading.ts';
import { route } from './base/route.ts';
import './base/theme.ts';
import { FlowScreen } from './flow/flow_screen.tsx';
import { JobScreen } from './job/job_screen.tsx';
import { onKey } from './parts/keys.ts';
import { Shell } from './parts/shell.tsx';
import { Numbers } from './numbers/numbers_screen.tsx';
import { Trouble } from './parts/trouble.tsx';
import { Schedules } from './schedules/schedules_screen.tsx';
import { Ask } from './screens/ask.tsx';
import { Flows } from './screens/flows.tsx';
import { Jobs } from './screens/jobs.tsx';
import { Machine } from './screens/machine.tsx';
import { Now } from './screens/now.tsx';
import { Pair, takeCode } from './screens/pair.tsx';
import { Search } from './search/search_screen.tsx';

const kRetryMs = 2000;

function Screen() {
  const [place, id] = route.value.path;
  switch (place) {
    case 'ask':
      return <Ask />;
    case 'jobs':
      return id ? <JobScreen key={id} id={id} /> : <Jobs />;
    case 'flows':
      return id ? <FlowScreen key={id} id={id} /> : <Flows />;
    case 'schedules':
      return <Schedules />;
    case 'search':
      return <Search />;
    case 'numbers':
      return <Numbers />;
    case 'machine':
      return <Machine />;
    default:
      return <Now />;
  }
}

/// Keeps the frame when a screen fails; another screen starts anew.
class Guard extends Component<{ children: ComponentChildren }, { failed: Error | null }> {
  override state = { failed: null };
  static override getDerivedStateFromError = (failed: Error) => ({ failed });
  override render({ children }: { children: ComponentChildren }, { failed }: { failed: Error | null }) {
    if (!failed) return children;
    return (
      <Trouble
        problem={new Problem('This view cannot be shown.', -1, 'bad_view', String(failed.message))}
        loading={false}
      />
    );
  }
}

let code = takeCode();

/// The server knows this device. What another one, or another person, left in the browser ends.
function welcome(): void {
  if (isAnother('device') && pushHindrance() === null) leavePush().catch(() => undefined);
  if (isAnother('person')) forgetDrafts();
  void renewPush();
}

function App() {
  const [known, setKnown] = useState<boolean | null>(null);
  const ask = () => askMe().then((is) => (is && welcome(), setKnown(is)), () => setTimeout(ask, kRetryMs));
  useEffect(() => void (known === null && ask()), [known]);
  const paired = () => {
    code = null; // it works once, or is not wanted
    setKnown(null);
  };
  if (known === false || unpaired.value || (known && code !== null)) {
    stopLive();
    return <Pair code={code} paired={known === true && !unpaired.value} onPaired={paired} />;
  }
  if (known === null)
    return silentSince.value === null ? null : (
      <p class="empty" role="status">
        The server does not answer. Trying again…
      </p>
    );
  return (
    <Shell>
      <Guard key={route.value.path.slice(0, 2).join('/')}>
        <Screen />
      </Guard>
    </Shell>
  );
}

addEventListener('keydown', onKey);
addEventListener('online', () => readAllAgain());
onJump(() => readAllAgain(true)); // the time of the server comes with the overview
document.addEventListener('visibilitychange', () => document.hidden || readAllAgain());
if ('serviceWorker' in navigator) {
  navigator.serviceWorker.register('/sw.js').catch(() => undefined);
  navigator.serviceWorker.addEventListener('message', openFromPush);
}

document.querySelector('#app')!.replaceChildren();
render(<App />, document.querySelector('#app')!);
