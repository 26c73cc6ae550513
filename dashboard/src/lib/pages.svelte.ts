/** A long list in pieces: only what is looked at is read, and only that is kept. */
import {ApiError} from '../api/client';

export const pageSize = 100;
const pagesKept = 12;

export class PagedList<T> {
  total = $state(0);
  isLoading = $state(true);
  error = $state.raw<ApiError | null>(null);
  #pages = $state.raw(new Map<number, T[]>());
  #asked = new Set<number>();
  #generation = 0;

  constructor(private readonly read: (offset: number, limit: number) => Promise<{items: T[]; total: number}>) {}

  item(index: number): T | undefined {
    return this.#pages.get(Math.floor(index / pageSize))?.[index % pageSize];
  }
  /** Reads what is missing of these rows. */
  show(first: number, last: number): void {
    for (let page = Math.floor(first / pageSize); page <= Math.floor(last / pageSize); ++page)
      if (!this.#pages.has(page)) void this.#load(page);
  }
  /** Another question: nothing of the old answer stays. */
  restart(): void {
    this.#generation += 1;
    this.#asked.clear();
    this.#pages = new Map();
    this.isLoading = true;
    void this.#load(0);
  }
  /** The same question again, for the rows that are there; they stay until the answer comes. */
  refresh(first: number, last: number): void {
    const from = Math.floor(first / pageSize);
    const to = Math.floor(last / pageSize);
    for (const page of this.#pages.keys()) if (page < from || page > to) this.#pages.delete(page);
    this.#asked.clear();
    for (let page = from; page <= to; ++page) void this.#load(page);
  }

  async #load(page: number): Promise<void> {
    if (this.#asked.has(page)) return;
    this.#asked.add(page);
    const generation = this.#generation;
    try {
      const answer = await this.read(page * pageSize, pageSize);
      if (generation !== this.#generation) return;
      const pages = new Map(this.#pages);
      pages.delete(page);
      pages.set(page, answer.items);
      for (const old of pages.keys()) if (pages.size > pagesKept) pages.delete(old);
      this.#pages = pages;
      this.total = answer.total;
      this.error = null;
    } catch (error) {
      if (generation === this.#generation) this.error = error instanceof ApiError ? error : new ApiError(0, {});
    } finally {
      this.#asked.delete(page);
      this.isLoading = false;
    }
  }
}
