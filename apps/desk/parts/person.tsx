import { useEffect, useState } from 'preact/hooks';
import type { CustomerNameResponse } from '../../client/client.ts';
import { copiedName } from '../../shared/copied-name.ts';
import { useSession } from '../session.ts';
import { texts } from '../texts.ts';
import { type BoxProps, Combobox } from './combobox.tsx';

/** The beginning of a name that the service searches for. */
const isPrefix = (text: string): boolean => text.length >= 2 && /^[a-z0-9]{1,31}(?:[. ][a-z0-9]{0,31})?$/i.test(text);

const pauseMillis = 120;
const shown = 8;

/** The customers whose names begin with a text, each once. */
const useNames = (text: string): readonly CustomerNameResponse[] => {
  const { client, can } = useSession();
  const [found, setFound] = useState<readonly CustomerNameResponse[]>([]);
  useEffect(() => {
    const prefix = copiedName(text) + (/\w\s$/.test(text) ? ' ' : '');
    if (!can('customers:read') || !isPrefix(prefix)) {
      setFound([]);
      return;
    }
    const ending = new AbortController();
    const { signal } = ending;
    const read = async () => {
      const { data } = await client.get('/v1/names', { query: { prefix, limit: shown }, signal });
      const isFirst = ({ residentUuid }: CustomerNameResponse, index: number): boolean =>
        data.findIndex((other) => other.residentUuid === residentUuid) === index;
      if (!signal.aborted) setFound(data.filter(isFirst));
    };
    // Without suggestions a name can still be typed.
    const timer = setTimeout(() => read().catch(() => !signal.aborted && setFound([])), pauseMillis);
    return () => {
      clearTimeout(timer);
      ending.abort();
    };
  }, [text]);
  return found;
};

interface PersonInputProps extends BoxProps {
  onPick?: (person: CustomerNameResponse) => void;
}

/** A box for a person's name, which suggests customers while somebody types. */
export const PersonInput = ({ onPick, ...box }: PersonInputProps) => {
  const [text, setText] = useState('');
  const found = useNames(text);
  return (
    <Combobox
      {...box}
      isPerson
      title={texts.suggestions.title}
      found={found}
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
