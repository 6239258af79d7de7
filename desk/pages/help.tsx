import { Heading } from '../parts/heading.tsx';
import { texts } from '../texts.ts';
import { pageTexts } from '../texts-pages.ts';

const t = pageTexts.help;

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
      <p class="help">{texts.shell.version(serviceVersion)}</p>
    </div>
  </>
);
