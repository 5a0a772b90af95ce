// Where the steps of a flow stand: in layers, each step behind those that it needs, with few crossings.
import type { FlowStep } from '../base/shapes.ts';

export interface Point {
  x: number;
  y: number;
}
export interface Node extends Point {
  step: FlowStep;
}
/// A dependency: from the end of a step through the layers between to the begin of another.
export interface Edge {
  from: FlowStep;
  to: FlowStep;
  points: Point[];
}
export interface Graph {
  down: boolean; // from top to bottom
  nodes: Node[];
  edges: Edge[];
  width: number;
  height: number;
  node: { width: number; height: number };
}

const kHeight = 58;
const kGap = { beside: 14, between: 46, near: 8, below: 30 }; // near, below: from top to bottom
const kWidth = { least: 138, narrow: 96, most: 220 };
const kSweeps = 4;

/// A step, or the place where an edge passes a layer (step null).
interface Cell {
  step: FlowStep | null;
  layer: number;
  before: Cell[];
  after: Cell[];
  order: number;
}

/// How many steps must come first, at least: the layer of each step.
export function layersOf(steps: FlowStep[]): Map<string, number> {
  const byName = new Map(steps.map((step) => [step.name, step]));
  const layers = new Map<string, number>();
  const layerOf = (step: FlowStep, above: ReadonlySet<string>): number => {
    const known = layers.get(step.name);
    if (known !== undefined) return known;
    const seen = new Set(above).add(step.name);
    const needs = step.needs.map((name) => byName.get(name)).filter((need) => need && !seen.has(need.name));
    const layer = Math.max(0, ...needs.map((need) => layerOf(need!, seen) + 1));
    layers.set(step.name, layer);
    return layer;
  };
  for (const step of steps) layerOf(step, new Set());
  return layers;
}

function joined(before: Cell, after: Cell): void {
  before.after.push(after);
  after.before.push(before);
}

/// The cells of each layer; edges that pass a layer have a cell there.
function cellsOf(steps: FlowStep[]): { layers: Cell[][]; paths: Cell[][] } {
  const layer = layersOf(steps);
  const layers: Cell[][] = [];
  const add = (step: FlowStep | null, at: number): Cell => {
    const cells = (layers[at] ??= []);
    const cell: Cell = { step, layer: at, before: [], after: [], order: cells.length };
    cells.push(cell);
    return cell;
  };
  const cells = new Map(steps.map((step) => [step.name, add(step, layer.get(step.name)!)]));
  const paths: Cell[][] = [];
  for (const to of cells.values()) {
    for (const name of to.step!.needs) {
      const from = cells.get(name);
      if (!from || from.layer >= to.layer) continue;
      const path = [from];
      for (let at = from.layer + 1; at < to.layer; ++at) path.push(add(null, at));
      path.push(to);
      path.slice(1).forEach((cell, index) => joined(path[index]!, cell));
      paths.push(path);
    }
  }
  return { layers, paths };
}

/// Orders each layer by the middle of its neighbours, forwards and backwards.
function untangle(layers: Cell[][]): void {
  for (let sweep = 0; sweep < kSweeps; ++sweep) {
    const forwards = sweep % 2 === 0;
    for (const cells of forwards ? layers : [...layers].reverse()) {
      const middle = (cell: Cell) => {
        const near = forwards ? cell.before : cell.after;
        return near.length === 0 ? cell.order : near.reduce((sum, each) => sum + each.order, 0) / near.length;
      };
      const middles = new Map(cells.map((cell) => [cell, middle(cell)]));
      cells.sort((a, b) => middles.get(a)! - middles.get(b)!);
      cells.forEach((cell, index) => (cell.order = index));
    }
  }
}

/// The graph for a space so wide: from left to right, or from top to bottom where it is narrow.
export function graphOf(steps: FlowStep[], space: number): Graph {
  const { layers, paths } = cellsOf(steps);
  untangle(layers);
  const down = space < 620;
  const most = Math.max(1, ...layers.map((cells) => cells.length));
  const [count, gap] = down ? [most, kGap.near] : [layers.length, kGap.between];
  const fit = Math.floor((space - (count - 1) * gap) / Math.max(1, count));
  const node = { width: Math.min(kWidth.most, Math.max(down ? kWidth.narrow : kWidth.least, fit)), height: kHeight };
  const beside = down ? kGap.near : kGap.beside;
  const across = (down ? node.width : node.height) + beside;
  const along = down ? node.height + kGap.below : node.width + kGap.between;
  const place = (cell: Cell): Point => {
    const cells = layers[cell.layer]!;
    const side = ((most - cells.length) / 2 + cell.order) * across;
    return down ? { x: side, y: cell.layer * along } : { x: cell.layer * along, y: side };
  };
  const nodes = layers.flat().flatMap((cell) => (cell.step ? [{ step: cell.step, ...place(cell) }] : []));
  const edges = paths.map((path) => ({
    from: path[0]!.step!,
    to: path.at(-1)!.step!,
    points: path.flatMap((cell) => ends(place(cell), node, down)).slice(1, -1),
  }));
  const [sideways, length] = [most * across - beside, layers.length * along - (down ? kGap.below : kGap.between)];
  return { down, nodes, edges, node, width: down ? sideways : length, height: down ? length : sideways };
}

/// Where edges meet a cell: in front and behind.
function ends({ x, y }: Point, node: { width: number; height: number }, down: boolean): Point[] {
  if (down)
    return [
      { x: x + node.width / 2, y },
      { x: x + node.width / 2, y: y + node.height },
    ];
  return [
    { x, y: y + node.height / 2 },
    { x: x + node.width, y: y + node.height / 2 },
  ];
}

/// The points as a smooth path.
export function pathOf(points: Point[], down: boolean): string {
  const [first, ...rest] = points;
  if (!first) return '';
  let last = first;
  const parts = rest.map((point) => {
    const [from, to] = [last, point];
    last = point;
    const [x, y] = [(from.x + to.x) / 2, (from.y + to.y) / 2];
    return down
      ? `C${from.x} ${y} ${to.x} ${y} ${to.x} ${to.y}`
      : `C${x} ${from.y} ${x} ${to.y} ${to.x} ${to.y}`;
  });
  return `M${first.x} ${first.y}${parts.join('')}`;
}
