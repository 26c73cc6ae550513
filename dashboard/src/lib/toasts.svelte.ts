export type Toast = {id: number; text: string; tone: 'ok' | 'failed'; undo?: () => void};

class Toasts {
  items = $state<Toast[]>([]);
  #next = 0;

  show(text: string, tone: Toast['tone'] = 'ok', undo?: () => void): void {
    const id = ++this.#next;
    this.items.push({id, text, tone, undo});
    setTimeout(() => this.remove(id), 8000);
  }
  fail(error: unknown): void {
    const hint = error instanceof Error && 'hint' in error && error.hint ? ` · ${String(error.hint)}` : '';
    this.show(`${error instanceof Error ? error.message : String(error)}${hint}`, 'failed');
  }
  remove(id: number): void {
    this.items = this.items.filter((toast) => toast.id !== id);
  }
}

export const toasts = new Toasts();
