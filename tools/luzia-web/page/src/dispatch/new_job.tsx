// The dialog that dispatches a job, and the button that opens it.
import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useState } from 'preact/hooks';
import { agentLimits, never } from '../base/concerns.ts';
import { bytes } from '../base/format.ts';
import { readAllAgain, useReading } from '../base/reading.ts';
import { go, jobHref } from '../base/route.ts';
import type { Agent, Job, Project, Sandbox } from '../base/shapes.ts';
import { firstLine, Said } from '../base/text.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { SendBar, sendByKey, useForm } from '../parts/form.tsx';
import { Icon } from '../parts/icons.tsx';
import { newJobShown } from '../parts/keys.ts';
import { say } from '../parts/toast.tsx';
import { Refusal, Trouble } from '../parts/trouble.tsx';
import { bodyOf, configuredFor, dispatches, fieldOf, firstChoice, moveDraft } from './fields.ts';
import { rememberProject, sandboxesFrom, tooLong, type FieldName, type Fields } from './fields.ts';

const kPriorities = ['9, first', '8', '7', '6', '5', '4', '3', '2', '1', '0, last'].map(
  (words) => [words[0]!, words] as const,
);
const kPermissions = [
  ['plan', 'plan: changes nothing'],
  ['ask', 'ask: asks before it acts'],
  ['edits', 'edits: may edit files'],
] as const;
const kSandboxWords: Record<Sandbox, string> = {
  off: 'off: reaches what its user reaches',
  project: 'project: changes only its project, sees no keys',
  strict: 'strict: sees its project and programs alone',
};

export function NewJobButton({ primary = false }: { primary?: boolean }) {
  return (
    <button
      type="button"
      class={primary ? 'button primary' : 'button new-job'}
      title="New job (n)"
      onClick={() => (newJobShown.value = true)}>
      <Icon name="plus" /> New job
    </button>
  );
}

export function NewJob() {
  if (!newJobShown.value) return null;
  return (
    <Dialog title="New job" onClose={() => (newJobShown.value = false)} wide>
      <Choices />
    </Dialog>
  );
}

function Choices() {
  const projects = useReading<{ projects: Project[] }>('/v1/projects', never);
  const agents = useReading<{ agents: Agent[] }>('/v1/agents', agentLimits);
  if (!projects.value || !agents.value)
    return <Trouble problem={projects.problem ?? agents.problem} loading={projects.loading || agents.loading} />;
  if (projects.value.projects.length === 0)
    return (
      <p>
        There is no project yet. Type <code>luzia project add</code> in a terminal, in the folder of your project.
      </p>
    );
  return <JobForm projects={projects.value.projects} agents={agents.value.agents} />;
}

function JobForm({ projects, agents }: { projects: Project[]; agents: Agent[] }) {
  const [project, setProject] = useState(() => firstChoice(projects));
  const { fields, locked, busy, problem, setProblem, write, send, discard } = useForm(dispatches, project);
  const wrong = problem && !locked ? fieldOf(problem) : null;
  useEffect(() => document.getElementById('new-task')?.focus(), []);
  useLayoutEffect(() => void (wrong && document.getElementById(`new-${wrong}`)?.focus()), [problem, wrong]);
  const choose = (name: string) => {
    moveDraft(project, name);
    setProject(name);
    setProblem(null);
  };
  const submit = async () => {
    if (busy) return;
    const body = bodyOf(project, fields);
    const long = locked ? null : tooLong(body);
    if (long) return setProblem(long);
    const job = await send<Job>('/v1/jobs', body);
    if (!job) return;
    rememberProject(project);
    say('Dispatched');
    readAllAgain();
    if (!newJobShown.value) return; // it was closed meanwhile
    newJobShown.value = false;
    go(jobHref(job.id));
  };
  const own = projects.find((each) => each.name === project)!;
  const entries = { fields, locked, wrong, refusal: <Refusal problem={problem} id="new-problem" />, write };
  return (
    <form class="form" noValidate onKeyDown={sendByKey} onSubmit={(event) => (event.preventDefault(), void submit())}>
      <div class="form-pair">
        <Entry {...entries} name="project" label="Project">
          <select
            {...attributes('project', wrong, busy)}
            value={project}
            onChange={(event) => choose(event.currentTarget.value)}>
            {projects.map(({ name }) => (
              <option key={name}>{name}</option>
            ))}
          </select>
        </Entry>
        <AgentEntry {...entries} agents={agents} standard={own.agent} />
      </div>
      <Entry {...entries} name="task" label="Task">
        <textarea
          {...attributes('task', wrong, locked)}
          rows={5}
          placeholder="What the agent should do"
          value={fields.task}
          onInput={(event) => write({ task: event.currentTarget.value })}
        />
      </Entry>
      <More {...entries} project={own} agents={agents} />
      {wrong === null && entries.refusal}
      <SendBar verb="Dispatch" icon="play" locked={locked} busy={busy} onDiscard={discard} />
    </form>
  );
}

interface EntriesProps {
  fields: Fields;
  locked: boolean;
  wrong: FieldName | null;
  refusal: ComponentChildren;
  write: (part: Partial<Fields>) => void;
}

const attributes = (name: FieldName, wrong: FieldName | null, disabled: boolean) => ({
  id: `new-${name}`,
  disabled,
  ...(wrong === name && { 'aria-invalid': true, 'aria-describedby': 'new-problem' }),
});

