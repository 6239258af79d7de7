import { useContext, useState } from 'preact/hooks';
import { link } from '../address.ts';
import { baseUrl } from '../api.ts';
import { DeveloperContext } from '../developer.ts';
import { Copy } from '../parts/copy.tsx';
import { Heading } from '../parts/heading.tsx';
import { FaultBox, Show, useLoad, usePress } from '../parts/load.tsx';
import { ProductInput } from '../parts/product.tsx';
import { useSession } from '../session.ts';
import { texts } from '../texts.ts';
import { t } from './setup.texts.ts';

/** The objects inworld: the preset of their keys, their notecards and their scripts. */
const objects = {
  box: { preset: 'dispenser', notecard: 'dispenser', script: () => import('../../inworld/dispenser.lsl') },
  vendor: { preset: 'vendor', notecard: 'vendor', script: () => import('../../inworld/vendor.lsl') },
  shelf: { preset: 'shop', notecard: 'shop', script: () => import('../../inworld/shelf.lsl') },
  terminal: { preset: 'terminal', notecard: 'terminal', script: () => import('../../inworld/terminal.lsl') },
  cashier: { preset: 'cashier', notecard: 'cashier', script: () => import('../../inworld/cashier.lsl') },
} as const;

type ObjectName = keyof typeof objects;

interface KeyStepProps {
  object: ObjectName;
  /** Called with the text of a key that was made on this machine. */
  onKey: (key: string) => void;
}

/** The deployed desk makes no key: it shows the line that issues one. The local service makes one at a press. */
const KeyStep = ({ object, onKey }: KeyStepProps) => {
  const { store } = useSession();
  const developer = useContext(DeveloperContext);
  const { preset } = objects[object];
  const command = t.command(object, preset);
  const making = usePress(async () => {
    if (developer) onKey(await developer.makeKey(store.id, preset));
  });
  return (
    <li>
      <h2>{t.key.title}</h2>
      <p class="help">{developer ? t.key.local : t.key.help}</p>
      <pre>
        <code>{command}</code>
      </pre>
      <div class="buttons">
        <Copy text={command} label={texts.copyCommand} said={texts.copiedCommand} />
        {developer && (
          <button type="button" class="button is-main" aria-disabled={making.isBusy} onClick={making.press}>
            {t.key.make}
          </button>
        )}
      </div>
      {making.fault && <FaultBox fault={making.fault} />}
    </li>
  );
};

const ScriptStep = ({ object }: { object: ObjectName }) => {
  const script = useLoad(async () => (await objects[object].script()).default, [object]);
  return (
    <li>
      <h2>{t.script.title}</h2>
      <p class="help">{t.script.help}</p>
      <Show of={script}>
        {(text) => (
          <div class="buttons">
            <Copy text={text} label={t.script.copy} said={t.script.copied} />
          </div>
        )}
      </Show>
    </li>
  );
};

const Steps = ({ object }: { object: ObjectName }) => {
  const { store, can } = useSession();
  const [key, setKey] = useState('');
  const [product, setProduct] = useState('');
  const { notecard } = objects[object];
  const lines = [
    `# ${t.names[object]}: ${store.name.replaceAll(/\s+/g, ' ')}`,
    `service = ${baseUrl()}`,
    `key = ${key}`,
    ...(product ? [`product = ${product}`] : []),
    ...(object === 'cashier' ? ['limit = 5000'] : []),
    ...(object === 'shelf' ? ['category = '] : []),
  ];
  const text = `${lines.join('\n')}\n`;
  return (
    <ol class="steps">
      <KeyStep object={object} onKey={setKey} />
      <li>
        <h2>{t.notecard.title(notecard)}</h2>
        <p class="help">{t.notecard.help(notecard)}</p>
        {object === 'vendor' && can('products:read') && (
          // biome-ignore lint/a11y/noLabelWithoutControl: the control is in the component.
          <label class="field">
            <span class="label">{t.notecard.product}</span>
            <ProductInput type="text" name="product" onPick={setProduct} />
          </label>
        )}
        <pre>
          <code>{text}</code>
        </pre>
        <div class="buttons">
          <Copy text={text} label={t.notecard.copy} said={t.notecard.copied} />
        </div>
      </li>
      <ScriptStep object={object} />
      <li>
        <h2>{t.end.title}</h2>
        <p class="help">{t.end.help[object]}</p>
      </li>
    </ol>
  );
};

const isObject = (name: string): name is ObjectName => Object.hasOwn(objects, name);

/** The steps from an empty object inworld to one that works. */
export const SetupPage = ({ object }: { object: string }) => {
  if (!isObject(object)) return <p class="empty">{texts.notFound}</p>;
  return (
    <>
      <Heading title={texts.setup.titles[object]} />
      <p class="help intro">{t.intro}</p>
      <Steps key={object} object={object} />
      <nav class="others" aria-label={t.others}>
        {(Object.keys(objects) as ObjectName[])
          .filter((other) => other !== object)
          .map((other) => (
            <a key={other} class="button" href={link(`/setup/${other}`)}>
              {t.names[other]}
            </a>
          ))}
      </nav>
    </>
  );
};
