// What a person has written and the server has not yet taken. This browser keeps it, the same in all of its tabs.
import { signal, type Signal } from '@preact/signals';
import { act, commandId, isRefused } from './api.ts';
import { forget, forgetAll, keep, kept } from './kept.ts';

interface Draft {
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  draft: Signal<any>;
  forget: () => void;
}
const drafts = new Map<string, Draft>();
const kKinds = ['comments.', 'dispatch.', 'message.'] as const;
export type DraftKey = `${(typeof kKinds)[number]}${string}`;

function parsed(text: string | null): unknown {
  try {
    return JSON.parse(text ?? 'null');
  } catch {
    return null;
  }
}

/// The draft that is kept as `key`. `read` makes one of what was kept, or of null.
export function draftAt<T>(key: DraftKey, read: (kept: unknown) => T): Signal<T> {
  const known = drafts.get(key);
  if (known) return known.draft as Signal<T>;
  const draft = signal(read(parsed(kept(key))));
  drafts.set(key, { draft, forget: () => (draft.value = read(null)) });
  addEventListener('storage', (event) => {
    if (event.key === `luzia.${key}`) draft.value = read(parsed(event.newValue));
  });
  return draft;
}

export function keepDraft<T>(key: DraftKey, draft: Signal<T>, next: T, empty: boolean): void {
  draft.value = next;
  if (empty) forget(key);
  else keep(key, JSON.stringify(next));
}

/// Another person has this browser now, whom they do not concern.
export function forgetDrafts(): void {
  for (const kind of kKinds) forgetAll(kind);
  for (const each of drafts.values()) each.forget();
}

/// `sending`: a command whose fate is unknown. It is sent again as it was, with the same command id.
export interface Form<F> {
  fields: F;
  sending: { id: string; body: object } | null;
}

/// Forms of one kind, each with a draft by a key of its own.
export class Forms<F extends object> {
  constructor(
    private readonly kind: 'dispatch' | 'message',
    readonly empty: F,
  ) {}

  of(key: string): Signal<Form<F>> {
    return draftAt(`${this.kind}.${key}`, (kept) => this.read(kept));
  }

  write(key: string, part: Partial<F>): void {
    const { fields, sending } = this.of(key).value;
    this.change(key, { fields: { ...fields, ...part }, sending });
  }

  discard(key: string): void {
    this.change(key, { fields: this.empty, sending: null });
  }

  isEmpty({ fields, sending }: Form<F>): boolean {
    return !sending && this.names().every((name) => fields[name] === this.empty[name]);
  }

  /// Sends `body`, or what was sent and not answered. The draft stays until the server has taken it.
  async send<T>(key: string, path: string, body: object): Promise<T> {
    const draft = this.of(key);
    const sending = draft.value.sending ?? { id: commandId(), body };
    this.change(key, { ...draft.value, sending });
    try {
      const answer = await act<T>(path, sending.body, sending.id);
      this.discard(key);
      return answer;
    } catch (error) {
      if (isRefused(error)) this.change(key, { ...draft.value, sending: null });
      throw error;
    }
  }

  private names(): (keyof F)[] {
    return Object.keys(this.empty) as (keyof F)[];
  }

  private change(key: string, next: Form<F>): void {
    keepDraft(`${this.kind}.${key}`, this.of(key), next, this.isEmpty(next));
  }

  /// Fields of another type, as an older page may have kept them, are empty.
  private read(kept: unknown): Form<F> {
    const { fields, sending } = (kept ?? {}) as Partial<Form<Partial<F>>>;
    const read = { ...this.empty };
    for (const name of this.names()) {
      const value = fields?.[name];
      if (typeof value === typeof this.empty[name]) read[name] = value as F[keyof F];
    }
    return { fields: read, sending: typeof sending?.id === 'string' && sending.body ? sending : null };
  }
}
