import { useState } from 'preact/hooks';
import { link } from '../address.ts';
import { coversPreset } from '../keys.ts';
import { notecardOf, type ObjectName } from '../notecard.ts';
import { Copy } from '../parts/copy.tsx';
import { Field, Form } from '../parts/form.tsx';
import { Heading } from '../parts/heading.tsx';
import { Show, useLoad } from '../parts/load.tsx';
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
} as const satisfies Record<ObjectName, object>;

interface KeyStepProps {
  object: ObjectName;
  /** The key, once it is made. */
  made: string;
  onKey: (key: string) => void;
}

/** Makes the key of the object, if the person's key covers it. Otherwise an owner or the command does. */
const KeyStep = ({ object, made, onKey }: KeyStepProps) => {
  const { client, store, can } = useSession();
  const { preset } = objects[object];
  if (can('keys:write') && coversPreset(store.key.scopes, preset))
    return (
      <li>
        <h2>{t.key.title}</h2>
        <p class="help">{made ? t.key.made : t.key.help}</p>
        {!made && (
          <Form
            submit={t.key.make}
            isUnguarded
            onSend={async ({ name = '' }) =>
              onKey((await client.post('/v1/keys', { body: { name, preset } })).key ?? '')
            }
          >
            <Field name="name" label={t.key.name} initial={t.names[object]} maxLength={255} />
          </Form>
        )}
      </li>
    );
  const command = t.command(object, preset);
  return (
    <li>
      <h2>{t.key.title}</h2>
      <p class="help">{t.key.byOwner}</p>
      <pre>
        <code>{command}</code>
      </pre>
      <div class="buttons">
        <Copy text={command} label={texts.copyCommand} said={texts.copiedCommand} />
      </div>
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
  const text = notecardOf(object, { title: `${t.names[object]}: ${store.name}`, key, product });
  return (
    <ol class="steps">
      <KeyStep object={object} made={key} onKey={setKey} />
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
