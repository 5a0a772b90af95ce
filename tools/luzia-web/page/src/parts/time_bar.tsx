// Another time: the whole page as it was then, with marks where jobs ended.
import { signal } from '@preact/signals';
import { useEffect, useState } from 'preact/hooks';
import { moment, request } from '../base/api.ts';
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
const kSpeeds = [1, 10, 60, 600, 3600]; // seconds of then in a second of now
const kUsualSpeed = 60;
const kEarliestMs = 1e12; // 2001; before it, a year that is still being typed

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

/// When jobs ended, as far as one page of them reaches; as is known now.
async function endsBetween(from: number, to: number): Promise<Ended[]> {
  const query = new URLSearchParams({ all: '1', limit: '300', since: iso(from), until: iso(to) });
  const { jobs } = (await (await request(`/v1/jobs?${query}`)).json()) as { jobs: Job[] };
  return jobs
    .filter((job) => job.ended_us > 0)
    .map((job) => ({ at: job.ended_us / 1000, bad: job.state !== 'completed' }));
}

/// As a field for a date and a time takes it, in this browser's zone.
function local(ms: number): string {
  const rounded = Math.round(ms / 1000) * 1000;
  return new Date(rounded - new Date(ms).getTimezoneOffset() * 60_000).toISOString().slice(0, 19);
}

export function TimeBar() {
  const [window, setWindow] = useState(3600);
  const [speed, setSpeed] = useState(kUsualSpeed);
  const [value, setValue] = useState(kSteps);
  const [playing, setPlaying] = useState(false);
  const [ends, setEnds] = useState<Ended[]>([]);
  const [past, setPast] = useState(false); // whether the slider ends before now
  const begin = end.value - window * 1000;
  const at = (step: number) => begin + (step / kSteps) * window * 1000;
  const isNow = value >= kSteps && !past;

  const look = (to: number, step: number) => {
    end.value = to;
    setValue(step);
    endsBetween(to - window * 1000, to).then(setEnds, () => setEnds([]));
  };
  /// Shows a moment, however long ago.
  const show = (ms: number) => {
    setPlaying(false);
    const now = Date.now();
    const to = Math.min(now, ms + window * 500);
    setPast(to < now);
    look(to, Math.max(0, kSteps - ((to - ms) / (window * 1000)) * kSteps));
  };
  useEffect(() => {
    setPast(false);
    moment.value = null;
    look(Date.now(), kSteps);
  }, [window]);
  useEffect(() => {
    const timer = setTimeout(() => (moment.value = isNow ? null : iso(at(value))), 120);
    return () => clearTimeout(timer);
  }, [value, isNow, end.value]);
  useEffect(() => {
    if (!playing) return;
    if (value >= kSteps) return setPlaying(false);
    const step = (speed * kPlayMs * kSteps) / (window * 1e6);
    const timer = setTimeout(() => setValue((now) => Math.min(kSteps, now + step)), kPlayMs);
    return () => clearTimeout(timer);
  }, [playing, value, speed]);

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
          aria-valuetext={isNow ? 'now' : `${day(shown)} ${clock(shown)}`}
          onInput={(event) => (setPlaying(false), setValue(Number(event.currentTarget.value)))}
        />
      </div>
      <output class="time-shown">
        {isNow ? (
          'now'
        ) : (
          <>
            {day(shown)} <b>{clock(shown)}</b>
          </>
        )}
      </output>
      <input
        type="datetime-local"
        step={1}
        aria-label="Show this time"
        max={local(Date.now())}
        value={local(at(value))}
        onChange={(event) => {
          const ms = Date.parse(event.currentTarget.value);
          if (ms > kEarliestMs) show(Math.min(ms, Date.now()));
        }}
      />
      <select
        aria-label="Speed"
        title="How fast it plays"
        value={String(speed)}
        onChange={(event) => setSpeed(Number(event.currentTarget.value))}>
        {kSpeeds.map((each) => (
          <option key={each} value={String(each)}>
            {each} ×
          </option>
        ))}
      </select>
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
