import './first-view.ts';
import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import { useSession } from '../session.ts';

/** The heading of a page, which is also the title of its tab, with actions beside it. */
export const Heading = ({ title, children }: { title: string; children?: ComponentChildren }) => {
  const { store } = useSession();
  useEffect(() => {
    document.title = `${title} · ${store.name}`;
  }, [title, store.name]);
  return (
    <header class="heading">
      <h1>{title}</h1>
      {children && <div class="actions">{children}</div>}
    </header>
  );
};
