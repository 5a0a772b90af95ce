// The graph of a flow: steps as links, in front of their dependencies. Positions are set through the style object.
import { useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { nowUs } from '../base/clock.ts';
import { fine, usOf } from '../base/format.ts';
import { href } from '../base/route.ts';
import type { Flow, FlowStep } from '../base/shapes.ts';
import { Said } from '../base/text.tsx';
import { Icon } from '../parts/icons.tsx';
import { graphOf, pathOf, type Graph, type Node } from './graph.ts';
import { asksPerson, lookOfStep } from './steps.ts';

const kMargin = 8; // around the graph, for outlines; its frame has as much again

export function GraphView({ flow, chosen }: { flow: Flow; chosen: string | undefined }) {
  const frame = useRef<HTMLDivElement>(null);
  const [space, setSpace] = useState(900);
  useLayoutEffect(() => {
    const look = () => setSpace(frame.current!.clientWidth - 4 * kMargin);
    look();
    const watch = new ResizeObserver(look);
    watch.observe(frame.current!);
    return () => watch.disconnect();
  }, []);
  const graph = useMemo(() => graphOf(flow.steps, space), [flow, space]);
  return (
    <div class="graph-frame" ref={frame} tabIndex={0} role="region" aria-label="Graph of the steps">
      <ol class="graph" style={{ width: `${graph.width + 2 * kMargin}px`, height: `${graph.height + 2 * kMargin}px` }}>
        <li aria-hidden="true">
          <Edges graph={graph} />
        </li>
        {graph.nodes.map((node) => (
          <StepNode key={node.step.name} flow={flow} node={node} graph={graph} current={node.step.name === chosen} />
        ))}
      </ol>
    </div>
  );
}

function Edges({ graph }: { graph: Graph }) {
  const [width, height] = [graph.width + 2 * kMargin, graph.height + 2 * kMargin];
  return (
    <svg class="edges" width={width} height={height} viewBox={`${-kMargin} ${-kMargin} ${width} ${height}`}>
      {graph.edges.map(({ from, to, points }) => (
        <path
          key={`${from.name} ${to.name}`}
          d={pathOf(points, graph.down)}
          class={from.state === 'completed' || from.state === 'skipped' ? 'edge met' : `edge ${from.state}`}
        />
      ))}
    </svg>
  );
}

/// What the step does, or how it came out, in a few words.
function Detail({ flow, step }: { flow: Flow; step: FlowStep }) {
  const look = lookOfStep(flow, step);
  if (step.error) return <Said text={step.error} line most={80} />;
  if (!step.started_at) return <>{look.word}</>;
  const end = step.ended_at ? usOf(step.ended_at) : nowUs.value;
  return (
    <>
      {fine((end - usOf(step.started_at)) / 1e6)}
      {step.tries > 1 && `, try ${step.tries}`}
    </>
  );
}

function StepNode(props: { flow: Flow; node: Node; graph: Graph; current: boolean }) {
  const { flow, node, graph, current } = props;
  const { step } = node;
  const look = lookOfStep(flow, step);
  const open = step.gate_state === 'opened';
  return (
    <li
      class="graph-place"
      style={{
        translate: `${node.x + kMargin}px ${node.y + kMargin}px`,
        width: `${graph.node.width}px`,
        height: `${graph.node.height}px`,
      }}>
      <a
        class={`node node-${step.state}${asksPerson(flow, step) ? ' asks' : ''}`}
        href={href(`flows/${flow.id}`, { step: step.name })}
        aria-current={current ? 'true' : undefined}
        data-row>
        <span class={`mark tone-${look.tone}`}>
          <Icon name={look.icon} label={look.word} />
        </span>
        <span class="node-main">
          <Said class="node-name" text={step.name} line most={80} />
          <span class="node-sub">
            <Detail flow={flow} step={step} />
          </span>
        </span>
        {step.gate && (
          <span class={`node-gate${open ? ' open' : ''}`} title={`gate ${step.gate}: ${step.gate_state}`}>
            <Icon name="lock" label={`gate, ${step.gate_state}`} />
          </span>
        )}
      </a>
    </li>
  );
}
