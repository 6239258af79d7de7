import ellipsis from 'lucide/dist/esm/icons/ellipsis.mjs';
import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { explainError } from '../api.ts';
import { texts } from '../texts.ts';
import type { Column } from './column.tsx';
import { Icon } from './icon.tsx';
import { Popup } from './popup.tsx';
import { useSay } from './toast.tsx';

/** Something that can be done: a press, a link, or a dialog. */
export interface Action {
  text: string;
  /** A failure of what it does is said. */
  press?: () => void | Promise<void>;
  to?: string;
  /** Draws the dialog that it opens, which calls `close` at its end. */
  opens?: (close: () => void) => ComponentChildren;
  isMain?: boolean;
}

const phone = matchMedia('(max-width: 720px)');

/** True on a screen without space for many buttons. */
const useIsPhone = (): boolean => {
  const [isPhone, setPhone] = useState(phone.matches);
  useEffect(() => {
    const follow = () => setPhone(phone.matches);
    phone.addEventListener('change', follow);
    return () => phone.removeEventListener('change', follow);
  }, []);
  return isPhone;
};

/** Does actions, and holds the dialog that one of them has opened. */
const useActing = () => {
  const say = useSay();
  const [opened, setOpened] = useState<Action>();
  const isRunning = useRef(false);
  const act = async (action: Action): Promise<void> => {
    if (action.opens) setOpened(action);
    if (isRunning.current) return;
    isRunning.current = true;
    try {
      await action.press?.();
    } catch (error) {
      say((await explainError(error, texts.noAnswer.write)).text);
    } finally {
      isRunning.current = false;
    }
  };
  return { act, dialog: opened?.opens?.(() => setOpened(undefined)) };
};

type Act = (action: Action) => void;

const ActionButton = ({ of, act }: { of: Action; act: Act }) => {
  const look = `button${of.isMain ? ' is-main' : ''}`;
  return of.to === undefined ? (
    <button type="button" class={look} onClick={() => act(of)}>
      {of.text}
    </button>
  ) : (
    <a class={look} href={of.to}>
      {of.text}
    </a>
  );
};

interface MoreProps {
  all: readonly Action[];
  label: string;
  isOfRow?: boolean;
  act: Act;
}

/** A button that shows further ones. */
const More = ({ all, label, isOfRow, act }: MoreProps) => (
  <Popup
    label={label}
    look={isOfRow ? 'button is-quiet' : 'button'}
    face={isOfRow ? <Icon of={ellipsis} /> : texts.more}
  >
    {(close) => (
      <ul class="menu">
        {all.map((one) => (
          <li key={one.text}>
            <ActionButton
              of={one}
              act={(action) => {
                // The focus goes back first: a dialog that a choice opens remembers where it was.
                close();
                act(action);
              }}
            />
          </li>
        ))}
      </ul>
    )}
  </Popup>
);

/** The actions on a thing, side by side. On a phone all but the first are in one menu. */
export const Actions = ({ all }: { all: readonly (Action | false)[] }) => {
  const isPhone = useIsPhone();
  const { act, dialog } = useActing();
  const [first, ...others] = all.filter((one) => one !== false);
  if (!first) return null;
  return (
    <>
      <ActionButton of={first} act={act} />
      {isPhone && others.length > 0 ? (
        <More all={others} label={texts.more} act={act} />
      ) : (
        others.map((one) => <ActionButton key={one.text} of={one} act={act} />)
      )}
      {dialog}
    </>
  );
};

interface RowMenuProps {
  /** The thing of the row, for a screen reader. */
  of: string;
  all: readonly (Action | false)[];
  /** Can be copied. */
  id?: string;
}

const RowMenu = ({ of, all, id }: RowMenuProps) => {
  const say = useSay();
  const { act, dialog } = useActing();
  const shown = all.filter((one) => one !== false);
  if (id !== undefined)
    shown.push({
      text: texts.copyId,
      press: () => navigator.clipboard.writeText(id).then(() => say(texts.copiedId)),
    });
  if (shown.length === 0) return null;
  return (
    <>
      <More all={shown} label={texts.moreOf(of)} isOfRow act={act} />
      {dialog}
    </>
  );
};

/** The column with the menu of each row. */
export const menuColumn = <R,>(menuOf: (row: R) => RowMenuProps): Column<R> => ({
  heading: texts.actions,
  head: <span class="hidden-text">{texts.actions}</span>,
  inRow: 'main',
  isTool: true,
  cell: (row) => <RowMenu {...menuOf(row)} />,
});
