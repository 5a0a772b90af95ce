// The parts of luzia-bench web that need a browser. luzia-bench runs it by tests/page/run, which provides the packages.
// Usage: page.mjs PART ARGUMENTS. Both ways JSON; the answer is the last line of standard output. Exit code 77: there
// is no browser that starts; the reason is on standard error.
import { Browser, keptBytes } from './browser.mjs';

const kPatienceMs = 60_000;
const kStepPixels = 2_000; // per frame, in lists: about three screens

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
  /// Now, while a job reports 200 times a second: how late, in ms, each event was heard, and each mark shown.
  async live(browser, { server, seconds }) {
    const page = await browser.page(await browser.pair(server), kLive);
    await page.goto(`${server.url}/`);
    await page.waitForFunction(() => window.shownMs.length > 0, null, { timeout: kPatienceMs });
    const before = await page.evaluate(() => [window.heardMs.length, window.shownMs.length]);
    await page.waitForTimeout(seconds * 1000);
    return page.evaluate(
      ([heard, shown]) => ({ heard_ms: window.heardMs.slice(heard), shown_ms: window.shownMs.slice(shown) }),
      before,
    );
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

  /// Scrolls from the newest job on, until `jobs` of them, or all, or `seconds` are over.
  async jobs(browser, { server, jobs, seconds }) {
    const page = await browser.page(await browser.pair(server));
    await page.goto(`${server.url}/#/jobs`);
    await page.waitForSelector('.job-slot .job-row');
    const still = await page.evaluate(rest);
    await page.evaluate(scrollJobs, { jobs: Math.min(jobs / 10, 2_000), seconds, pixels: kStepPixels });
    const before = await keptBytes(page);
    const scrolled = await page.evaluate(scrollJobs, { jobs, seconds, pixels: kStepPixels });
    return { still, scrolled, kept_before: before, kept_after: await keptBytes(page) };
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
