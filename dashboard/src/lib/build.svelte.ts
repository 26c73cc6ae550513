/** Whether the server has another dashboard by now than the one that is open: it was upgraded behind the page. */
import {base} from '../api/client';
import {live} from './live.svelte';

const script = /src="[^"]*?(assets\/index-[\w-]+\.js)"/;

/** The name of the script that a page loads first; it is another one with every build. */
export function scriptOf(html: string): string {
  return script.exec(html)?.[1] ?? '';
}

class Build {
  isOld = $state(false);
  #own = scriptOf(document.head.innerHTML);

  constructor() {
    // A server that was replaced was away for a moment.
    let wasAway = false;
    $effect.root(() => {
      $effect(() => {
        if (live.state === 'reconnecting') wasAway = true;
        if (live.state !== 'live' || !wasAway) return;
        wasAway = false;
        void this.check();
      });
    });
  }
  async check(): Promise<void> {
    try {
      const answer = await fetch(`${base}/`, {headers: {Accept: 'text/html'}, cache: 'no-store'});
      const theirs = scriptOf(await answer.text());
      if (theirs && this.#own && theirs !== this.#own) this.isOld = true;
    } catch {
      // Away again: asked when it is back.
    }
  }
}

export const build = new Build();
