// Pairing: a one-time code makes this browser a device. The code comes with the link, or is typed.
import { useEffect, useState } from 'preact/hooks';
import { act, keepHalf, Problem, unpaired } from '../base/api.ts';
import { Icon } from '../parts/icons.tsx';

/// The code of the address (#code=...), which it is taken out of at once.
export function takeCode(): string | null {
  const code = new URLSearchParams(location.hash.slice(1)).get('code');
  if (code !== null) history.replaceState(null, '', location.pathname);
  return code;
}

/// Crockford's letters and digits of what was typed, as XXXX-XXXX.
export function codeOf(typed: string): string {
  const bare = typed
    .toUpperCase()
    .replace(/[^0-9A-Z]/g, '')
    .replaceAll('O', '0')
    .replace(/[IL]/g, '1')
    .slice(0, 8);
  return bare.length > 4 ? `${bare.slice(0, 4)}-${bare.slice(4)}` : bare;
}

/// "Firefox on Android": what the device is called unless the offer names it.
export function deviceName(agent: string): string {
  const first = (words: string[]) => words.find((word) => agent.includes(word));
  const system = first(['iPhone', 'iPad', 'Android', 'Windows', 'Macintosh', 'CrOS', 'Linux']) ?? 'device';
  const browser = first(['Firefox', 'Edg', 'OPR', 'Chrome', 'Safari']) ?? 'Browser';
  const names: Record<string, string> = { Edg: 'Edge', OPR: 'Opera', Macintosh: 'Mac', CrOS: 'Chromebook' };
  return `${names[browser] ?? browser} on ${names[system] ?? system}`;
}

/// `paired`: the browser is a device already. Then a link does nothing by itself: anybody may have made it.
export function Pair(props: { code: string | null; paired: boolean; onPaired: () => void }) {
  const { code, paired, onPaired } = props;
  const [typed, setTyped] = useState(code ? codeOf(code) : '');
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<Problem | null>(null);
  const pair = async (words: string) => {
    setBusy(true);
    setProblem(null);
    try {
      const admitted = await act<{ page: string }>('/v1/pair', { code: words, name: deviceName(navigator.userAgent) });
      keepHalf(admitted.page);
      unpaired.value = false;
      onPaired();
    } catch (error) {
      setProblem(error as Problem);
      setTyped('');
    }
    setBusy(false);
  };
  useEffect(() => void (code && !paired && pair(codeOf(code))), []);
  return (
    <main class="pair" id="main">
      <form class="pair-card" onSubmit={(event) => (event.preventDefault(), void pair(typed))}>
        <img src="/icon.svg" alt="" width="56" height="56" />
        <h1>{paired ? 'Pair this device again?' : 'Pair this device'}</h1>
        <p class="quiet" id="pair-how">
          Type the code that <code>luzia web pair</code> prints. It works once, for five minutes.
        </p>
        <input
          class="code-field"
          value={typed}
          aria-label="Code"
          aria-describedby="pair-how pair-problem"
          name="code"
          autofocus
          placeholder="XXXX-XXXX"
          autocomplete="one-time-code"
          autocapitalize="characters"
          spellcheck={false}
          disabled={busy}
          onInput={(event) => setTyped((event.currentTarget.value = codeOf(event.currentTarget.value)))}
        />
        <p id="pair-problem" class={problem ? 'problem' : 'hidden'} role="alert">
          {problem ? `${problem.message} ${problem.hint}` : ''}
        </p>
        <button class="button primary" type="submit" disabled={busy || typed.length !== 9}>
          <Icon name="device" /> {busy ? 'Pairing…' : 'Pair'}
        </button>
        {paired && (
          <button class="button" type="button" disabled={busy} onClick={onPaired}>
            Keep it as it is
          </button>
        )}
      </form>
    </main>
  );
}
