// Keeps the page's own files, so that it opens at once and without a connection. Answers of the API are never kept.
const kCache = 'page-VERSION';
const kFiles = ['/', '/{{app.js}}', '/{{style.css}}', '/icon.svg', '/manifest.webmanifest'];

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
