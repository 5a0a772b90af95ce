// One job: what it is, what it said and did, why it is where it is.
import { useEffect, useRef, useState } from 'preact/hooks';
import { moment, Problem } from '../base/api.ts';
import { issuesOf, ofJob } from '../base/concerns.ts';
import { mayActNow } from '../base/me.ts';
import { readAllAgain, useReading } from '../base/reading.ts';
import { href, jobHref, route } from '../base/route.ts';
import type { Issue, Job } from '../base/shapes.ts';
import { Said } from '../base/text.tsx';
import { OutputView } from '../output/output_view.tsx';
import { commandJob } from '../parts/command_job.ts';
import { Confirm } from '../parts/dialog.tsx';
import { Icon } from '../parts/icons.tsx';
import { hasEnded, isLive, StateChip } from '../parts/states.tsx';
import { say } from '../parts/toast.tsx';
import { Trouble } from '../parts/trouble.tsx';
import { TranscriptView } from '../transcript/transcript_view.tsx';
import { Cause } from './cause.tsx';
import { FilesView } from './files_view.tsx';
import { MessagesView, useTold, writeMessage } from './messages_view.tsx';
import { JobAsks, Summary } from './summary.tsx';
import { TimelineView } from './timeline_view.tsx';
import { WhyView } from './why_view.tsx';

export const kTabs = ['transcript', 'output', 'why', 'files', 'timeline', 'messages'] as const;
type Tab = (typeof kTabs)[number];
const kTitles: Record<Tab, string> = {
  transcript: 'Transcript',
  output: 'Output',
  why: 'Why',
  files: 'Files',
  timeline: 'Timeline',
  messages: 'Messages',
};

export function JobScreen({ id }: { id: string }) {
  const { value: job, problem, loading } = useReading<Job>(`/v1/jobs/${id}`, ofJob(id));
  if (!job) return <Trouble problem={problem} loading={loading} heading={`Job ${id}`} />;
  const wanted = kTabs.find((tab) => tab === route.value.path[2]);
  const tab = wanted ?? (job.agent === 'shell' ? 'output' : 'transcript');
  return (
    <div class="job">
      <Head job={job} />
      <div class="job-grid">
        <div class="job-main">
          <JobAsks job={job} />
          <Cause job={job} />
          <Tabs job={job} tab={tab} />
          <div class={`job-tab tab-${tab}`} key={`${job.id} ${moment.value}`}>
            <TabBody job={job} tab={tab} />
          </div>
        </div>
        <Summary job={job} />
      </div>
    </div>
  );
}

function Head({ job }: { job: Job }) {
  return (
    <header class="job-head">
      <a class="icon-button" href={href('jobs')} aria-label="Back to the jobs" title="Back to the jobs">
        <Icon name="back" />
      </a>
      <div class="job-titles">
        <p class="job-where">
          <StateChip job={job} />
          <span class="where">
            {job.project}
            <i aria-hidden="true">·</i>
            {job.agent}
          </span>
          <span class="mono quiet job-id">{job.id}</span>
        </p>
        <h1>
          <Said text={job.task || job.id} line most={300} />
        </h1>
      </div>
      <Actions job={job} />
    </header>
  );
}

function Actions({ job }: { job: Job }) {
  const told = useTold(job);
  const [sure, setSure] = useState(false);
  const [busy, setBusy] = useState(false);
  if (!mayActNow.value) return null;
  const send = async (verb: string, done: string) => {
    setBusy(true);
    await commandJob(job, verb).then(
      () => say(done),
      (error: Problem) => say(`${error.message} ${error.hint}`, true),
    );
    readAllAgain();
    setBusy(false);
  };
  return (
    <div class="actions">
      {hasEnded(job) && (
        <button type="button" class="button" disabled={busy} data-key="r" onClick={() => void send('retry', 'Retried')}>
          <Icon name="retry" /> Retry
        </button>
      )}
      {told && (
        <button type="button" class="button" data-key="m" onClick={() => writeMessage(job.id)}>
          <Icon name="ask" /> Message
        </button>
      )}
      {job.state === 'running' && !job.paused && (
        <button type="button" class="button" disabled={busy} onClick={() => void send('pause', 'Paused')}>
          <Icon name="pause" /> Pause
        </button>
      )}
      {(job.paused || job.held) && !hasEnded(job) && (
        <button
          type="button"
          class="button"
          disabled={busy}
          onClick={() => void send(job.held ? 'release' : 'resume', 'It goes on')}>
          <Icon name="play" /> Resume
        </button>
      )}
      {!hasEnded(job) && (
        <button type="button" class="button" disabled={busy || job.stopping} data-key="c" onClick={() => setSure(true)}>
          <Icon name="close" /> {job.stopping ? 'Stopping' : 'Cancel'}
        </button>
      )}
      {sure && (
        <Confirm
          title="Cancel this job?"
          verb="Cancel the job"
          onClose={() => setSure(false)}
          onYes={() => void send('cancel', 'Cancelled')}
          text={
            job.started_us
              ? 'Its agent is asked to stop, and killed if it does not. A retry can continue its session.'
              : 'It has not started, and will not.'
          }
        />
      )}
    </div>
  );
}

