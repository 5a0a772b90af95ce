// How the machine and the daemon are now, and how well notification channels are told.
import { useEffect, useState } from 'preact/hooks';
import { moment, read, type Problem } from '../base/api.ts';
import { nowUs } from '../base/clock.ts';
import { bytes, count, counted, roughly } from '../base/format.ts';
import type { Hook, MachineState } from '../base/shapes.ts';
import { Said } from '../base/text.tsx';
import { Icon } from '../parts/icons.tsx';
import { Trouble } from '../parts/trouble.tsx';

const kEveryMs = 5000; // no event says that the load has changed

interface Shown {
  value: MachineState | null;
  problem: Problem | null;
}

export function useMachine(): Shown {
  const [shown, setShown] = useState<Shown>({ value: null, problem: null });
  useEffect(() => {
    let live = true;
    const look = () =>
      void read<MachineState>('/v1/machine').then(
        (answer) => live && answer && setShown({ value: answer.body, problem: null }),
        (problem: Problem) => live && setShown(({ value }) => ({ value, problem })),
      );
    look();
    const timer = setInterval(() => document.hidden || look(), kEveryMs);
    return () => ((live = false), clearInterval(timer));
  }, []);
  return shown;
}

/// "1.2 GiB free of 4.0 GiB".
const free = (left: number | null, all: number | null): string =>
  left === null || all === null ? 'unknown' : `${bytes(left)} free of ${bytes(all)}`;

export function Health({ state, problem }: { state: MachineState | null; problem: Problem | null }) {
  if (moment.value !== null) return null; // nobody records it
  return (
    <section class="panel" aria-labelledby="health">
      <h2 id="health">This machine</h2>
      {!state ? (
        <Trouble problem={problem} loading={problem === null} />
      ) : (
        <dl class="facts">
          <div>
            <dt>Load</dt>
            <dd>
              {state.load === null ? 'unknown' : state.load.toFixed(2)} on {counted(state.cores, 'core')}
            </dd>
          </div>
          <div>
            <dt>Memory</dt>
            <dd>{free(state.memory_available_bytes, state.memory_bytes)}</dd>
          </div>
          <div>
            <dt>Disk of the store</dt>
            <dd>{free(state.disk_available_bytes, state.disk_bytes)}</dd>
          </div>
          <div>
            <dt>Daemon</dt>
            <dd>
              {problem === null ? 'runs' : 'does not answer'}, version {state.daemon.version}, pid {state.daemon.pid}
            </dd>
          </div>
        </dl>
      )}
    </section>
  );
}

/// Channels that are no devices; devices say it themselves.
export function Channels({ hooks }: { hooks: Hook[] }) {
  const shown = hooks.filter(({ name }) => !name.startsWith('push/'));
  if (moment.value !== null || shown.length === 0) return null;
  return (
    <section class="panel" aria-labelledby="channels">
      <h2 id="channels">Notification channels</h2>
      <ul class="devices">
        {shown.map((hook) => (
          <Channel key={hook.name} hook={hook} />
        ))}
      </ul>
    </section>
  );
}

function Channel({ hook }: { hook: Hook }) {
  return (
    <li class="device">
      <Icon name="bell" />
      <span class="row-main">
        <span class="row-title">
          <Said text={hook.name} most={100} />
        </span>
        <span class="row-sub">
          {count(hook.delivered)} sent
          {hook.last_us > 0 && `, the last ${roughly((nowUs.value - hook.last_us) / 1e6)} ago`}
          {hook.suppressed > 0 && ` · ${count(hook.suppressed)} not needed`}
          {hook.lag > 0 && ` · ${counted(hook.lag, 'event')} behind`}
        </span>
        {hook.last_failure !== null && (
          <span class="row-sub">
            {count(hook.given_up)} failed
            {hook.last_failed_us > 0 && `, the last ${roughly((nowUs.value - hook.last_failed_us) / 1e6)} ago`}:{' '}
            <Said text={hook.last_failure} most={200} />
          </span>
        )}
      </span>
    </li>
  );
}
