// A browser that is paired with a luzia-web, and what can be measured in it: frames, and memory.
import { createRequire } from 'node:module';

// The packages are in the folder that tests/page/run was given, not beside this file.
const { chromium } = createRequire(`${process.cwd()}/`)('playwright-core');
const kViewport = { width: 1280, height: 800 };

/// Installed in each page before its own code: meters that parts start.
const kMeters = () => {
  /// Calls `step` in each frame until it returns false. How many frames came, and how late.
  window.countFrames = (step) =>
    new Promise((done) => {
      const result = { frames: 0, slow: 0, longest_ms: 0 };
      let last = performance.now();
      const frame = (now) => {
        const took = now - last;
        last = now;
        if (result.frames++ > 0) {
          if (took > 50) ++result.slow;
          result.longest_ms = Math.max(result.longest_ms, took);
        }
        if (step()) requestAnimationFrame(frame);
        else done(result);
      };
      requestAnimationFrame(frame);
    });
  /// Resolves in the first frame in which `check` returns something true.
  window.inFrame = (check) =>
    new Promise((done) => {
      const frame = () => {
        const value = check();
        if (value) done(value);
        else requestAnimationFrame(frame);
      };
      frame();
    });
};

export class Browser {
  async open() {
    try {
      this.chromium = await chromium.launch({
        executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
        args: process.getuid() === 0 ? ['--no-sandbox'] : [],
      });
    } catch (error) {
      process.stderr.write(`the browser does not start: ${String(error.message ?? error).split('\n')[0]}\n`);
      process.exit(77);
    }
    return this;
  }

  async close() {
    await this.chromium.close();
  }

  /// Redeems the code. The device, with which device() opens pages.
  async pair({ url, code }) {
    const context = await this.chromium.newContext({ viewport: kViewport });
    const page = await context.newPage();
    await page.goto(`${url}/#code=${code}`);
    await page.waitForSelector('.places');
    const state = await context.storageState();
    await context.close();
    return { url, state };
  }

  /// A page of the device in a browser that has kept nothing but the pairing. `more` runs in it before its own code.
  async page({ state }, more) {
    const context = await this.chromium.newContext({ viewport: kViewport, storageState: state });
    const page = await context.newPage();
    await page.addInitScript(kMeters);
    if (more) await page.addInitScript(more);
    return page;
  }
}

/// Bytes that the page's scripts keep once garbage is collected, buffers included. Not the browser's own heap, where the
/// debugger keeps 360 bytes for each request of any page, nor the memory of the process, which also holds garbage.
export async function keptBytes(page) {
  const session = await page.context().newCDPSession(page);
  for (let round = 0; round < 2; ++round) await session.send('HeapProfiler.collectGarbage');
  const { usedSize, backingStorageSize = 0 } = await session.send('Runtime.getHeapUsage');
  await session.detach();
  return usedSize + backingStorageSize;
}
