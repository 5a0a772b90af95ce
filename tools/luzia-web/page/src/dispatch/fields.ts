// What a new job is made of: the fields of its form, the request that they become, and which field a refusal is about.
import { Problem } from '../base/api.ts';
import { Forms } from '../base/drafts.ts';
import { keep, kept } from '../base/kept.ts';
import { kSandboxes, type Agent, type Project, type Sandbox } from '../base/shapes.ts';
import { bytesOf, wellFormed } from '../base/text.tsx';

const kEmpty = {
  task: '',
  agent: '',
  priority: '',
  tags: '',
  worktree: false,
  permissions: '',
  retries: '',
  sandbox: '',
  memory: '',
  verify: '',
};
export type Fields = typeof kEmpty;
export type FieldName = keyof Fields | 'project';
/// Drafts, by project.
export const dispatches = new Forms<Fields>('dispatch', kEmpty);

const kMostBytes = 1 << 20; // of a request, as the server takes it

const numberOf = (text: string): number | string => (/^\d{1,9}$/.test(text.trim()) ? Number(text) : text.trim());

/// Bytes, as the configuration writes them: 512M, 4 GiB, 1024. What is no size is left to the server to refuse.
function bytesIn(text: string): number | string {
  const found = /^(\d{1,15})\s*([KMGT]?)(iB|B)?$/i.exec(text.trim());
  const bytes = found ? Number(found[1]) * 1024 ** ' KMGT'.indexOf(found[2]!.toUpperCase() || ' ') : NaN;
  return Number.isSafeInteger(bytes) ? bytes : text.trim();
}

const linesOf = (text: string): string[] => text.split('\n').map((line) => line.trim()).filter(Boolean);

/// The body of POST /v1/jobs. What is empty is left to the project; what is no number is left to the server to refuse.
export function bodyOf(project: string, fields: Fields): object {
  const { task, agent, priority, worktree, permissions, retries, sandbox, memory } = fields;
  const verify = linesOf(fields.verify).map(wellFormed);
  const tags = fields.tags.split(/[\s,]+/).filter(Boolean);
  return {
    project,
    task: wellFormed(task),
    ...(agent && { agent }),
    ...(priority && { priority: numberOf(priority) }),
    ...(tags.length > 0 && { tags: tags.map(wellFormed) }),
    ...(worktree && { worktree }),
    ...(permissions && { permissions }),
    ...(retries.trim() && { retries: numberOf(retries) }),
    ...(sandbox && { sandbox }),
    ...(memory.trim() && { memory_bytes: bytesIn(memory) }),
    ...(verify.length > 0 && { verify }),
  };
}

/// Why the server would not even read the request; null: it does.
export function tooLong(body: object): Problem | null {
  const size = bytesOf(JSON.stringify(body));
  if (size <= kMostBytes) return null;
  const what = `The task is too long: the request has ${size} bytes; the limit is ${kMostBytes}.`;
  return new Problem(what, -1, 'task_too_long', 'Write it to a file on the machine, and name the file.');
}

const kFieldOfCode: Record<string, FieldName> = {
  unknown_project: 'project',
  no_directory: 'project',
  directory_silent: 'project',
  user_not_allowed: 'project',
  unknown_agent: 'agent',
  empty_task: 'task',
  bad_task: 'task',
  task_too_long: 'task',
  bad_priority: 'priority',
  bad_tag: 'tags',
  bad_permissions: 'permissions',
  no_permissions: 'permissions',
  permissions_too_wide: 'permissions',
  not_from_the_web: 'permissions',
  bad_sandbox: 'sandbox',
  sandbox_too_weak: 'sandbox',
  bad_limit: 'memory',
  bad_verify: 'verify',
};

/// The field that a refusal is about; null: none of them.
export function fieldOf({ code, message }: Problem): FieldName | null {
  if (code !== 'bad_field') return kFieldOfCode[code] ?? null;
  const name = (/\bfield (\w+)/.exec(message)?.[1] ?? '').replace(/^memory_bytes$/, 'memory');
  return name === 'project' || Object.hasOwn(kEmpty, name) ? (name as FieldName) : null;
}

/// What is configured for a job of this agent (empty: the project's). null: unknown, for the agent is.
export function configuredFor(
  project: Project,
  agents: Agent[],
  agent: string,
): Pick<Agent, 'sandbox' | 'memory_bytes'> | null {
  const name = agent || (project.agent ?? '');
  const own = agents.find((each) => each.name === name);
  if (!own) return null;
  return { sandbox: project.sandbox ?? own.sandbox, memory_bytes: project.memory_bytes ?? own.memory_bytes };
}

/// The sandboxes that a device may choose: none wider than the configured one.
export const sandboxesFrom = (least: Sandbox): Sandbox[] => kSandboxes.slice(kSandboxes.indexOf(least));

/// The project of the last dispatch from this browser, or else the first.
export function firstChoice(projects: Project[]): string {
  const last = kept('project');
  return projects.find((each) => each.name === last)?.name ?? projects[0]!.name;
}

export const rememberProject = (name: string): void => keep('project', name);

/// Chooses another project. What is written moves there, unless something is kept there.
export function moveDraft(from: string, to: string): void {
  const draft = dispatches.of(from).value;
  if (draft.sending || from === to || !dispatches.isEmpty(dispatches.of(to).value)) return;
  dispatches.write(to, draft.fields);
  dispatches.discard(from);
}
