import type { FunctionComponent } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { texts } from '../texts.ts';
import { Dialog } from './dialog.tsx';
import { Waiting } from './load.tsx';

/** After a newer release the scripts have other names, and a browser does not import a failed script again. */
const Failed = () => (
  <div class="notice is-bad" role="alert">
    <p>{texts.noScript}</p>
    <button type="button" class="button" onClick={() => location.reload()}>
      {texts.retry}
    </button>
  </div>
);

/** Stands in the place of a part until its script is there, and for good if that could not be loaded. */
type StandIn<P> = FunctionComponent<P & { hasFailed: boolean }>;

/** A page, or a part of one, whose script is loaded when it is first opened. */
export const later = <P extends object>(
  load: () => Promise<FunctionComponent<P>>,
  Before: StandIn<P> = ({ hasFailed }) => (hasFailed ? <Failed /> : <Waiting />),
): FunctionComponent<P> => {
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
    return Loaded.page ? <Loaded.page {...properties} /> : <Before {...properties} hasFailed={hasFailed} />;
  };
};

/** A dialog that comes with the first press. It opens with its fields, so that what somebody types goes into them. */
export const laterDialog = <P extends { onClose: () => void }>(
  load: () => Promise<FunctionComponent<P>>,
): FunctionComponent<P> =>
  later<P>(load, ({ hasFailed, onClose }) =>
    hasFailed ? (
      <Dialog title={texts.notLoaded} onClose={onClose}>
        <Failed />
      </Dialog>
    ) : (
      <div class="toasts">
        <p role="status">{texts.loading}</p>
      </div>
    ),
  );
