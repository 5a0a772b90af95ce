import { words } from '../base/format.ts';
import { Said } from '../base/text.tsx';

export function Todos({ items }: { items: { text: string; status: string }[] }) {
  return (
    <ul class="todos">
      {items.map((item, index) => (
        <li key={index} class={`todo-${item.status}`}>
          <svg viewBox="0 0 16 16" width="14" height="14" class="todo-mark" role="img" aria-label={words(item.status)}>
            <rect x="2" y="2" width="12" height="12" rx="3" />
            {item.status === 'completed' && <path d="M4.6 8.4 7 10.8l4.6-5.4" />}
            {item.status === 'in_progress' && <path d="M5 8h6" />}
          </svg>
          <Said text={item.text} most={400} />
        </li>
      ))}
    </ul>
  );
}
