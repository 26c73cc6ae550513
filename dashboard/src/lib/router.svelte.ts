/** Pages live behind the `#`, so that the dashboard works below any path and needs nothing of the server. */
export type Route = {path: string[]; params: URLSearchParams};

export function parseHash(hash: string): Route {
  const text = hash.replace(/^#\/?/, '');
  const [path = '', query = ''] = text.split('?', 2);
  const parts = path.split('/').filter(Boolean);
  return {path: parts.map(decoded), params: new URLSearchParams(query)};
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

export function href(path: string[], params: Record<string, string | undefined> = {}): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(params)) if (value) query.set(name, value);
  const text = query.toString();
  return `#/${path.map(encodeURIComponent).join('/')}${text ? `?${text}` : ''}`;
}

class Router {
  route = $state.raw<Route>(parseHash(location.hash));

  constructor() {
    addEventListener('hashchange', () => (this.route = parseHash(location.hash)));
  }
  /** After the address was changed without a step in the history. */
  reload(): void {
    this.route = parseHash(location.hash);
  }
  get page(): string {
    return this.route.path[0] ?? 'overview';
  }
  param(name: string): string {
    return this.route.params.get(name) ?? '';
  }
  go(path: string[], params: Record<string, string | undefined> = {}): void {
    location.hash = href(path, params);
  }
  /** Changes parameters of this page's address without a step in the browser's history. */
  set(changes: Record<string, string>): void {
    const params = Object.fromEntries(this.route.params);
    history.replaceState(null, '', href(this.route.path, {...params, ...changes}));
    this.route = parseHash(location.hash);
  }
}

export const router = new Router();
