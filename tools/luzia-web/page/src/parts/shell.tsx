// The frame: where one can go, whether the page is live, which time it shows.
import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { moment, silentSince } from '../base/api.ts';
import { clock, inFull, usOf } from '../base/format.ts';
import { mayActNow, me } from '../base/me.ts';
import { href, route } from '../base/route.ts';
import { nextTheme, theme } from '../base/theme.ts';
import { NewJob, NewJobButton } from '../dispatch/new_job.tsx';
import { asked, useOverview } from '../screens/now.tsx';
import { Help } from './help.tsx';
import { Icon } from './icons.tsx';
import { helpShown, kPaletteKey, paletteShown, timeShown } from './keys.ts';
import { Palette } from './palette.tsx';
import { kPlaces } from './places.ts';
import { TimeBar } from './time_bar.tsx';
import { Toasts } from './toast.tsx';

export function Shell({ children }: { children: ComponentChildren }) {
  const { value } = useOverview();
  const open = value ? asked(value).length + value.manual_steps.length : 0;
  useEffect(() => showCount(open), [open]);
  const here = route.value.path[0] ?? '';
  useEffect(() => {
    document.querySelector('#main')?.scrollTo(0, 0);
    scrollTo(0, 0);
  }, [route.value.path.slice(0, 2).join('/')]);
  return (
    <>
      <a
        class="skip"
        href="#main"
        onClick={(event) => (event.preventDefault(), document.querySelector<HTMLElement>('#main')?.focus())}>
        To the content
      </a>
      <header class="side">
        <a class="brand" href={href('')} aria-label="Luzia, to Now">
          <Logo />
          <span>Luzia</span>
        </a>
        {mayActNow.value && <NewJobButton />}
        <button type="button" class="button goto" title={kPaletteKey} onClick={() => (paletteShown.value = true)}>
          <Icon name="search" /> Go to <kbd>{kPaletteKey}</kbd>
        </button>
        <nav class="places" aria-label="Screens">
          {kPlaces.map((place) => (
            <a
              key={place.path}
              class={place.wide && 'wide-only'}
              href={href(place.path)}
              aria-current={place.path === here ? 'page' : undefined}>
              <Icon name={place.icon} />
              <span>{place.title}</span>
              {(place.path === 'ask' || place.path === '') && open > 0 && (
                <span class={`count tone-need${place.path === '' ? ' wide-only' : ''}`}>
                  {open}
                  <span class="hidden"> open</span>
                </span>
              )}
            </a>
          ))}
        </nav>
        <Tools />
      </header>
      <main id="main" tabIndex={-1}>
        <Banner />
        {timeShown.value && <TimeBar />}
        {children}
      </main>
      <Toasts />
      <Help />
      <Palette />
      <NewJob />
    </>
  );
}

function Logo() {
  return (
    <svg class="logo" viewBox="0 0 64 64" width="26" height="26" aria-hidden="true">
      <rect width="64" height="64" rx="15" class="logo-back" />
      <path d="M20 15v34h25" class="logo-line" />
      <circle cx="41" cy="24" r="7.5" class="logo-dot" />
    </svg>
  );
}

function Tools() {
  const themeWords = { system: 'as the system', light: 'light', dark: 'dark' }[theme.value];
  return (
    <div class="tools">
      <p class="who" title="This device">
        {me.value?.person}
        {me.value?.name && <span class="quiet"> at {me.value.name}</span>}
      </p>
      <button
        type="button"
        class="icon-button"
        aria-pressed={timeShown.value}
        title="Another time (t)"
        aria-label="Another time"
        onClick={() => (timeShown.value = !timeShown.value)}>
        <Icon name="clock" />
      </button>
      <button
        type="button"
        class="icon-button"
        title={`Colours: ${themeWords}`}
        aria-label={`Colours: ${themeWords}`}
        onClick={nextTheme}>
        <Icon name={theme.value} />
      </button>
      <button
        type="button"
        class="icon-button help-button"
        title="Keys (?)"
        aria-label="Keys"
        onClick={() => (helpShown.value = true)}>
        <Icon name="help" />
      </button>
    </div>
  );
}

const kPatienceMs = 1500; // before it is said that the connection is gone

function Banner() {
  const since = silentSince.value;
  const [late, setLate] = useState(false);
  useEffect(() => {
    setLate(false);
    if (since === null) return;
    const timer = setTimeout(() => setLate(true), kPatienceMs);
    return () => clearTimeout(timer);
  }, [since]);
  return (
    <div role="status" class="banners">
      {since !== null && late && (
        <p class="banner bad">Not connected since {clock(since * 1000)}. What you see is from then.</p>
      )}
      {moment.value !== null && !timeShown.value && (
        <p class="banner">
          As of {inFull(usOf(moment.value))}.{' '}
          <button type="button" class="link" onClick={() => (moment.value = null)}>
            Back to now
          </button>
        </p>
      )}
    </div>
  );
}

/// The icon with a count, or with its dot.
function iconSvg(open: number): string {
  const words = 'font-family="sans-serif" font-size="24" font-weight="700" fill="#fff" text-anchor="middle"';
  const dot =
    open > 0
      ? `<circle cx="47" cy="17" r="17" fill="#d9480f"/><text x="47" y="25" ${words}>${Math.min(open, 99)}</text>`
      : '<circle cx="41" cy="24" r="7.5" fill="#f3b34c"/>';
  const line = 'fill="none" stroke="#f4f2ec" stroke-width="6.5" stroke-linecap="round" stroke-linejoin="round"';
  const ground = '<rect width="64" height="64" rx="15" fill="#20242b"/>';
  const size = 'xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64"';
  return `<svg ${size}>${ground}<path d="M20 15v34h25" ${line}/>${dot}</svg>`;
}

/// In the title and on the icon.
function showCount(open: number): void {
  document.title = open > 0 ? `(${open}) Luzia` : 'Luzia';
  const icon = document.querySelector<HTMLLinkElement>('link[rel=icon]');
  if (icon) icon.href = `data:image/svg+xml,${encodeURIComponent(iconSvg(open))}`;
  const app = navigator as Navigator & { setAppBadge?: (count: number) => Promise<void> };
  app.setAppBadge?.(open).catch(() => undefined);
}
