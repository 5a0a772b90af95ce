// Where the page is: the fragment of its address, such as #/jobs/1qfar2zr00c6x/output?byte=120.
import { signal } from '@preact/signals';

export interface Route {
  path: string[];
  query: URLSearchParams;
}

function parse(): Route {
  const [path = '', query = ''] = location.hash.replace(/^#\/?/, '').split('?', 2);
  return { path: path.split('/').filter(Boolean).map(decodeURIComponent), query: new URLSearchParams(query) };
}

export const route = signal<Route>(parse());
addEventListener('hashchange', () => (route.value = parse()));

export function href(path: string, query: Record<string, string | number> = {}): string {
  const words = new URLSearchParams(Object.entries(query).map(([key, value]) => [key, String(value)]));
  return `#/${path}${words.size > 0 ? `?${words}` : ''}`;
}
export const jobHref = (id: string, tab = '', query = {}) => href(`jobs/${id}${tab && `/${tab}`}`, query);

export function go(to: string, replace = false): void {
  if (replace) history.replaceState(null, '', to);
  else history.pushState(null, '', to);
  route.value = parse();
}
addEventListener('popstate', () => (route.value = parse()));
