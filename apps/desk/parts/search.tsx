import search from 'lucide/dist/esm/icons/search.mjs';
import { useLayoutEffect, useState } from 'preact/hooks';
import type { MenuPage } from '../page-row.ts';
import { texts } from '../texts.ts';
import { Dialog } from './dialog.tsx';
import type { SearchBox } from './found.tsx';
import { Icon } from './icon.tsx';
import { later } from './later.tsx';

const t = texts.shell;

const Found = later(async () => (await import('./found.tsx')).Found);

/** The box is there at once, so that no key is lost. The list below it is loaded with the first search. */
export const SearchDialog = ({ pages, close }: { pages: readonly MenuPage[]; close: () => void }) => {
  const [input, setInput] = useState<HTMLInputElement | null>(null);
  const [text, setText] = useState('');
  const [asked, setAsked] = useState<string>(t.findHelp);
  const [pressed, press] = useState<SearchBox['pressed']>();
  const ask = (what: string) => {
    setAsked(what);
    setText('');
    if (input) input.value = '';
  };
  return (
    <Dialog title={t.find} look="search" onClose={close}>
      <div class="box">
        <Icon of={search} />
        <input
          ref={setInput}
          type="text"
          role="combobox"
          aria-label={asked}
          aria-autocomplete="list"
          aria-expanded={false}
          placeholder={asked}
          autoComplete="off"
          spellcheck={false}
          data-first
          onInput={({ currentTarget }) => {
            press(undefined);
            setText(currentTarget.value);
          }}
          onKeyDown={(event) => {
            if (event.key === 'Enter') press({ inNewTab: event.ctrlKey || event.metaKey });
          }}
        />
      </div>
      {input && <Found box={{ input, text, pressed, press, ask, close }} pages={pages} />}
    </Dialog>
  );
};

const isMac = /^(?:Mac|iP)/.test(navigator.platform);

/** True if a key opens the search: Ctrl K anywhere, and `/` where no text is entered. */
const isSearchKey = ({ key, ctrlKey, metaKey, altKey, target }: KeyboardEvent): boolean => {
  if (altKey) return false;
  if (ctrlKey || metaKey) return key.toLowerCase() === 'k';
  return key === '/' && !(target instanceof Element && target.closest('input, textarea, select, dialog'));
};

/** Opens the search by its keys. */
export const useSearch = () => {
  const [isOpen, setOpen] = useState(false);
  // The keys work as soon as the page is visible. With an effect after the paint, a key pressed at once would be lost.
  useLayoutEffect(() => {
    const follow = (event: KeyboardEvent) => {
      if (!isSearchKey(event)) return;
      event.preventDefault();
      // A dialog asks something that comes first.
      if (!document.querySelector('dialog[open]')) setOpen(true);
    };
    addEventListener('keydown', follow);
    return () => removeEventListener('keydown', follow);
  }, []);
  return { isOpen, open: () => setOpen(true), close: () => setOpen(false) };
};

export const SearchButton = ({ open }: { open: () => void }) => (
  <search class="find">
    <button
      type="button"
      aria-keyshortcuts="Control+K Meta+K /"
      onClick={({ currentTarget }) => {
        // Safari does not focus a clicked button.
        currentTarget.focus();
        open();
      }}
    >
      <Icon of={search} />
      <span>{t.findHelp}</span>
      <kbd>{isMac ? '⌘ K' : 'Ctrl K'}</kbd>
    </button>
  </search>
);
