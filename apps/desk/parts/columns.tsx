import { useState } from 'preact/hooks';
import { texts } from '../texts.ts';
import type { Column } from './column.tsx';
import { Popup } from './popup.tsx';

const nameOf = (list: string): string => `desk.columns.${list}`;

/** The headings that this device hides in a list, and a function that keeps others. */
export const useHidden = (list: string): [hidden: readonly string[], keep: (hidden: readonly string[]) => void] => {
  const [hidden, setHidden] = useState<readonly string[]>(() => JSON.parse(localStorage.getItem(nameOf(list)) ?? '[]'));
  const keep = (headings: readonly string[]): void => {
    localStorage.setItem(nameOf(list), JSON.stringify(headings));
    setHidden(headings);
  };
  return [hidden, keep];
};

export interface ColumnMenuProps<R> {
  columns: readonly Column<R>[];
  hidden: readonly string[];
  onHide: (hidden: readonly string[]) => void;
}

/** Hides and shows the columns of a list, but for the title of its rows. */
export const ColumnMenu = <R,>({ columns, hidden, onHide }: ColumnMenuProps<R>) => (
  <Popup look="button is-quiet" face={texts.list.columns}>
    {() => {
      const offered = columns.filter(({ cell, isTool }) => cell && !isTool);
      const title = offered.find(({ inRow }) => inRow === 'title') ?? offered[0];
      return offered
        .filter((column) => column !== title)
        .map(({ heading }) => (
          <label key={heading} class="check">
            <input
              type="checkbox"
              checked={!hidden.includes(heading)}
              onChange={({ currentTarget: { checked } }) =>
                onHide(checked ? hidden.filter((other) => other !== heading) : [...hidden, heading])
              }
            />
            <span>{heading}</span>
          </label>
        ));
    }}
  </Popup>
);