function Tabs({ job, tab }: { job: Job; tab: Tab }) {
  const shows: Partial<Record<Tab, boolean>> = {
    files: Boolean(job.snapshot || job.worktree),
    messages: useTold(job) !== null || job.messages !== undefined,
  };
  const offered = kTabs.filter((each) => (shows[each] ?? true) || each === tab);
  const shown = useRef<HTMLAnchorElement>(null);
  useEffect(() => shown.current?.scrollIntoView({ block: 'nearest', inline: 'nearest' }), [tab]);
  return (
    <nav class="tabs" aria-label="Views of the job">
      {offered.map((each, index) => (
        <a
          key={each}
          href={jobHref(job.id, each)}
          ref={each === tab ? shown : undefined}
          aria-current={each === tab ? 'page' : undefined}
          data-key={String(index + 1)}>
          {kTitles[each]}
          {each === 'why' && job.errors + job.issues > 0 && (
            <span class="count tone-bad">{job.errors + job.issues}</span>
          )}
          {each === 'messages' && (job.messages_unread ?? 0) > 0 && (
            <span class="count">
              {job.messages_unread}
              <span class="hidden"> not read</span>
            </span>
          )}
        </a>
      ))}
    </nav>
  );
}

function TabBody({ job, tab }: { job: Job; tab: Tab }) {
  switch (tab) {
    case 'transcript':
    case 'output':
      return <Printed job={job} tab={tab} />;
    case 'why':
      return <WhyView job={job.id} />;
    case 'files':
      return <FilesView job={job} version={hasEnded(job) ? job.position : Math.floor(job.tool_calls / 4)} />;
    case 'timeline':
      return <TimelineView job={job.id} />;
    case 'messages':
      return <MessagesView job={job} />;
  }
}

/// What an attempt printed: the last one's, or that of the address.
function Printed({ job, tab }: { job: Job; tab: Tab }) {
  const issues = useReading<{ issues: Issue[] }>(`/v1/issues?job=${job.id}`, issuesOf(job.id));
  const { query } = route.value;
  const attempt = Number(query.get('attempt') ?? 0) || job.attempt;
  const last = attempt === job.attempt;
  const byte = query.get('byte');
  const mark: [number, number] | null =
    byte === null ? null : [Number(byte), Number(query.get('to') ?? Number(byte) + 1)];
  const shown = {
    key: attempt,
    place: { job: job.id, attempt },
    live: last && isLive(job) && moment.value === null,
    bytes: last ? job.output.bytes : 0,
  };
  const own = (issues.value?.issues ?? []).filter((issue) => issue.attempt === attempt);
  return (
    <>
      {job.attempts > 1 && <Attempts job={job} tab={tab} attempt={attempt} />}
      {tab === 'output' ? <OutputView {...shown} mark={mark} issues={own} /> : <TranscriptView {...shown} />}
    </>
  );
}

function Attempts({ job, tab, attempt }: { job: Job; tab: Tab; attempt: number }) {
  const all = Array.from({ length: job.attempts }, (_, index) => index + 1).slice(-12);
  return (
    <nav class="chips attempts" aria-label="Attempts">
      {all.map((each) => (
        <a
          key={each}
          class="chip-button"
          href={jobHref(job.id, tab, { attempt: each })}
          aria-current={each === attempt ? 'page' : undefined}>
          Attempt {each}
        </a>
      ))}
    </nav>
  );
}
