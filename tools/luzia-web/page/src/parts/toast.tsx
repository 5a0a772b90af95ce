// Short messages about what was done, also for screen readers.
import { signal } from '@preact/signals';

const toasts = signal<{ id: number; text: string; bad: boolean }[]>([]);
let last = 0;

export function say(text: string, bad = false): void {
  const id = ++last;
  toasts.value = [...toasts.value.slice(-2), { id, text, bad }];
  setTimeout(() => (toasts.value = toasts.value.filter((toast) => toast.id !== id)), bad ? 8000 : 4000);
}

export function Toasts() {
  return (
    <div class="toasts" role="status" aria-live="polite">
      {toasts.value.map((toast) => (
        <p key={toast.id} class={toast.bad ? 'toast bad' : 'toast'}>
          {toast.text}
        </p>
      ))}
    </div>
  );
}
