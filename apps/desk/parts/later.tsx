import type { FunctionComponent } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { texts } from '../texts.ts';
import { Waiting } from './load.tsx';

/** A page, or a part of one, whose script is loaded when it is first opened. */
export const later = <P extends object>(load: () => Promise<FunctionComponent<P>>): FunctionComponent<P> => {
  let loaded: FunctionComponent<P> | undefined;
  return (properties: P) => {
    const [Loaded, setLoaded] = useState<{ page: FunctionComponent<P> | undefined }>({ page: loaded });
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
    if (Loaded.page) return <Loaded.page {...properties} />;
    if (!hasFailed) return <Waiting />;
    // After a newer release the scripts have other names, and a browser does not import a failed script again.
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
