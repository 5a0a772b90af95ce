// What forms share whose command is sent once: their draft, what the server says, the button that sends.
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { Problem } from '../base/api.ts';
import type { Forms } from '../base/drafts.ts';
import { Icon, type IconName } from './icons.tsx';

/// The draft `key` of `forms`. send() returns null if the server did not take it; then `problem` says why.
export function useForm<F extends object>(forms: Forms<F>, key: string) {
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<Problem | null>(null);
  const { fields, sending } = forms.of(key).value;
  const send = async <T,>(path: string, body: object): Promise<T | null> => {
    setBusy(true);
    setProblem(null);
    try {
      return await forms.send<T>(key, path, body);
    } catch (error) {
      setProblem(error as Problem);
      return null;
    } finally {
      setBusy(false);
    }
  };
  const write = (part: Partial<F>) => forms.write(key, part);
  const discard = () => (setProblem(null), forms.discard(key));
  return { fields, locked: sending !== null, busy, problem, setProblem, write, send, discard };
}

/// Ctrl+Enter in any field of a form sends it.
export function sendByKey(event: KeyboardEvent & { currentTarget: HTMLFormElement }): void {
  if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey) || event.isComposing) return;
  event.preventDefault();
  event.currentTarget.requestSubmit();
}

interface SendBarProps {
  verb: string;
  icon: IconName;
  locked: boolean;
  busy: boolean;
  onDiscard: () => void;
}

/// The button that sends. Without an answer it sends again; or the draft is discarded.
export function SendBar({ verb, icon, locked, busy, onDiscard }: SendBarProps) {
  const again = locked && !busy;
  const button = useRef<HTMLButtonElement>(null);
  useLayoutEffect(() => void (again && button.current!.focus()), [again]);
  return (
    <>
      {again && (
        <p class="quiet" id="not-known">
          It is not known whether this arrived. Sent again, it counts once.
        </p>
      )}
      <div class="buttons">
        <button
          ref={button}
          type="submit"
          class="button primary"
          disabled={busy}
          aria-describedby={again ? 'not-known' : undefined}
          title={`${verb} (Ctrl+Enter)`}>
          <Icon name={icon} /> {busy ? 'Sending…' : again ? 'Send again' : verb}
        </button>
        {again && (
          <button type="button" class="button" onClick={onDiscard}>
            Discard
          </button>
        )}
      </div>
    </>
  );
}
