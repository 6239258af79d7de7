import { useEffect, useState } from 'preact/hooks';
import { isLater, newestIn } from '../../shared/newest.ts';
import { Heading } from '../parts/heading.tsx';
import { texts } from '../texts.ts';
import { t } from './help.texts.ts';

const findLater = async (): Promise<string | undefined> => {
  const newest = newestIn(await (await fetch(releasesAddress, { credentials: 'omit' })).text());
  return newest !== undefined && isLater(newest, serviceVersion) ? newest : undefined;
};

/** The running version, and a later released one. */
const Version = () => {
  const [later, setLater] = useState<string>();
  useEffect(() => {
    // The address may be unreachable. The page then says nothing.
    if (releasesAddress !== '') findLater().then(setLater, () => undefined);
  }, []);
  return (
    <>
      <p class="help">{texts.shell.version(serviceVersion)}</p>
      {later && <p class="notice">{t.later(later)}</p>}
    </>
  );
};

/** Help for every page, with the place of the guides. */
export const HelpPage = () => (
  <>
    <Heading title={texts.shell.help} />
    <div class="stack">
      {t.parts.map(({ title, text }) => (
        <section key={title} class="card">
          <h2>{title}</h2>
          <p>{text}</p>
        </section>
      ))}
      <section class="card">
        <h2>{t.guides}</h2>
        <p>{t.guidesText}</p>
        <dl class="lines">
          {t.files.map(([title, file]) => (
            <div key={file}>
              <dt>{title}</dt>
              <dd>
                <code>{file}</code>
              </dd>
            </div>
          ))}
        </dl>
      </section>
      <Version />
    </div>
  </>
);
