// Notifications on this device: switch on and off, of what, a test, the last failure.
import { useEffect, useState } from 'preact/hooks';
import { act, Problem } from '../base/api.ts';
import { pushesTo } from '../base/concerns.ts';
import { me } from '../base/me.ts';
import { hasSubscription, pushHindrance, subscribe, unsubscribe } from '../base/push.ts';
import { readAllAgain, useReading } from '../base/reading.ts';
import type { PushState } from '../base/shapes.ts';
import { Said } from '../base/text.tsx';
import { Icon } from '../parts/icons.tsx';
import { say } from '../parts/toast.tsx';
import { Trouble } from '../parts/trouble.tsx';

const kKinds = [
  ['asks', 'questions and approvals'],
  ['failures', 'failed jobs and alerts'],
  ['ends', 'every end of a job or flow'],
] as const;

/// Sends a sample to this device, and says how it went.
export const testPush = () =>
  act<{ delivered: boolean; message: string }>('/v1/push/test').then((told) => say(told.message, !told.delivered));

export function Pushes() {
  const { value, problem, loading } = useReading<PushState>('/v1/push', pushesTo(me.value?.device ?? ''));
  return (
    <section class="panel" aria-labelledby="pushes">
      <h2 id="pushes">Notifications on this device</h2>
      {value ? <PushCard key={value.kinds.join()} state={value} /> : <Trouble problem={problem} loading={loading} />}
    </section>
  );
}

function PushCard({ state }: { state: PushState }) {
  const [kinds, setKinds] = useState<string[]>(state.kinds.length > 0 ? state.kinds : ['asks']);
  const [browser, setBrowser] = useState<boolean | null>(null);
  const [busy, setBusy] = useState(false);
  const look = () => hasSubscription().then(setBrowser, () => setBrowser(false));
  useEffect(() => void look(), []);
  const hindrance = pushHindrance();
  if (hindrance !== null) return <p class="calm">{hindrance}</p>;
  const on = state.subscribed && browser === true;
  const changed = on && kinds.join() !== state.kinds.join();
  const run = (what: Promise<unknown>, done: string) => {
    setBusy(true);
    return what
      .then(
        () => (done && say(done), readAllAgain()),
        (error: Error) => say(error instanceof Problem ? `${error.message} ${error.hint}` : error.message, true),
      )
      .then(() => (setBusy(false), look()));
  };
  const allowed = async () => {
    if ((await Notification.requestPermission()) !== 'granted') throw new Error('The browser allows no notifications.');
    await subscribe(state.key, kinds);
  };
  const toggle = (kind: string) =>
    setKinds(kKinds.map(([each]) => each).filter((each) => kinds.includes(each) !== (each === kind)));
  return (
    <div class="pushes">
      <div role="group" aria-label="Notify me of">
        {kKinds.map(([kind, meaning]) => (
          <label class="check" key={kind}>
            <input type="checkbox" checked={kinds.includes(kind)} onChange={() => toggle(kind)} /> {meaning}
          </label>
        ))}
      </div>
      <div class="buttons">
        {(!on || changed) && (
          <button
            type="button"
            class="button primary"
            disabled={busy || kinds.length === 0 || browser === null}
            onClick={() => void run(allowed(), changed ? 'Changed' : 'This device is notified')}>
            <Icon name="bell" /> {changed ? 'Change' : 'Notify me on this device'}
          </button>
        )}
        {on && (
          <button type="button" class="button" disabled={busy} onClick={() => void run(testPush(), '')}>
            Send a test
          </button>
        )}
        {on && (
          <button
            type="button"
            class="button"
            disabled={busy}
            onClick={() => void run(unsubscribe(), 'This device is not notified any more')}>
            Switch off
          </button>
        )}
      </div>
      {on && (
        <p class="quiet">
          Through {state.service}; {state.delivered} sent. While you look at this page, none is sent to you.
        </p>
      )}
      {state.ended && (
        <p class="problem">
          Switched off: <Said text={state.ended} most={300} />
        </p>
      )}
      {state.last_failure && (
        <p class="problem">
          {state.given_up} could not be sent. The last: <Said text={state.last_failure} most={300} />
        </p>
      )}
    </div>
  );
}
