import { useEffect, useRef, useState } from 'preact/hooks';
import { isSameText, normalised } from '../../../lib/normalise.ts';
import type { ProductResponse } from '../../client/client.ts';
import { isUuid } from '../format.ts';
import { productName, searchFor } from '../names.ts';
import { type Session, useSession } from '../session.ts';
import { texts } from '../texts.ts';
import { type BoxProps, Combobox } from './combobox.tsx';

type ProductChoice = Pick<ProductResponse, 'id' | 'name' | 'active' | 'activePrice' | 'image'>;

/** The names of at most this many products are read, once per tab. In a larger store Enter searches. */
const maxRead = 2000;
const shown = 8;

type Values = Record<string, string>;

let known: Promise<readonly ProductChoice[]> | undefined;

/** For a product that this tab has made or changed. */
export const forgetProducts = (): void => {
  known = undefined;
};

const readProducts = async ({ client }: Session): Promise<readonly ProductChoice[]> => {
  const read: ProductChoice[] = [];
  for (const active of [true, false])
    for await (const { id, name, activePrice, image } of client.rows('/v1/products', {
      query: { active, limit: 1000 },
    })) {
      if (read.length === maxRead) return read;
      read.push({ id, name, active, activePrice, image });
    }
  return read;
};

/** The products whose names contain a text; names that begin with it come first. */
const fitting = (products: readonly ProductChoice[], text: string): readonly ProductChoice[] => {
  const wanted = normalised(text).trim();
  if (!wanted) return [];
  const placeIn = ({ name }: ProductChoice): number => normalised(name).indexOf(wanted);
  const found = products.filter((product) => placeIn(product) >= 0);
  return found.sort((a, b) => Math.sign(placeIn(a)) - Math.sign(placeIn(b))).slice(0, shown);
};

/** The same, but none if the text is the full name of the only one. */
const suggested = (products: readonly ProductChoice[], text: string): readonly ProductChoice[] => {
  const found = fitting(products, text);
  return found.length === 1 && found[0] && isSameText(found[0].name, text) ? [] : found;
};

/** The products of this tab. A failed read is made again by the next one who asks. */
const knownProducts = (session: Session): Promise<readonly ProductChoice[]> => {
  known ??= readProducts(session);
  known.catch(forgetProducts);
  return known;
};

/** The products whose names contain a text. In a store with more than the tab reads, the service searches. */
export const findProducts = async (session: Session, text: string): Promise<readonly ProductChoice[]> => {
  if (!session.can('products:read') || !text) return [];
  const all = await knownProducts(session);
  const found = fitting(all, text);
  return found.length > 0 || all.length < maxRead ? found : fitting(await searchProducts(session, text), text);
};

/** The id of the only product with a name, in any case. A text that names none, or several, stays unchanged. */
const idFor = (products: readonly ProductChoice[], text: string): string => {
  const same = products.filter(({ name }) => isSameText(name, text));
  return same.length === 1 && same[0] ? same[0].id : text;
};

/** The products that the service finds by a text in their names. */
const searchProducts = async ({ client }: Session, text: string): Promise<ProductChoice[]> => {
  const query = searchFor(text);
  const [active, inactive] = await Promise.all([
    client.get('/v1/products', { query: { ...query, active: true } }),
    client.get('/v1/products', { query: { ...query, active: false } }),
  ]);
  return [...active.data, ...inactive.data];
};

/**
 * The values of a form. Each product that is named in a box for products is replaced by its id. This is for names that
 * were not read yet when they were typed, or that are too many to read.
 */
export const withProductIds = async (session: Session, form: HTMLFormElement, values: Values): Promise<Values> => {
  const ids: Values = {};
  for (const { name } of form.querySelectorAll<HTMLInputElement>('input[data-product]')) {
    const text = values[name];
    if (text && !isUuid(text) && session.can('products:read'))
      ids[name] = idFor(await searchProducts(session, text), text);
  }
  return { ...values, ...ids };
};

/** The products that can be suggested when somebody types, and a function that adds products found by a search. */
const useProducts = (session: Session, isTyping: boolean) => {
  const [products, setProducts] = useState<readonly ProductChoice[]>([]);
  useEffect(() => {
    let isShown = true;
    if (isTyping && session.can('products:read')) {
      // Without suggestions a name can still be typed.
      knownProducts(session).then(
        (all) => isShown && setProducts(all),
        () => undefined,
      );
    }
    return () => {
      isShown = false;
    };
  }, [isTyping]);
  const search = async (text: string) => {
    const found = await searchProducts(session, text);
    setProducts((before) => [...before, ...found.filter(({ id }) => !before.some((other) => other.id === id))]);
  };
  return { products, search };
};

interface ProductInputProps extends Omit<BoxProps, 'name'> {
  /** The name under which the form has the product's id. A text that names no product stays unchanged. */
  name: string;
  onPick?: (id: string) => void;
}

/** A box that takes a product by its name. `defaultValue` is an id, or a text that was typed before. */
export const ProductInput = ({ name, defaultValue = '', onPick, take, ...box }: ProductInputProps) => {
  const session = useSession();
  const [text, setText] = useState('');
  const { products, search } = useProducts(session, text !== '');
  const searched = useRef('');
  const input = useRef<HTMLInputElement | null>(null);
  const hidden = useRef<HTMLInputElement>(null);
  const put = (id: string) => {
    if (hidden.current) hidden.current.value = id;
  };
  useEffect(() => {
    if (!isUuid(defaultValue)) return;
    productName(session, defaultValue).then((found) => {
      if (input.current && hidden.current?.value === defaultValue) input.current.value = found;
    });
  }, []);
  const enter = (): boolean => {
    const typed = hidden.current?.value ?? '';
    if (!typed || isUuid(typed) || typed === searched.current || !session.can('products:read')) return false;
    searched.current = typed;
    search(typed).catch(() => undefined);
    return true;
  };
  return (
    <>
      <Combobox
        {...box}
        defaultValue={isUuid(defaultValue) ? '' : defaultValue}
        take={(element) => {
          input.current = element;
          take?.(element);
        }}
        title={texts.titles.products}
        found={suggested(products, text)}
        keyOf={({ id }) => id}
        textOf={(product) => product.name}
        optionOf={(product) => (
          <>
            {product.name}
            {!product.active && <span class="help"> {texts.suggestions.inactive}</span>}
          </>
        )}
        onText={(typed) => {
          setText(typed);
          put(idFor(products, typed.trim()));
        }}
        onClose={() => setText('')}
        onPick={({ id }) => {
          put(id);
          onPick?.(id);
        }}
        onEnter={enter}
      />
      <input ref={hidden} type="hidden" name={name} data-product defaultValue={defaultValue} />
    </>
  );
};
