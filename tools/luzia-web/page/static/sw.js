// Keeps the page's own files, so that it opens at once and without a connection, and shows pushes. Answers of the API
// are never kept.
const kCache = 'page-VERSION';
const kFiles = ['/', '/{{app.js}}', '/{{style.css}}', '/icon.svg', '/icon-192.png', '/manifest.webmanifest'];

self.addEventListener('install', (event) => {
  event.waitUntil(caches.open(kCache).then((cache) => cache.addAll(kFiles)).then(() => self.skipWaiting()));
});

self.addEventListener('activate', (event) => {
  const drop = (names) => Promise.all(names.filter((name) => name !== kCache).map((name) => caches.delete(name)));
  event.waitUntil(caches.keys().then(drop).then(() => self.clients.claim()));
});

self.addEventListener('fetch', (event) => {
  const url = new URL(event.request.url);
  if (event.request.method !== 'GET' || url.origin !== location.origin || !kFiles.includes(url.pathname)) return;
  const kept = () => caches.match(url.pathname);
  // The start page comes from the server while that answers, because it names the newest files.
  const asked = () => fetch(event.request);
  event.respondWith(url.pathname === '/' ? asked().catch(kept) : kept().then((hit) => hit ?? asked()));
});

// {"title","body","url","tag"}. Something is always shown: browsers end the subscription of a page that shows nothing.
// A push that came before replaces its notification without a sound.
self.addEventListener('push', (event) => {
  let told = {};
  try {
    told = event.data?.json() ?? {};
  } catch {
    // Shown without its text.
  }
  const data = { url: String(told.url ?? '').startsWith('/#/') ? told.url : '/#/' };
  const shown = { body: told.body ?? '', tag: told.tag ?? 'luzia', icon: '/icon-192.png', data };
  event.waitUntil(self.registration.showNotification(told.title ?? 'Luzia', shown));
});

// Opens what it is about: in a page that is open already, or in a new one.
self.addEventListener('notificationclick', (event) => {
  event.notification.close();
  const { url } = event.notification.data;
  const open = async () => {
    const [page] = await self.clients.matchAll({ type: 'window', includeUncontrolled: true });
    if (!page) return self.clients.openWindow(url);
    page.postMessage({ open: url });
    return page.focus();
  };
  event.waitUntil(open());
});
