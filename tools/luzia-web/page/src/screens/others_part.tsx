// The other machines of the configuration, on Machine.
import { duration } from '../base/format.ts';
import { isOther, useOfAll, useOthers } from '../base/others.ts';
import type { OtherMachine, Overview } from '../base/shapes.ts';
import { SilentMachines } from '../parts/on_machine.tsx';
import { Refusal } from '../parts/trouble.tsx';
import { kOverview } from './now.tsx';

const kOddClockSeconds = 2;

/// "0.9.1, 4 slots, load 30 % of a core, clock 3 s ahead".
function wordsOf(machine: OtherMachine): string {
  const ahead = machine.clock_ahead_seconds;
  return [
    machine.version,
    machine.slots !== null && `${machine.slots} slots`,
    machine.load_percent !== null && `load ${machine.load_percent} %`,
    Math.abs(ahead) > kOddClockSeconds && `clock ${duration(Math.abs(ahead))} ${ahead > 0 ? 'ahead' : 'behind'}`,
  ]
    .filter(Boolean)
    .join(', ');
}

export function Others() {
  const machines = useOthers();
  const all = useOfAll<Overview>(kOverview);
  if (machines.length === 0) return null;
  const jobsOn = (name: string) =>
    [...(all.value?.needs_input ?? []), ...(all.value?.working ?? []), ...(all.value?.queued ?? [])].filter(
      (job) => isOther(job) && job.machine === name,
    ).length;
  return (
    <section class="panel" aria-labelledby="others">
      <h2 id="others">Other machines</h2>
      <Refusal problem={all.problem} />
      <SilentMachines machines={all.value?.machines} />
      <div class="rows">
        {machines.map((machine) => (
          <div class="row" key={machine.name}>
            <span class="row-main">
              <span class="row-title">{machine.name}</span>
              <span class="row-sub">
                <span class="mono">{machine.ssh}</span>
                {machine.labels.length > 0 && <span>{machine.labels.join(', ')}</span>}
              </span>
            </span>
            <span class="row-end">
              <span class="time">{jobsOn(machine.name)} open</span>
              <span class="spent">{wordsOf(machine)}</span>
            </span>
          </div>
        ))}
      </div>
    </section>
  );
}
