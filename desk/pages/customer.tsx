import { Heading } from '../parts/heading.tsx';

export const CustomerPage = ({ identifier }: { identifier: string }) => <Heading title={identifier} />;
