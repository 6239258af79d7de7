import type { ComponentChildren, TargetedKeyboardEvent } from 'preact';
import { useRef, useState } from 'preact/hooks';
import { texts } from './texts.ts';

export interface Row {
  id: string;
  summary: ComponentChildren;
  /** Shown while the row is open. */
  content: () => ComponentChildren;
  isProblem?: boolean;
}

interface RowsProps {
  label: string;
  rows: readonly Row[];
  empty: ComponentChildren;
  /** A row that is opened as soon as it appears. */
  open?: string | undefined;
  /** This many rows are shown at first. Each press of a button shows this many more. */
  step: number;
}

const steps: Record<string, (at: number, last: number) => number> = {
  ArrowDown: (at, last) => Math.min(at + 1, last),
  ArrowUp: (at) => Math.max(at - 1, 0),
  Home: () => 0,
  End: (_, last) => last,
};

/**
 * Rows that open. The list is one stop of the Tab key, and arrow keys move within it, so a long list does not hold
 * anybody up.
 */
export const Rows = ({ label, rows, empty, open, step }: RowsProps) => {
  const list = useRef<HTMLOListElement>(null);
  const [toggled, setToggled] = useState<Readonly<Record<string, boolean>>>({});
  const [active, setActive] = useState<string>();
  const [shown, setShown] = useState(step);
  const stop = rows.slice(0, shown).some(({ id }) => id === active) ? active : rows[0]?.id;
  const move = (event: TargetedKeyboardEvent<HTMLOListElement>) => {
    const next = steps[event.key];
    const folds = [...(list.current?.querySelectorAll<HTMLElement>('.fold') ?? [])];
    const at = folds.indexOf(event.target as HTMLElement);
    if (!next || at < 0 || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    folds[next(at, folds.length - 1)]?.focus();
  };
  if (rows.length === 0) return <div class="empty">{empty}</div>;
  return (
    <>
      <ol ref={list} class="folds" aria-label={label} onKeyDown={move}>
        {rows.slice(0, shown).map(({ id, summary, content, isProblem }) => {
          const isOpen = toggled[id] ?? id === open;
          return (
            <li key={id} class={isProblem ? 'is-problem' : ''}>
              <button
                type="button"
                class="fold"
                aria-expanded={isOpen}
                tabIndex={id === stop ? 0 : -1}
                onFocus={() => setActive(id)}
                onClick={() => setToggled({ ...toggled, [id]: !isOpen })}
              >
                {summary}
              </button>
              {isOpen && <div class="opened">{content()}</div>}
            </li>
          );
        })}
      </ol>
      {rows.length > shown && (
        <p class="further">
          <button type="button" class="button" onClick={() => setShown(shown + step)}>
            {texts.more(rows.length - shown)}
          </button>
        </p>
      )}
    </>
  );
};
