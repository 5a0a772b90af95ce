// The machines of the fleet, on Machine: how each is, and its jobs, which are only read here.
import { useState } from 'preact/hooks';
import { moment } from '../base/api.ts';
import { nowUs } from '../base/clock.ts';
import { count, duration, inFull, roughly, usd } from '../base/format.ts';
import { rowKey, useFleet, useOfFleet, withFreshness } from '../base/others.ts';
import { never } from '../base/concerns.ts';
import { useReading } from '../base/reading.ts';
import type { Job, MachineAnswer, Site } from '../base/shapes.ts';
import { Said } from '../base/text.tsx';
import { Icon } from '../parts/icons.tsx';
import { JobRow } from '../parts/job_row.tsx';
import { SilentMachines } from '../parts/on_machine.tsx';
import { Refusal } from '../parts/trouble.tsx';
import { Count } from './now.tsx';

const kJobsShown = 50;

interface FleetJobs {
  jobs: Job[];
  machines?: MachineAnswer[];
}

const ago = (asOfUs: number): string => `${roughly((nowUs.value - asOfUs) / 1e6)} ago`;

function SiteRow({ site, chosen, onChoose }: { site: Site; chosen: boolean; onChoose: () => void }) {
  return (
    <button
      type="button"
      class={`row fleet-site${site.unreachable ? ' old' : ''}`}
      aria-pressed={chosen}
      onClick={onChoose}>
      <span class="row-main">
        <span class="row-title">{site.site}</span>
        <span class="row-sub">
          <span class="mono">{site.host}</span>
          {site.fault && <Said text={site.fault} line most={300} />}
        </span>
      </span>
      <span class="row-end">
        <span class="time">
          {site.unreachable ? 'unreachable, seen ' : 'as of '}
          <time title={inFull(site.as_of_us)}>{ago(site.as_of_us)}</time>
        </span>
        <span class="spent">{site.version}</span>
      </span>
    </button>
  );
}

/// What the database has of a job.
function FleetJob({ job }: { job: Job }) {
  const { value, problem } = useReading<Job>(`/v1/jobs/${encodeURIComponent(job.id)}?fleet=1`, never);
  const shown = value ?? job;
  const facts: [string, string | null][] = [
    ['job', shown.id],
    ['state', shown.reason_text ? `${shown.state}: ${shown.reason_text}` : shown.state],
    ['agent', shown.model ? `${shown.agent}, ${shown.model}` : shown.agent],
    ['attempts', count(shown.attempts)],
    ['queued', shown.queued_us ? inFull(shown.queued_us) : null],
    ['started', shown.started_us ? inFull(shown.started_us) : null],
    ['ended', shown.ended_us ? inFull(shown.ended_us) : null],
    ['ran', shown.ended_us && shown.elapsed_seconds !== null ? duration(shown.elapsed_seconds) : null],
    ['tokens', shown.tokens.input + shown.tokens.output ? count(shown.tokens.input + shown.tokens.output) : null],
    ['cost', shown.cost_usd === null ? null : usd(shown.cost_usd)],
  ];
  return (
    <div class="fleet-job">
      <Refusal problem={problem} />
      <dl class="facts">
        {facts
          .filter(([, fact]) => fact)
          .map(([name, fact]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{fact}</dd>
            </div>
          ))}
      </dl>
      <Said text={shown.task ?? ''} most={4096} />
      <p class="quiet">Its output and events are on {job.machine}.</p>
    </div>
  );
}

function FoldedJob({ job }: { job: Job }) {
  const [open, setOpen] = useState(false);
  return (
    <details onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        <JobRow job={job} />
      </summary>
      {open && <FleetJob job={job} />}
    </details>
  );
}

export function Fleet() {
  const { value, problem } = useFleet();
  const [site, setSite] = useState('');
  const [all, setAll] = useState(false);
  const known = (value?.sites ?? []).length > 0;
  const path = known ? `/v1/jobs?limit=${kJobsShown}${all ? '&all=1' : ''}` : '';
  const jobs = useOfFleet<FleetJobs>(path, site);
  if (moment.value !== null || (!known && !problem)) return null;
  const rows = withFreshness(jobs.value?.jobs ?? [], jobs.value?.machines);
  return (
    <section class="panel fleet" aria-labelledby="fleet">
      <h2 id="fleet">
        Fleet <Count n={value?.sites.length ?? 0} />
      </h2>
      <Refusal problem={problem ?? jobs.problem} />
      <SilentMachines machines={jobs.value?.machines} />
      <div class="rows">
        {value?.sites.map((each) => (
          <SiteRow
            key={each.site}
            site={each}
            chosen={each.site === site}
            onChoose={() => setSite(each.site === site ? '' : each.site)}
          />
        ))}
      </div>
      {known && (
        <label>
          <input type="checkbox" checked={all} onChange={(event) => setAll(event.currentTarget.checked)} /> ended jobs,
          too
        </label>
      )}
      <div class="rows fleet-jobs">
        {rows.map((job) => (
          <FoldedJob key={rowKey(job)} job={job} />
        ))}
      </div>
      {known && jobs.value && rows.length === 0 && (
        <p class="quiet">
          <Icon name="machine" /> No job {site ? `on ${site}` : 'in the fleet'} is active.
        </p>
      )}
    </section>
  );
}
