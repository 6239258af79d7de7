import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { choose, partOf, readAtMost } from '../choice.ts';
import { texts } from '../texts.ts';
import { t } from './choice.texts.ts';
import type { Column } from './column.tsx';
import { FaultBox, usePress } from './load.tsx';

/** The chosen rows of a list. They stay chosen on its other pages, and under other filters. */
export interface Choice<R> {
  chosen: readonly R[];
  setChosen: (rows: readonly R[]) => void;
  keyOf: (row: R) => string;
}

export const useChoice = <R,>(keyOf: (row: R) => string): Choice<R> => {
  const [chosen, setChosen] = useState<readonly R[]>([]);
  return { chosen, setChosen, keyOf };
};

/** Opens a page that changes all chosen rows, instead of the list. `end` leaves it for the list. */
export const useChangeOfMany = <R,>({ setChosen }: Choice<R>, reload: () => void) => {
  const [isOpen, setOpen] = useState(false);
  return {
    isOpen,
    open: () => setOpen(true),
    end: (hasBegun: boolean) => {
      setOpen(false);
      if (!hasBegun) return;
      setChosen([]);
      reload();
    },
  };
};

interface PageBoxProps<R> {
  choice: Choice<R>;
  /** The rows of the page. */
  shown: readonly R[];
  /** Its name, if no words stand beside it. */
  label?: string;
}

/** Chooses all rows of the page, or none of them. */
const PageBox = <R,>({ choice: { chosen, setChosen, keyOf }, shown, label }: PageBoxProps<R>) => {
  const part = partOf(chosen, shown, keyOf);
  return (
    <input
      type="checkbox"
      aria-label={label}
      checked={part === 'all'}
      indeterminate={part === 'some'}
      onChange={({ currentTarget: { checked } }) => setChosen(choose(chosen, shown, checked, keyOf))}
    />
  );
};

/** The column by which rows are chosen. It is the first one. Its head chooses the rows of the page. */
export const choiceColumn = <R,>(choice: Choice<R>, shown: readonly R[], nameOf: (row: R) => string): Column<R> => {
  const { chosen, setChosen, keyOf } = choice;
  const keys = new Set(chosen.map(keyOf));
  return {
    heading: t.choose,
    head: (
      <>
        <span class="hidden-text">{t.choose}</span>
        <PageBox choice={choice} shown={shown} label={t.page} />
      </>
    ),
    isTool: true,
    cell: (row) => (
      <input
        type="checkbox"
        aria-label={t.chooseOne(nameOf(row))}
        checked={keys.has(keyOf(row))}
        onChange={({ currentTarget: { checked } }) => setChosen(choose(chosen, [row], checked, keyOf))}
      />
    ),
  };
};

interface BarProps<R> {
  choice: Choice<R>;
  /** The rows of the page. */
  shown: readonly R[];
  /** Every row under the filters. */
  all: () => AsyncIterable<R>;
  /** Says how many are chosen. */
  said: (rows: number) => string;
  /** At most this many can be chosen, and `tooMany` says what else to do. */
  most?: number;
  tooMany?: string;
  /** The actions on what is chosen. */
  children: ComponentChildren;
}

/** How many rows of a list are chosen, and what can be done with all of them. Nothing is shown while none is chosen. */
export const ChoiceBar = <R,>({ choice, shown, all, said, most = Number.POSITIVE_INFINITY, ...props }: BarProps<R>) => {
  const { chosen, setChosen } = choice;
  const choosing = usePress(async () => setChosen(await readAtMost(all(), most)));
  const isTooMany = chosen.length > most;
  const isOpen = chosen.length > 0;
  return (
    <div class={`choice${isOpen ? ' notice spaced' : ''}`}>
      <p aria-live="polite">{isOpen && (isTooMany ? props.tooMany : said(chosen.length))}</p>
      {isOpen && (
        <div class="actions">
          {/* A narrow screen shows no head of the column. */}
          {/* biome-ignore lint/a11y/noLabelWithoutControl: the control is in a component. */}
          <label class="check is-narrow">
            <PageBox choice={choice} shown={shown} />
            <span>{t.page}</span>
          </label>
          <button type="button" class="button" aria-disabled={choosing.isBusy} onClick={choosing.press}>
            {choosing.isBusy ? texts.working : t.all}
          </button>
          <button type="button" class="button" onClick={() => setChosen([])}>
            {t.none}
          </button>
          {!isTooMany && props.children}
        </div>
      )}
      {choosing.fault && <FaultBox fault={choosing.fault} />}
    </div>
  );
};
