import createClient from 'openapi-fetch';
import type {paths} from './schema';
import type {Problem, Session} from './types';

const storedKey = 'carillon.session-key';
export const sessionKeyHeader = 'Carillon-Session-Key';

/** The address the page came from, without its fragment: what the server has below it is found under any prefix. */
export const base = new URL('.', document.baseURI).href.replace(/\/$/, '');

/** What went wrong, in the server's words. */
export class ApiError extends Error {
  constructor(
    readonly status: number,
    readonly problem: Partial<Problem>,
  ) {
    super(problem.detail ?? problem.title ?? (status === 0 ? 'the server does not answer' : `the server answered ${status}`));
  }
  get hint(): string {
    return this.problem.hint ?? '';
  }
}

let onSignedOut = (): void => {};
export function whenSignedOut(what: () => void): void {
  onSignedOut = what;
}

export function sessionKey(): string {
  return localStorage.getItem(storedKey) ?? '';
}

/** fetch with the session's key; a session that is over is told to the page. */
export async function request(input: Request): Promise<Response> {
  input.headers.set(sessionKeyHeader, sessionKey());
  const response = await fetch(input, {credentials: 'same-origin'});
  if (response.status === 401) onSignedOut();
  return response;
}

export const api = createClient<paths>({baseUrl: base, fetch: request});

type Answer<T> = {data?: T; error?: unknown; response: Response};

/** The document of an answer, or an ApiError. */
export async function ask<T>(answer: Promise<Answer<T>>): Promise<T> {
  let answered: Answer<T>;
  try {
    answered = await answer;
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') throw error;
    throw new ApiError(0, {});
  }
  const {data, error, response} = answered;
  if (!response.ok) throw new ApiError(response.status, (error ?? {}) as Partial<Problem>);
  return data as T;
}

/** Opens a session with a token or the code of a link. */
export async function signIn(credential: string): Promise<void> {
  const response = await fetch(`${base}/api/v1/sessions`, {
    method: 'POST',
    headers: {Authorization: `Bearer ${credential.trim()}`},
    credentials: 'same-origin',
  }).catch(() => {
    throw new ApiError(0, {});
  });
  const body = (await response.json()) as {key?: string} & Partial<Problem>;
  if (!response.ok || !body.key) throw new ApiError(response.status, body);
  localStorage.setItem(storedKey, body.key);
}

export async function whoAmI(): Promise<Session> {
  return ask(api.GET('/api/v1/sessions/current'));
}

export async function signOut(): Promise<void> {
  try {
    await api.DELETE('/api/v1/sessions/current');
  } finally {
    localStorage.removeItem(storedKey);
    onSignedOut();
  }
}
