import './first-view.ts';
import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import { noteThing, useSession } from '../session.ts';

interface HeadingProps {
  title: string;
  /** The path of the thing that the page shows: the search lists the last ones by their titles, or by `words`. */
  thing?: string;
  words?: string;
  /** Stands before the title. */
  picture?: ComponentChildren;
  children?: ComponentChildren;
}

/** The heading of a page, which is also the title of its tab, with actions beside it. */
export const Heading = ({ title, thing, words = title, picture, children }: HeadingProps) => {
  const { store } = useSession();
  useEffect(() => {
    document.title = `${title} · ${store.name}`;
    if (thing !== undefined) noteThing(thing, words);
  }, [title, store.name, thing]);
  return (
    <header class="heading">
      {picture}
      <h1>{title}</h1>
      {children && <div class="actions">{children}</div>}
    </header>
  );
};
