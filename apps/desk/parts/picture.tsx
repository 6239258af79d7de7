import { useState } from 'preact/hooks';

/** The address of pictures, with `{uuid}` for the texture. Empty if the deployment has none. */
const address = document.querySelector<HTMLMetaElement>('meta[name=textures]')?.content ?? '';

const none = '00000000-0000-0000-0000-000000000000';

const tints = 6;

/** The tint of an id. It is always the same, so that people can tell the rows of a list apart. */
const tintOf = (id: string): string =>
  `is-tint-${[...id].reduce((sum, sign) => (sum * 31 + (sign.codePointAt(0) ?? 0)) % 1009, 7) % tints}`;

interface PictureProps {
  of: { id: string; name: string; image?: string | undefined };
  isLarge?: boolean;
  /** Gets the texture that cannot be loaded. */
  onFail?: (texture: string) => void;
}

/** True if the deployment names a service for textures. */
export const hasTextures = address !== '';

/** The picture of a product, beside its name. Two letters stand for it if it has none, or none that can be loaded. */
export const Picture = ({ of: { id, name, image = none }, isLarge = false, onFail }: PictureProps) => {
  const [failed, setFailed] = useState<string>();
  const look = `picture${isLarge ? ' is-large' : ''}`;
  const fail = () => {
    setFailed(image);
    onFail?.(image);
  };
  if (hasTextures && image !== none && image !== failed)
    return <img class={look} src={address.replace('{uuid}', image)} alt="" loading="lazy" onError={fail} />;
  // The style sheet shows the letters, so they are no part of the name.
  return <span class={`${look} ${tintOf(id)}`} data-letters={[...name].slice(0, 2).join('')} aria-hidden="true" />;
};

/** A circle with the initials of a person. */
export const Avatar = ({ id, name, isLarge = false }: { id: string; name: string; isLarge?: boolean }) => {
  const [first = '', last = first.slice(1)] = name.split('.');
  const letters = `${first.slice(0, 1)}${last.slice(0, 1)}`.toUpperCase();
  return (
    <span
      class={`picture is-person${isLarge ? ' is-large' : ''} ${tintOf(id)}`}
      data-letters={letters}
      aria-hidden="true"
    />
  );
};
