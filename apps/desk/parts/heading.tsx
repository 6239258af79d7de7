import './first-view.ts';
import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import { useSession } from '../session.ts';

interface HeadingProps {
  title: string;
  /** Stands before the title. */
  picture?: ComponentChildren;
  children?: ComponentChildren;
}

/** The heading of a page, which is also the title of its tab, with actions beside it. */
export const Heading = ({ title, picture, children }: HeadingProps) => {
  const { store } = useSession();
  useEffect(() => {
    document.title = `${title} · ${store.name}`;
  }, [title, store.name]);
  return (
    <header class="heading">
      {picture}
      <h1>{title}</h1>
      {children && <div class="actions">{children}</div>}
    </header>
  );
};
