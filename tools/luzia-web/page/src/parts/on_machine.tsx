// Which machine something is on, and how old what it said is.
import { nowUs } from '../base/clock.ts';
import { roughly } from '../base/format.ts';
import { isOther, silentOnes } from '../base/others.ts';
import type { MachineAnswer, OnMachine } from '../base/shapes.ts';
import { Said } from '../base/text.tsx';
import { Icon } from './icons.tsx';

const age = (asOfUs: number): string => `${roughly((nowUs.value - asOfUs) / 1e6)} ago`;

/// "web1", "web1, 3 min ago"; nothing on this machine.
export function MachineName({ row }: { row: OnMachine }) {
  if (!isOther(row)) return null;
  return (
    <span class="on-machine">
      <Icon name="machine" label="machine" /> {row.machine}
      {row.as_of_us ? `, ${age(row.as_of_us)}` : ''}
    </span>
  );
}

/// A line for each other machine that did not answer.
export function SilentMachines({ machines }: { machines: MachineAnswer[] | undefined }) {
  return (
    <>
      {silentOnes(machines).map((each) => (
        <p class="notice warn" key={each.machine}>
          <Icon name="machine" />
          <span>
            {each.machine} does not answer
            {each.as_of_us ? `; its rows are from ${age(each.as_of_us)}` : ''}.{' '}
            <span class="quiet">
              <Said text={each.error?.message ?? ''} line most={300} />
            </span>
          </span>
        </p>
      ))}
    </>
  );
}
