// The files that have changed since a job's last attempt began, as a diff in one or in two columns, and what is said
// about their lines.
import { useEffect, useState } from 'preact/hooks';
import { moment, Problem, read, request } from '../base/api.ts';
import { counted } from '../base/format.ts';
import type { Changes, Job } from '../base/shapes.ts';
import { harmless, Said } from '../base/text.tsx';
import { Icon } from '../parts/icons.tsx';
import { Trouble } from '../parts/trouble.tsx';
import { Comments, mayComment } from './comment_parts.tsx';
import { draftOf } from './comments.ts';
import { diffsOf, type FileDiff, type Hunk } from './diff.ts';
import { Split, splitShown, switchSplit, Unified } from './diff_table.tsx';

const kMostLines = 600; // of one file that are shown at once

async function load(job: string): Promise<{ changes: Changes; diffs: FileDiff[] }> {
  const path = `/v1/jobs/${job}/changes`;
  const changes = (await read<Changes>(path))!.body;
  const patch = await request(path, { headers: { accept: 'text/x-diff' } });
  return { changes, diffs: diffsOf(await patch.text()) };
}

export function FilesView({ job, version }: { job: Job; version: number }) {
  return (
    <>
      {moment.value !== null && <p class="quiet">Files are compared as they are now, not as they were then.</p>}
      <Changed job={job} version={version} />
      {mayComment(job) && <Comments job={job} />}
    </>
  );
}

function Changed({ job, version }: { job: Job; version: number }) {
  const [loaded, setLoaded] = useState<Awaited<ReturnType<typeof load>> | null>(null);
  const [problem, setProblem] = useState<Problem | null>(null);
  useEffect(() => {
    let live = true;
    load(job.id).then(
      (all) => live && (setLoaded(all), setProblem(null)),
      (error) => live && setProblem(error as Problem),
    );
    return () => void (live = false);
  }, [job.id, version]);
  if (!loaded) return <Trouble problem={problem} loading={problem === null} />;
  const { changes, diffs } = loaded;
  const told = mayComment(job) ? job.id : null;
  const byPath = new Map(diffs.map((diff) => [diff.path, diff]));
  if (changes.files.length === 0)
    return <p class="empty">No file has changed since attempt {changes.attempt} began.</p>;
  return (
    <div class="files">
      <div class="files-head">
        <p class="quiet">
          {counted(changes.files.length, 'file')} changed since attempt {changes.attempt} began, by anyone.
          {told && ' The number of a line opens a comment for the agent.'}
        </p>
        {told && <CommentCount job={told} />}
        <button
          type="button"
          class="chip-button split-switch"
          aria-pressed={splitShown.value}
          data-key="s"
          title="Side by side (s)"
          onClick={switchSplit}>
          Side by side
        </button>
      </div>
      {changes.files.map((file) => (
        <details key={file.path} class="file" open={changes.files.length <= 12}>
          <summary>
            <Icon name="file" />
            <span class="file-path">
              <Said text={file.path} most={500} />
            </span>
            {file.change !== 'changed' && <span class="quiet">{file.change}</span>}
            <span class="plus">{file.added !== null && file.added > 0 ? `+${file.added}` : ''}</span>
            <span class="minus">{file.removed !== null && file.removed > 0 ? `−${file.removed}` : ''}</span>
          </summary>
          <FileBody job={told} diff={byPath.get(file.path)} />
        </details>
      ))}
      {changes.left_out?.length > 0 && (
        <p class="quiet">Too large to compare: {changes.left_out.map((path) => harmless(path)).join(', ')}</p>
      )}
    </div>
  );
}

function CommentCount({ job }: { job: string }) {
  const { length } = draftOf(job).value.comments;
  if (length === 0) return null;
  const show = () => document.querySelector('.comments')?.scrollIntoView({ block: 'nearest' });
  return (
    <button type="button" class="chip-button" onClick={show}>
      {counted(length, 'comment')}
    </button>
  );
}

/// `job`: to whose agent people may say something.
function FileBody({ job, diff }: { job: string | null; diff: FileDiff | undefined }) {
  const [most, setMost] = useState(kMostLines);
  if (!diff) return <p class="quiet pad">Nothing to show of it.</p>;
  if (diff.binary) return <p class="quiet pad">A binary file.</p>;
  const all = diff.hunks.reduce((sum, hunk) => sum + hunk.lines.length, 0);
  const Table = splitShown.value ? Split : Unified;
  return (
    <div class="diff-scroll" tabIndex={0} role="region" aria-label={`Changes of ${harmless(diff.path)}`}>
      <Table hunks={firstLines(diff.hunks, most)} told={job === null ? null : { job, path: diff.path }} />
      {all > most && (
        <button type="button" class="chip-button wide" onClick={() => setMost(most * 4)}>
          Show more of {all} lines
        </button>
      )}
    </div>
  );
}

/// Hunks with so many lines altogether.
function firstLines(hunks: Hunk[], most: number): Hunk[] {
  let left = most;
  const shown = hunks.map((hunk) => {
    const lines = hunk.lines.slice(0, Math.max(0, left));
    left -= lines.length;
    return { ...hunk, lines };
  });
  return shown.filter((hunk) => hunk.lines.length > 0);
}
