// Another time: the whole page as it was then, with marks where jobs ended.
import { signal } from '@preact/signals';
import { useEffect, useState } from 'preact/hooks';
import { moment, read } from '../base/api.ts';
import { day, clock } from '../base/format.ts';
import type { Job } from '../base/shapes.ts';
import { Icon } from './icons.tsx';
import { timeShown } from './keys.ts';

const kWindows: [string, number][] = [
  ['1 h', 3600],
  ['6 h', 21_600],
  ['24 h', 86_400],
  ['7 d', 604_800],
];
const kSteps = 1000;
const kPlayMs = 400;
const kPlaySteps = 6;

/// The end of the slider, ms; it stands still while another time is shown.
const end = signal(Date.now());

const iso = (ms: number): string => new Date(ms).toISOString();

export function present(): void {
  moment.value = null;
  timeShown.value = false;
}

interface Ended {
  at: number;
  bad: boolean;
}

/// When jobs ended, as far as one page of them reaches.
async function endsSince(ms: number): Promise<Ended[]> {
  const path = `/v1/jobs?all=1&limit=300&since=${encodeURIComponent(iso(ms))}`;
  const before = moment.value;
  if (before !== null) return [];
  const jobs = (await read<{ jobs: Job[] }>(path))?.body.jobs ?? [];
  return jobs
    .filter((job) => job.ended_us > 0)
    .map((job) => ({ at: job.ended_us / 1000, bad: job.state !== 'completed' }));
}

export function TimeBar() {
  const [window, setWindow] = useState(3600);
  const [value, setValue] = useState(kSteps);
  const [playing, setPlaying] = useState(false);
  const [ends, setEnds] = useState<Ended[]>([]);
  const begin = end.value - window * 1000;
  const at = (step: number) => begin + (step / kSteps) * window * 1000;

  useEffect(() => {
    end.value = Date.now();
    setValue(kSteps);
    moment.value = null;
    endsSince(Date.now() - window * 1000).then(setEnds, () => setEnds([]));
  }, [window]);
  useEffect(() => {
    const timer = setTimeout(() => (moment.value = value >= kSteps ? null : iso(at(value))), 120);
    return () => clearTimeout(timer);
  }, [value]);
  useEffect(() => {
    if (!playing) return;
    if (value >= kSteps) return setPlaying(false);
    const timer = setTimeout(() => setValue((now) => Math.min(kSteps, now + kPlaySteps)), kPlayMs);
    return () => clearTimeout(timer);
  }, [playing, value]);

  const shown = at(value) * 1000;
  return (
    <section class="time-bar" aria-label="Time">
      <button
        type="button"
        class="icon-button"
        aria-label={playing ? 'Stop' : 'Play'}
        onClick={() => {
          if (value >= kSteps) setValue(0);
          setPlaying(!playing);
        }}>
        <Icon name={playing ? 'pause' : 'play'} />
      </button>
      <div class="time-track">
        <svg class="time-marks" viewBox="0 0 1000 10" preserveAspectRatio="none" aria-hidden="true">
          {ends.map((each, index) => {
            const x = ((each.at - begin) / (window * 1000)) * 1000;
            return (
              <rect key={index} class={each.bad ? 'tone-bad' : 'tone-good'} x={x - 1} y={1} width={2} height={8} />
            );
          })}
        </svg>
        <input
          type="range"
          min={0}
          max={kSteps}
          value={value}
          aria-label="Time that is shown"
          aria-valuetext={value >= kSteps ? 'now' : `${day(shown)} ${clock(shown)}`}
          onInput={(event) => (setPlaying(false), setValue(Number(event.currentTarget.value)))}
        />
      </div>
      <output class="time-shown">
        {value >= kSteps ? (
          'now'
        ) : (
          <>
            {day(shown)} <b>{clock(shown)}</b>
          </>
        )}
      </output>
      <div class="chips" role="group" aria-label="How far back">
        {kWindows.map(([name, seconds]) => (
          <button
            key={name}
            type="button"
            class="chip-button"
            aria-pressed={seconds === window}
            onClick={() => setWindow(seconds)}>
            {name}
          </button>
        ))}
      </div>
      <button type="button" class="button small" onClick={present}>
        Back to now
      </button>
    </section>
  );
}