interface EntryProps {
  name: FieldName;
  label: string;
  wrong: FieldName | null;
  refusal: ComponentChildren;
  children: ComponentChildren;
}

/// A field with its name, and what the server says against it.
function Entry({ name, label, wrong, refusal, children }: EntryProps) {
  return (
    <div class="field">
      <label for={`new-${name}`}>{label}</label>
      {children}
      {wrong === name && refusal}
    </div>
  );
}

function AgentEntry(props: EntriesProps & { agents: Agent[]; standard: string | null }) {
  const { fields, locked, wrong, write, agents, standard } = props;
  return (
    <Entry {...props} name="agent" label="Agent">
      <select
        {...attributes('agent', wrong, locked)}
        value={fields.agent}
        onChange={(event) => write({ agent: event.currentTarget.value })}>
        <option value="">{standard ? `${standard}, as the project says` : 'as the project says'}</option>
        {agents.map(({ name, parked_until }) => (
          <option key={name} value={name}>
            {parked_until ? `${name}, parked until ${parked_until}` : name}
          </option>
        ))}
        {fields.agent && !agents.some(({ name }) => name === fields.agent) && <option>{fields.agent}</option>}
      </select>
    </Entry>
  );
}

const kMore: FieldName[] = ['priority', 'tags', 'worktree', 'permissions', 'retries', 'sandbox', 'memory', 'verify'];

function More(props: EntriesProps & { project: Project; agents: Agent[] }) {
  const { fields, locked, wrong, write, project, agents } = props;
  const { task, agent, ...rest } = fields;
  const [open, setOpen] = useState(Object.values(rest).some(Boolean));
  const needed = wrong !== null && kMore.includes(wrong);
  useLayoutEffect(() => void (needed && setOpen(true)), [needed]);
  const configured = configuredFor(project, agents, agent);
  const memory = configured?.memory_bytes ? bytes(configured.memory_bytes) : 'no limit';
  return (
    <details class="more" open={open || needed} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>More</summary>
      <div class="form">
        <div class="form-pair">
          <Choice {...props} name="priority" label="Priority" standard="as the project says" options={kPriorities} />
          <TextEntry {...props} name="retries" label="Retries after a failure" placeholder="as configured" numeric />
        </div>
        <Choice
          {...props}
          name="permissions"
          label="Permissions"
          standard="as the project says"
          options={kPermissions}
        />
        <div class="form-pair">
          <Choice
            {...props}
            name="sandbox"
            label="Sandbox"
            standard={configured ? `${configured.sandbox}, as configured` : 'as configured'}
            options={sandboxesFrom(configured?.sandbox ?? 'off').map((each) => [each, kSandboxWords[each]])}
          />
          <TextEntry
            {...props}
            name="memory"
            label="Most memory, such as 4G"
            placeholder={configured ? `${memory}, as configured` : 'as configured'}
          />
        </div>
        <Entry {...props} name="verify" label="Commands that prove its work, one a line">
          <textarea
            {...attributes('verify', wrong, locked)}
            rows={2}
            placeholder="make test"
            spellcheck={false}
            value={fields.verify}
            onInput={(event) => write({ verify: event.currentTarget.value })}
          />
          {project.verify.length > 0 && (
            <span class="quiet">
              They run after those of the project: <Said text={project.verify.map(firstLine).join('; ')} most={200} />
            </span>
          )}
        </Entry>
        <TextEntry {...props} name="tags" label="Tags, with spaces between them" />
        <label class="check">
          <input
            type="checkbox"
            {...attributes('worktree', wrong, locked)}
            checked={fields.worktree}
            onChange={(event) => write({ worktree: event.currentTarget.checked })}
          />
          <span>In a git worktree of its own</span>
        </label>
        {wrong === 'worktree' && props.refusal}
      </div>
    </details>
  );
}

interface ChoiceProps extends EntriesProps {
  name: 'priority' | 'permissions' | 'sandbox';
  label: string;
  standard: string; // what an empty field means
  options: readonly (readonly [value: string, words: string])[];
}

function Choice(props: ChoiceProps) {
  const { name, fields, locked, wrong, write, standard, options } = props;
  const chosen = fields[name];
  return (
    <Entry {...props}>
      <select
        {...attributes(name, wrong, locked)}
        value={chosen}
        onChange={(event) => write({ [name]: event.currentTarget.value })}>
        <option value="">{standard}</option>
        {options.map(([value, words]) => (
          <option key={value} value={value}>
            {words}
          </option>
        ))}
        {chosen && !options.some(([value]) => value === chosen) && <option>{chosen}</option>}
      </select>
    </Entry>
  );
}

interface TextEntryProps extends EntriesProps {
  name: 'tags' | 'retries' | 'memory';
  label: string;
  placeholder?: string;
  numeric?: boolean;
}

function TextEntry(props: TextEntryProps) {
  const { name, fields, locked, wrong, write, placeholder, numeric = false } = props;
  return (
    <Entry {...props}>
      <input
        type="text"
        {...attributes(name, wrong, locked)}
        value={fields[name]}
        placeholder={placeholder}
        inputMode={numeric ? 'numeric' : 'text'}
        autocomplete="off"
        autocapitalize="off"
        spellcheck={false}
        onInput={(event) => write({ [name]: event.currentTarget.value })}
      />
    </Entry>
  );
}
