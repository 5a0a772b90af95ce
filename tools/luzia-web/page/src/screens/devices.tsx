// The devices that may come here: who uses them, whether they are notified, and a code for one more.
import { useState } from 'preact/hooks';
import { act, moment, type Problem } from '../base/api.ts';
import { nowUs } from '../base/clock.ts';
import { devices as ofDevices } from '../base/concerns.ts';
import { roughly } from '../base/format.ts';
import { isAdmin, me } from '../base/me.ts';
import { readAllAgain, useReading } from '../base/reading.ts';
import type { Device, Hook, Role } from '../base/shapes.ts';
import { Said } from '../base/text.tsx';
import { Confirm, Dialog } from '../parts/dialog.tsx';
import { Icon } from '../parts/icons.tsx';
import { say } from '../parts/toast.tsx';
import { Refusal, Trouble } from '../parts/trouble.tsx';
import { testPush } from './pushes.tsx';

const sayProblem = (error: Problem) => say(`${error.message} ${error.hint}`, true);

/// `hooks`: all channels, of which some are devices.
export function Devices({ hooks }: { hooks: Hook[] }) {
  const { value, problem, loading } = useReading<{ devices: Device[] }>('/v1/devices', ofDevices);
  const [offer, setOffer] = useState(false);
  return (
    <section class="panel" aria-labelledby="devices">
      <header class="panel-head">
        <h2 id="devices">Devices</h2>
        {isAdmin.value && moment.value === null && (
          <button type="button" class="button small" onClick={() => setOffer(true)}>
            <Icon name="device" /> Pair a device
          </button>
        )}
      </header>
      {!value ? (
        <Trouble problem={problem} loading={loading} />
      ) : (
        <ul class="devices">
          {value.devices.map((device) => (
            <DeviceRow key={device.id} device={device} hooks={hooks} />
          ))}
        </ul>
      )}
      {offer && <Offer onClose={() => setOffer(false)} />}
    </section>
  );
}

function DeviceRow({ device, hooks }: { device: Device; hooks: Hook[] }) {
  const [sure, setSure] = useState(false);
  const own = device.id === me.value?.device;
  const revoked = device.revoked_at !== null;
  const seen = device.seen_at;
  const may = !revoked && moment.value === null && (own || isAdmin.value);
  return (
    <li class={revoked ? 'device gone' : 'device'}>
      <Icon name="device" />
      <span class="row-main">
        <span class="row-title">
          <Said text={device.name || device.id} most={100} /> {own && <span class="tag">this device</span>}
        </span>
        <span class="row-sub">
          {device.person} · {device.role}
          {device.projects.length > 0 && ` of ${device.projects.join(', ')}`}
          {seen && ` · seen ${roughly((nowUs.value / 1000 - Date.parse(seen)) / 1000)} ago`}
          {device.address && ` from ${device.address}`}
          {revoked && ' · revoked'}
        </span>
        {!revoked && <PushLine device={device} hooks={hooks} />}
      </span>
      {may && (
        <span class="buttons">
          {own && device.push?.service && (
            <button
              type="button"
              class="button small"
              title="Send this device a sample"
              onClick={() => void testPush().catch(sayProblem)}>
              Test
            </button>
          )}
          <button type="button" class="button small" onClick={() => setSure(true)}>
            Revoke
          </button>
        </span>
      )}
      {sure && (
        <Confirm
          title={`Revoke ${device.name || device.id}?`}
          verb="Revoke"
          onClose={() => setSure(false)}
          text={
            own
              ? 'This page stops working at once, until the device is paired again.'
              : 'It can do nothing from now on, until it is paired again.'
          }
          onYes={() =>
            void act(`/v1/devices/${device.id}/revoke`).then(() => (say('Revoked'), readAllAgain()), sayProblem)
          }
        />
      )}
    </li>
  );
}

/// Whether a device is notified, and when that has failed last, and why.
function PushLine({ device, hooks }: { device: Device; hooks: Hook[] }) {
  const { push } = device;
  const channels = [`push/${device.id}`, `push/${device.id}/urgent`];
  const failed = hooks
    .filter((hook) => channels.includes(hook.name) && hook.last_failure !== null)
    .sort((a, b) => b.last_failed_us - a.last_failed_us)[0];
  return (
    <span class="row-sub">
      {push?.service ? `Notified of ${push.kinds.join(', ')}` : 'Not notified'}
      {!push?.service && push?.ended && (
        <>
          {' any more: '}
          <Said text={push.ended} most={200} />
        </>
      )}
      {failed && moment.value === null && (
        <>
          {`; the last that failed, ${roughly((nowUs.value - failed.last_failed_us) / 1e6)} ago: `}
          <Said text={failed.last_failure} most={200} />
        </>
      )}
    </span>
  );
}

const kRoles: Record<Role, string> = {
  viewer: 'reads',
  operator: 'also dispatches, answers, approves, cancels, retries',
  admin: 'also pairs and revokes devices',
};

function Offer({ onClose }: { onClose: () => void }) {
  const [role, setRole] = useState<Role>('operator');
  const [made, setMade] = useState<{ code: string } | null>(null);
  const [problem, setProblem] = useState<Problem | null>(null);
  const make = () => act<{ code: string }>('/v1/devices', { role }).then(setMade, setProblem);
  return (
    <Dialog title="Pair a device" onClose={onClose}>
      {made ? (
        <>
          <p>
            On the other device open <b>{location.origin}</b> and type this code within five minutes. It works once.
          </p>
          <p class="pair-code" aria-label="Code">
            {made.code}
          </p>
        </>
      ) : (
        <form onSubmit={(event) => (event.preventDefault(), void make())}>
          <label class="field">
            What it may do
            <select
              value={role}
              aria-describedby="offer-role"
              onChange={(event) => setRole(event.currentTarget.value as Role)}>
              {Object.keys(kRoles).map((each) => (
                <option key={each}>{each}</option>
              ))}
            </select>
          </label>
          <p class="quiet" id="offer-role" aria-live="polite">
            {kRoles[role]}
          </p>
          <Refusal problem={problem} />
          <div class="buttons">
            <button type="submit" class="button primary">
              Make a code
            </button>
          </div>
        </form>
      )}
    </Dialog>
  );
}
