import { useEffect, useState } from 'preact/hooks';
import { Heading } from '../parts/heading.tsx';
import { texts } from '../texts.ts';
import { pageTexts } from '../texts-pages.ts';

const t = pageTexts.help;

/** The number of the newest release, if its address tells one that is later than the version that runs. */
const findLater = async (): Promise<string | undefined> => {
  const text = await (await fetch(releasesAddress, { credentials: 'omit' })).text();
  const newest = /\d+\.\d+\.\d+/.exec(/"(?:tag_name|version)":.*/.exec(text)?.[0] ?? text)?.[0];
  return newest?.localeCompare(serviceVersion, undefined, { numeric: true }) === 1 ? newest : undefined;
};

/** The version that runs, and a later one that was released. */
const Version = () => {
  const [later, setLater] = useState<string>();
  useEffect(() => {
    // The address may be away. The page says nothing of that.
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
          {t.files.map(([file, text]) => (
            <div key={file}>
              <dt>{text}</dt>
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
