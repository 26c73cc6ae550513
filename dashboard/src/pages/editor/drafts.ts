/** What the editor keeps of an unsaved edit. */
import type {Schedule} from '../../api/types';
import {definitionOf} from '../schedule/definition';
import {fitsForm, formOf, type Form} from './form';

type Document = Record<string, unknown>;
export type Draft = {form: Form; document: Document; text: string; isText: boolean; base: Document; etag: string; revision: number};

/** An edit that would bring an older definition back. Whether it is enabled is no part of that. */
export function restoredDraft(definition: Document, schedule: Schedule, etag: string): Draft {
  const base = definitionOf(schedule);
  const document = {...definition, enabled: schedule.enabled};
  return {form: formOf(document), document, text: JSON.stringify(document, null, 2), isText: !fitsForm(document), base, etag, revision: schedule.revision};
}
