/** A document that follows the server: read again when an event says that it may have changed, at most once a second. */
import {ApiError} from '../api/client';
import {live} from './live.svelte';

export type Topic = 'run' | 'occurrence' | 'schedule' | 'backfill' | 'server';
/** `pauseMs` is how long nothing is read again after an event; what is dear to answer says more than a second. */
export type QueryOptions = {topics?: Topic[]; everyMs?: number; pauseMs?: number};

export class Query<T> {
  data = $state.raw<T | undefined>(undefined);
  error = $state.raw<ApiError | null>(null);
  isLoading = $state(true);
  #number = 0;

  constructor(
    private readonly read: () => Promise<T>,
    options: QueryOptions,
  ) {
    // What `read` looks at before it waits is a dependency: another address means another document.
    $effect(() => {
      void this.#refresh();
    });
    $effect(() => {
      let timer: ReturnType<typeof setTimeout> | undefined;
      let isWanted = false;
      const soon = (): void => {
        isWanted = true;
        if (timer || document.hidden || live.isPaused) return;
        timer = setTimeout(() => {
          timer = undefined;
          if (!isWanted || live.isPaused) return;
          isWanted = false;
          void this.#refresh();
        }, options.pauseMs ?? 1000);
      };
      const stop = live.subscribe((events) => {
        const concerns = events.some(
          ({name}) => name === 'resync' || (options.topics ?? []).some((topic) => name.startsWith(`${topic}.`)),
        );
        if (concerns) soon();
      });
      const every = options.everyMs ? setInterval(soon, options.everyMs) : undefined;
      const seen = (): void => {
        if (!document.hidden && isWanted) soon();
      };
      document.addEventListener('visibilitychange', seen);
      return () => {
        stop();
        clearTimeout(timer);
        clearInterval(every);
        document.removeEventListener('visibilitychange', seen);
      };
    });
  }

  refresh = (): Promise<void> => this.#refresh();

  async #refresh(): Promise<void> {
    const number = ++this.#number;
    try {
      const data = await this.read();
      if (number !== this.#number) return;
      this.data = data;
      this.error = null;
    } catch (error) {
      if (number !== this.#number) return;
      this.error = error instanceof ApiError ? error : new ApiError(0, {detail: String(error)});
    }
    this.isLoading = false;
  }
}

/** To be called while a component is made. */
export function query<T>(read: () => Promise<T>, options: QueryOptions = {}): Query<T> {
  return new Query(read, options);
}
