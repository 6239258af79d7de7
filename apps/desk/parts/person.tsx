import { useEffect, useState } from 'preact/hooks';
import type { CustomerNameResponse } from '../../client/client.ts';
import { copiedName } from '../../shared/copied-name.ts';
import { type Session, useSession } from '../session.ts';
import { texts } from '../texts.ts';
import { type BoxProps, Combobox } from './combobox.tsx';

/** The beginning of a name that the service searches for. */
const isPrefix = (text: string): boolean => text.length >= 2 && /^[a-z0-9]{1,31}(?:[. ][a-z0-9]{0,31})?$/i.test(text);

const pauseMillis = 120;
const shown = 8;
/** If no name begins with a text, it is looked for within this many names, which are read once per tab. */
const maxRead = 1000;

let known: Promise<readonly CustomerNameResponse[]> | undefined;

const readCustomers = async ({ client }: Session): Promise<readonly CustomerNameResponse[]> => {
  const { data } = await client.get('/v1/customers', { query: { limit: maxRead } });
  return data.map(({ uuid, username }) => ({ name: username, residentUuid: uuid, username }));
};

/** The customers whose names begin with a text or, if there are none, hold it. Each once. */
export const findPeople = async (session: Session, text: string, signal: AbortSignal) => {
  const prefix = copiedName(text) + (/\w\s$/.test(text) ? ' ' : '');
  if (!session.can('customers:read') || !isPrefix(prefix)) return [];
  const { data } = await session.client.get('/v1/names', { query: { prefix, limit: shown }, signal });
  const isFirst = ({ residentUuid }: CustomerNameResponse, index: number): boolean =>
    data.findIndex((other) => other.residentUuid === residentUuid) === index;
  if (data.length > 0) return data.filter(isFirst);
  known ??= readCustomers(session);
  const all = await known.catch((error) => {
    known = undefined;
    throw error;
  });
  const part = prefix.toLowerCase().replace(' ', '.');
  return all.filter(({ username }) => username.includes(part)).slice(0, shown);
};

export interface Answer<T> {
  /** The text that was answered. */
  text: string;
  /** Undefined if the read failed. */
  found: T | undefined;
}

/** The answer to a text while somebody types: asked for after a pause, and no more once the text is another. */
export const useAnswer = <T,>(text: string, find: (text: string, signal: AbortSignal) => Promise<T>) => {
  const [answer, setAnswer] = useState<Answer<T>>();
  useEffect(() => {
    if (text === '') return setAnswer(undefined);
    const ending = new AbortController();
    const { signal } = ending;
    const take = (found: T | undefined) => !signal.aborted && setAnswer({ text, found });
    const timer = setTimeout(() => find(text, signal).then(take, () => take(undefined)), pauseMillis);
    return () => {
      clearTimeout(timer);
      ending.abort();
    };
  }, [text]);
  return answer;
};

const nobody: readonly CustomerNameResponse[] = [];

interface PersonInputProps extends BoxProps {
  onPick?: (person: CustomerNameResponse) => void;
}

/** A box for a person's name, which suggests customers while somebody types. */
export const PersonInput = ({ onPick, ...box }: PersonInputProps) => {
  const [text, setText] = useState('');
  const session = useSession();
  const answer = useAnswer(text, (typed, signal) => findPeople(session, typed, signal));
  return (
    <Combobox
      {...box}
      isPerson
      title={texts.suggestions.title}
      // Without suggestions a name can still be typed.
      found={(text !== '' && answer?.found) || nobody}
      keyOf={({ residentUuid }) => residentUuid}
      textOf={({ username }) => username}
      optionOf={({ username, name }) => (
        <>
          {username}
          {name !== username && <span class="help"> {texts.suggestions.formerly(name)}</span>}
        </>
      )}
      onText={setText}
      onClose={() => setText('')}
      onPick={(person) => onPick?.(person)}
    />
  );
};
