import { useState } from 'preact/hooks';
import type { ProductResponse } from '../../client/client.ts';

/** The address of pictures, with `{uuid}` for the texture. Empty if the deployment has none. */
const address = document.querySelector<HTMLMetaElement>('meta[name=textures]')?.content ?? '';

const none = '00000000-0000-0000-0000-000000000000';

interface PictureProps {
  of: Pick<ProductResponse, 'image'>;
  isLarge?: boolean;
}

/** The picture of a product, beside its name. An empty square if it has none, or none that can be loaded. */
export const Picture = ({ of: { image }, isLarge = false }: PictureProps) => {
  const [failed, setFailed] = useState<string>();
  if (!address) return null;
  const look = `picture${isLarge ? ' is-large' : ''}`;
  if (image === none || image === failed) return <span class={look} aria-hidden="true" />;
  return (
    <img class={look} src={address.replace('{uuid}', image)} alt="" loading="lazy" onError={() => setFailed(image)} />
  );
};
