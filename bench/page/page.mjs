// The parts of luzia-bench web that need a browser. luzia-bench runs it by tests/page/run, which provides the packages.
// Usage: page.mjs PART ARGUMENTS. Both ways JSON; the answer is the last line of standard output. Exit code 77: there
// is no browser that starts; the reason is on standard error.
import { Browser, keptBytes } from './browser.mjs';

const kPatienceMs = 60_000;
const kStepPixels = 2_000; // per frame, in lists: about three screens
const kStages = 20; // of a long way through a list, after each of which memory is looked at
const kHandMs = 3_000; // for each way to scroll by hand

/// Notes how late each event comes out of the stream, and how late each mark of the jobs that report is on the screen:
/// after the time of its event, when the daemon had heard of it and not yet written it.
const kLive = () => {
  window.heardMs = [];
  window.shownMs = [];
  // The page's clock, set right by the system's at a moment at which that has just moved on.
  const aheads = Array.from({ length: 9 }, () => {
    const begun = Date.now();
    while (Date.now() === begun);
    return performance.timeOrigin + performance.now() - Date.now();
  });
  const ahead = aheads.sort((a, b) => a - b)[4];
  const now = () => performance.timeOrigin + performance.now() - ahead;
  const waiting = []; // marks that are not on the screen yet
  const { parse } = JSON;
  JSON.parse = (...words) => {
    const value = parse(...words);
    if (!value?.position || !value.stream) return value;
    window.heardMs.push(now() - value.time_us / 1000);
    const mark = /^mark (\d+)\.$/.exec(value.data?.current_step_name ?? '')?.[1];
    if (mark) waiting.push({ mark: Number(mark), at: value.time_us / 1000 });
    return value;
  };
  const look = () => {
    const marks = (document.querySelector('.now-running')?.textContent ?? '').matchAll(/mark (\d+)\./g);
    const shown = Math.max(...[...marks].map(([, mark]) => Number(mark))); // of the last of the jobs that report
    while (waiting[0]?.mark <= shown) window.shownMs.push(now() - waiting.shift().at);
    requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
};

/// Notes when the first job is on the screen.
const kFirstView = async () => {
  await window.inFrame(() => document.querySelector('.now .job-row'));
  window.shownMs = performance.now();
};

const parts = {
  /// Now, while jobs report 200 times a second: how late, in ms, each event was heard, and each mark shown. What the
  /// tab keeps before and after so many seconds, there and on the screen of one of the jobs.
  async live(browser, { server, seconds }) {
    const page = await browser.page(await browser.pair(server), kLive);
    await page.goto(`${server.url}/`);
    await page.waitForFunction(() => window.shownMs.length > 0, null, { timeout: kPatienceMs });
    const stay = async () => {
      const before = await keptBytes(page);
      await page.waitForTimeout(seconds * 1000);
      return { before, after: await keptBytes(page) };
    };
    const before = await page.evaluate(() => [window.heardMs.length, window.shownMs.length]);
    await page.waitForTimeout(seconds * 1000);
    const late = await page.evaluate(
      ([heard, shown]) => ({ heard_ms: window.heardMs.slice(heard), shown_ms: window.shownMs.slice(shown) }),
      before,
    );
    await page.evaluate(() => (window.heardMs = window.shownMs = { push: () => undefined })); // no longer noted
    const now = await stay();
    await page.locator('.now-running .job-row').first().click();
    await page.waitForSelector('.job-head');
    await page.waitForTimeout(1000);
    return { ...late, now, job: await stay() };
  },

  /// The first view of Now, in ms, of a browser that has kept nothing; of both servers in turns. Bytes of the page's
  /// own files as they are sent, without headers.
  async now(browser, { full, few, repetitions }) {
    const devices = { full: await browser.pair(full), few: await browser.pair(few) };
    const result = { full: [], few: [], page_bytes: 0 };
    for (let round = 0; round < repetitions; ++round) {
      for (const [which, device] of Object.entries(devices)) {
        const page = await browser.page(device, kFirstView);
        await page.goto(`${device.url}/`);
        await page.waitForFunction(() => window.shownMs, null, { timeout: kPatienceMs });
        result[which].push(await page.evaluate(() => window.shownMs));
        if (which === 'full' && round === 0) result.page_bytes = await page.evaluate(sentBytes);
        await page.context().close();
      }
    }
    return result;
  },

  /// Scrolls by hand, then from the newest job on, until `jobs` of them, or all, or `seconds` are over. What the tab
  /// keeps after the first jobs, and the most that it keeps after a part of the way.
  async jobs(browser, { server, jobs, seconds }) {
    const page = await browser.page(await browser.pair(server));
    await page.goto(`${server.url}/#/jobs`);
    await page.waitForSelector('.job-slot .job-row');
    const still = await page.evaluate(rest);
    await page.evaluate(scrollJobs, { jobs: Math.min(jobs / 10, 2_000), seconds, pixels: kStepPixels });
    const kept = { before: await keptBytes(page), after: 0 };
    const by_hand = await scrollByHand(page);
    let scrolled = { frames: 0, slow: 0, longest_ms: 0, rows: 0, seconds: 0 };
    for (let stage = 1; stage <= kStages && scrolled.seconds < seconds; ++stage) {
      const way = { jobs: (jobs * stage) / kStages, seconds: seconds - scrolled.seconds, pixels: kStepPixels };
      scrolled = both(scrolled, await page.evaluate(scrollJobs, way));
      kept.after = Math.max(kept.after, await keptBytes(page));
    }
    return { still, by_hand, scrolled, kept };
  },

  /// A job's output: the end of a large one and of a small one, in ms and in turns; scrolling; a search through all.
  async output(browser, { server, large, small, last, word, repetitions }) {
    const device = await browser.pair(server);
    const result = { large: [], small: [] };
    for (let round = 0; round < repetitions; ++round) {
      for (const [which, job] of Object.entries({ large, small })) {
        const page = await browser.page(device, `window.endIsShown = ${endIsShown}`);
        await page.goto(`${server.url}/`);
        await page.waitForSelector('.now .job-row');
        result[which].push(await page.evaluate(openEnd, { job, last }));
        if (which === 'large' && round + 1 === repetitions) {
          result.still = await page.evaluate(rest);
          result.scrolled = await page.evaluate(scrollBack, { seconds: 3, pixels: 300 });
          if (await page.evaluate(endIsShown, last)) throw new Error('the output does not scroll');
          result.find_ms = await find(page, word);
        }
        await page.context().close();
      }
    }
    return result;
  },
};

function sentBytes() {
  const files = [...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')];
  const own = files.filter((each) => !new URL(each.name).pathname.startsWith('/v1/'));
  return own.reduce((sum, each) => sum + each.encodedBodySize, 0);
}

function rest() {
  const end = performance.now() + 2000;
  return window.countFrames(() => performance.now() < end);
}

/// Frames of one run after another.
const both = (one, next) => ({
  ...next,
  frames: one.frames + next.frames,
  slow: one.slow + next.slow,
  longest_ms: Math.max(one.longest_ms, next.longest_ms),
  seconds: one.seconds + next.seconds,
});

/// By the wheel, by keys, and twice from end to end by the bar.
async function scrollByHand(page) {
  const list = page.locator('.jobs-scroll');
  const whileDoing = async (act) => {
    const frames = page.evaluate((ms) => {
      const end = performance.now() + ms;
      return window.countFrames(() => performance.now() < end);
    }, kHandMs);
    for (const end = Date.now() + kHandMs; Date.now() < end; ) await act();
    return frames;
  };
  await list.hover();
  const wheel = await whileDoing(() => page.mouse.wheel(0, 240));
  await list.focus();
  const keys = await whileDoing(() => page.keyboard.press('PageUp'));
  return both(both(wheel, keys), await page.evaluate(dragBar, kHandMs));
}

/// Ends where it has begun.
function dragBar(ms) {
  const list = document.querySelector('.jobs-scroll');
  const [begun, top] = [performance.now(), list.scrollTop];
  return window.countFrames(() => {
    const turn = (performance.now() - begun) / ms;
    const share = Math.abs(((turn * 4) % 2) - 1); // of the whole length
    list.scrollTop = turn < 1 ? share * list.scrollHeight : top;
    return turn < 1;
  });
}

async function scrollJobs({ jobs, seconds, pixels }) {
  const list = document.querySelector('.jobs-scroll');
  const begun = performance.now();
  let [row, moved] = [0, begun];
  const result = await window.countFrames(() => {
    const now = performance.now();
    const at = Number(list.querySelector('.job-slot:last-child')?.dataset.index ?? 0);
    if (at > row) [row, moved] = [at, now];
    list.scrollTop += pixels;
    return row < jobs - 1 && now - moved < 5000 && now - begun < seconds * 1000;
  });
  return { ...result, rows: row + 1, seconds: (performance.now() - begun) / 1000 };
}

function endIsShown(last) {
  return [...document.querySelectorAll('.term-row')].slice(-40).some((row) => row.textContent.includes(last));
}

async function openEnd({ job, last }) {
  const begun = performance.now();
  location.hash = `#/jobs/${job}/output`;
  await window.inFrame(() => window.endIsShown(last));
  return performance.now() - begun;
}

function scrollBack({ seconds, pixels }) {
  const list = document.querySelector('.term-scroll');
  const end = performance.now() + seconds * 1000;
  return window.countFrames(() => {
    list.scrollTop -= pixels;
    return performance.now() < end;
  });
}

async function find(page, word) {
  await page.getByRole('button', { name: 'To the beginning' }).click();
  await page.waitForFunction(() => document.querySelector('.term-scroll').scrollTop === 0);
  await page.getByLabel('Find in output').fill(word);
  const begun = performance.now();
  await page.getByLabel('Find in output').press('Enter');
  const said = await page.waitForFunction(
    () => /^byte|^not found/.exec(document.querySelector('.term-find [role=status]').textContent)?.[0],
    null,
    { timeout: 10 * kPatienceMs, polling: 20 },
  );
  const took = performance.now() - begun;
  if ((await said.jsonValue()) !== 'byte') throw new Error(`the page does not find ${word}`);
  return took;
}

const [part, words] = process.argv.slice(2);
const browser = await new Browser().open();
try {
  const answer = await parts[part](browser, JSON.parse(words));
  process.stdout.write(`${JSON.stringify(answer)}\n`);
} finally {
  await browser.close();
}
