import type { FunctionComponent } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { texts } from '../texts.ts';
import { Waiting } from './load.tsx';

type Page = FunctionComponent<Record<string, string>>;

/** A page whose script is loaded when somebody opens it first. */
export const later = (load: () => Promise<Page>): Page => {
  let loaded: Page | undefined;
  return (parameters: Record<string, string>) => {
    const [Loaded, setLoaded] = useState<{ page: Page | undefined }>({ page: loaded });
    const [hasFailed, setFailed] = useState(false);
    useEffect(() => {
      if (loaded) return;
      load().then(
        (page) => {
          loaded = page;
          setLoaded({ page });
        },
        () => setFailed(true),
      );
    }, []);
    if (Loaded.page) return <Loaded.page {...parameters} />;
    if (!hasFailed) return <Waiting />;
    // A release since this tab was opened has other scripts, and a browser does not import a failed one again.
    return (
      <div class="notice is-bad" role="alert">
        <p>{texts.noScript}</p>
        <button type="button" class="button" onClick={() => location.reload()}>
          {texts.retry}
        </button>
      </div>
    );
  };
};
