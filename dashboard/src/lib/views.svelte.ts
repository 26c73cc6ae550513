/** Addresses with a name, kept in this browser: a filter that is wanted again. */
export type View = {name: string; hash: string};

const stored = 'carillon.views';
const viewsMax = 50;

function read(): View[] {
  try {
    const value = JSON.parse(localStorage.getItem(stored) ?? '[]') as unknown;
    return Array.isArray(value) ? value.filter((one: View) => typeof one?.name === 'string' && typeof one.hash === 'string' && one.hash.startsWith('#/')) : [];
  } catch {
    return [];
  }
}

class Views {
  items = $state.raw<View[]>(read());

  /** Those of one page. */
  of(page: string): View[] {
    return this.items.filter((view) => view.hash === `#/${page}` || view.hash.startsWith(`#/${page}?`));
  }
  /** A name that is there already means another address from now on. */
  keep(name: string, hash: string): void {
    this.#write([...this.items.filter((view) => view.name !== name), {name, hash}].slice(-viewsMax));
  }
  remove(name: string): void {
    this.#write(this.items.filter((view) => view.name !== name));
  }
  #write(items: View[]): void {
    this.items = items;
    localStorage.setItem(stored, JSON.stringify(items));
  }
}

export const views = new Views();
