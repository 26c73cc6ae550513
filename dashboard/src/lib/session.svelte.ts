/** Who is signed in, and what they may do. */
import type {Session} from '../api/types';
import {ApiError, signIn, whenSignedOut, whoAmI} from '../api/client';
import {live} from './live.svelte';
import {router} from './router.svelte';

class Sessions {
  current = $state.raw<Session | null>(null);
  state = $state<'unknown' | 'in' | 'out' | 'away'>('unknown');
  /** Why nobody is signed in, when that needs saying. */
  message = $state('');

  constructor() {
    whenSignedOut(() => {
      if (this.state !== 'in') return;
      this.state = 'out';
      this.message = 'The session has ended. Sign in again to go on; what you typed is still there.';
      live.signedOut();
    });
  }
  async begin(): Promise<void> {
    const code = /^#sign-in=([\w]+)$/.exec(location.hash)?.[1];
    if (code) {
      history.replaceState(null, '', location.pathname + location.search + '#/');
      router.reload();
      await this.open(code);
      return;
    }
    await this.#look();
  }
  async open(credential: string): Promise<void> {
    try {
      await signIn(credential);
      this.message = '';
      await this.#look();
    } catch (error) {
      this.state = 'out';
      const isRefused = error instanceof ApiError && error.status === 401;
      this.message = isRefused
        ? credential.startsWith('carillon_link_')
          ? 'This link was used already, or is too old. Get another one: carillon open'
          : 'This is no valid token.'
        : String(error instanceof Error ? error.message : error);
    }
  }
  async #look(): Promise<void> {
    try {
      this.current = await whoAmI();
      this.state = 'in';
      live.start();
    } catch (error) {
      this.state = error instanceof ApiError && error.status === 401 ? 'out' : 'away';
    }
  }
  may(scope: 'read' | 'operate' | 'edit' | 'execute' | 'administer'): boolean {
    return (this.current?.scopes as string[] | undefined)?.includes(scope) ?? false;
  }
}

export const session = new Sessions();
